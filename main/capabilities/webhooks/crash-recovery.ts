import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Log } from '../../kernel/log.ts'
import { sql } from '../../kernel/sql.ts'
import type { FinishedAttempt, DeliveryState } from './attempt.ts'
import { deliveryStateColumns } from './claim.ts'
import type { createAttemptRecorder } from './attempt-recorder.ts'
import { FRESH, RETRY, type Lane, type Trigger } from './states.ts'

interface AbandonedRow extends DeliveryState {
  readonly deliverySeq: number
  readonly number: number
  readonly lease: string
  readonly webhookSeq: number
  readonly activation: number
  readonly trigger: Trigger
  readonly startedAtMs: number
}

/** Attempts whose process is gone: a lease of another boot is dead by definition. */
const abandoned = sql<{ boot: string }, AbandonedRow>(
  `SELECT d.seq AS deliverySeq, d.attempts AS number, d.lease, d.webhook_seq AS webhookSeq, w.activation, a.trigger,
          a.started_at AS startedAtMs, ${deliveryStateColumns('d.')}
     FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq
     JOIN delivery_attempts a ON a.delivery_seq = d.seq AND a.attempt = d.attempts
    WHERE d.lease > '' AND d.lease <> :boot ORDER BY d.lease, d.seq`,
)

const CHUNK = 500
/** A due time this far beyond its gap was written under a wrong clock. */
const CLOCK_SLACK_MS = 5_000

const webhookSeqs = sql<Record<never, never>, { seq: number }>(
  'SELECT seq FROM webhooks WHERE deleted_at IS NULL ORDER BY state, seq',
)

type Place = { webhook: number; lane: Lane; after: number; now: number; slack: number; limit: number }

const PARKED = `SELECT seq FROM deliveries
   WHERE webhook_seq = :webhook AND lane = :lane AND next_attempt_at IS NOT NULL AND seq > :after
     AND next_attempt_at > :now + gap_ms + :slack
   ORDER BY seq LIMIT :limit`

const parked = sql<Place, { seq: number }>(PARKED)

const unpark = sql<Place>(`UPDATE deliveries SET next_attempt_at = :now + gap_ms WHERE seq IN (${PARKED})`)

interface CrashRecoveryDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'movedMs'>
  readonly log: Log
  readonly record: Pick<ReturnType<typeof createAttemptRecorder>, 'judgeNow' | 'write'>
}

export function createCrashRecovery({ db, clock, log, record }: CrashRecoveryDeps) {
  /** At each opening, before listening: what a crash cut off becomes `interrupted` and due again, in one commit. */
  async function releaseAbandoned(): Promise<void> {
    const rows = await db.read(abandoned, { boot: db.boot })
    if (rows.length === 0) return
    await db.commit(async (tx) => {
      for (const row of rows) {
        const { deliverySeq, number, lease, webhookSeq, activation, trigger, startedAtMs, ...before } = row
        const finished: FinishedAttempt = { ended: { kind: 'interrupted' }, ...timesOf(startedAtMs, clock) }
        const verdict = record.judgeNow({ deliveryState: before, trigger }, finished)
        const attempt = { deliverySeq, number, deliveryState: before, target: { webhookSeq, activation } }
        await record.write(tx, { attempt, finished, verdict, lease })
      }
    })
    log.info({ event: 'delivery.recovered', interrupted: rows.length })
  }

  /** A clock that was wrong and is right again must not park deliveries: no due time lies further off than its gap. */
  async function clampDueTimes(): Promise<void> {
    for (const { seq: webhook } of await db.read(webhookSeqs, {})) {
      for (const lane of [FRESH, RETRY]) await clampLane({ webhook, lane })
    }
  }

  async function clampLane(at: { webhook: number; lane: Lane }): Promise<void> {
    let after = 0
    for (;;) {
      const place = { ...at, after, now: clock.now(), slack: CLOCK_SLACK_MS, limit: CHUNK }
      const last = (await db.read(parked, place)).at(-1)
      if (!last) return
      await db.commit((tx) => tx.run(unpark, { ...place, now: clock.now() }))
      after = last.seq
    }
  }

  return { releaseAbandoned, clampDueTimes }
}

function timesOf(startedAtMs: number, clock: CrashRecoveryDeps['clock']) {
  return { startedAtMs, finishedAtMs: clock.now(), movedMs: clock.movedMs(), durationMs: null, sentTimestamp: null }
}
