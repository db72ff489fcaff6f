import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { cause, type Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import type { Verdict } from './verdict.ts'

/** This many failures in a row, over this long, count as an outage. */
const FAILURES = 10
const OUTAGE_MS = 300_000
const CHUNK = 500
const STEPS = 20
/** What a receiver that has just come back is thought to take: a second for each delivery it can take at once. */
const SECOND_MS = 1_000
const SPREAD_AT_MOST_MS = 600_000

type RetryParams = { webhook: number; since: number; now: number }

/**
 * Retries whose last failure was the outage: nobody there, no answer, overloaded. What was refused for itself (400, 404)
 * is not helped by the receiver's being back.
 */
const WAITING = `webhook_seq = :webhook AND lane = 1 AND next_attempt_at IS NOT NULL AND lease IS NULL
  AND next_attempt_at > :now AND (swept_at IS NULL OR swept_at < :since)
  AND (last_status_code >= 500 OR last_status_code = 429 OR (last_status_code IS NULL AND EXISTS (
    SELECT 1 FROM delivery_attempts a WHERE a.delivery_seq = deliveries.seq AND a.attempt = deliveries.attempts
       AND a.outcome IN ('connect', 'timeout'))))`

const countWaiting = sql<RetryParams, { many: number }>(`SELECT COUNT(*) AS many FROM deliveries WHERE ${WAITING}`)

const bringForward = sql<RetryParams & { steps: number; gap: number; limit: number }>(
  `UPDATE deliveries SET next_attempt_at = :now + (seq % :steps) * :gap,
          gap_ms = (seq % :steps) * :gap, swept_at = :now, is_swept = 1, updated_at = :now
    WHERE seq IN (SELECT seq FROM deliveries WHERE ${WAITING} ORDER BY next_attempt_at, seq LIMIT :limit)`,
)

interface OutageRecoveryDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** How many deliveries the webhook's receiver has shown it can take at once. */
  readonly windowOf: (webhook: number) => number
  /** Some of its deliveries are due now. */
  readonly onBroughtForward: (webhook: number) => void
}

/**
 * When a receiver is back after an outage, what failed because of it need not wait out its hours. Each delivery is
 * brought forward once an outage. Kept in memory: a restart forgets it, and the schedule holds as ever.
 */
export function createOutageRecovery({ db, clock, log, windowOf, onBroughtForward }: OutageRecoveryDeps) {
  const outages = new Map<number, { failures: number; readonly sinceMs: number }>()

  async function bringRetriesForward(webhook: number, since: number): Promise<void> {
    const place = { webhook, since, now: clock.now() }
    const many = (await db.readOne(countWaiting, place))?.many ?? 0
    const spread = Math.min(SPREAD_AT_MOST_MS, Math.ceil(many / windowOf(webhook)) * SECOND_MS)
    for (let left = many; left > 0; left -= CHUNK) {
      await db.commit((tx) =>
        tx.run(bringForward, { ...place, now: clock.now(), steps: STEPS, gap: spread / STEPS, limit: CHUNK }),
      )
    }
    if (many === 0) return
    log.info({ event: 'delivery.retries_brought_forward', webhook, broughtForward: many })
    onBroughtForward(webhook)
  }

  return {
    /** An attempt was judged and written. */
    recordVerdict(webhook: number, { outcome, isCounted }: Pick<Verdict, 'outcome' | 'isCounted'>): void {
      const outage = outages.get(webhook)
      if (outcome === 'success') {
        outages.delete(webhook)
        if (!outage || outage.failures < FAILURES || clock.now() - outage.sinceMs < OUTAGE_MS) return
        // If this cannot be stored, the normal schedule continues.
        bringRetriesForward(webhook, outage.sinceMs).catch((error: unknown) => {
          log.warn({ event: 'delivery.bring_forward_failed', webhook, cause: cause(error) })
        })
      } else if (isCounted) {
        if (outage) outage.failures++
        else outages.set(webhook, { failures: 1, sinceMs: clock.now() })
      }
    },
    reset: (webhook: number) => void outages.delete(webhook),
  }
}
