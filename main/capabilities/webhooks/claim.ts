import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { cause, type Log } from '../../kernel/log.ts'
import type { Seal } from '../../kernel/seal.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'
import type { Attempt, AttemptTarget, EventText, DeliveryState } from './attempt.ts'
import { splitLanes } from './fairness.ts'
import type { Keyring, SealedKeys } from './keyring.ts'
import type { NetworkHealth } from './network-health.ts'
import type { Trigger } from './states.ts'
import { NO_PREFETCH, type Prefetched, type Share, type WebhookQueues } from './webhook-queues.ts'

/** How many due deliveries beyond those claimed are looked up at once. */
const AHEAD_ROWS = 256

export interface WebhookKeysRow extends SealedKeys {
  readonly accountId: AccountId
  readonly url: string
  readonly activation: number
  readonly maxInFlight: number
}

const HOOK = `w.seq, w.id, w.account_id AS accountId, w.url, w.activation, w.max_in_flight AS maxInFlight,
  w.secret_version AS secretVersion, w.secret_enc AS secretEnc, w.prev_secret_enc AS prevSecretEnc,
  w.prev_expires_at AS prevExpiresAtMs`

/** Whether it may be delivered to is decided here, in the claim's own commit: a pause or suspension before it wins. */
const activeWebhook = sql<{ seq: number }, WebhookKeysRow>(
  `SELECT ${HOOK} FROM webhooks w JOIN accounts a ON a.id = w.account_id
    WHERE w.seq = :seq AND w.state = 'active' AND w.deleted_at IS NULL AND a.status = 'active' AND a.deleted_at IS NULL`,
)

/** The lane is written out in both: only then do the partial indexes apply. */
const dueFresh = sql<{ webhook: number; now: number; limit: number }, { seq: number }>(
  `SELECT seq FROM deliveries
    WHERE webhook_seq = :webhook AND lane = 0 AND next_attempt_at IS NOT NULL AND next_attempt_at <= :now
      AND lease IS NULL
    ORDER BY seq LIMIT :limit`,
)

/** Oldest delivery first, not longest due: the first of an outage reach their last attempt on time. */
const dueRetries = sql<{ webhook: number; now: number; limit: number }, { seq: number }>(
  `SELECT seq FROM deliveries
    WHERE webhook_seq = :webhook AND lane = 1 AND next_attempt_at IS NOT NULL AND next_attempt_at <= :now
      AND lease IS NULL
    ORDER BY seq LIMIT :limit`,
)

export interface TakenRow extends DeliveryState {
  readonly id: string
  readonly eventSeq: number
  readonly attempts: number
}

/** The columns of a Standing. */
export const deliveryStateColumns = (of: '' | 'd.') =>
  `${of}status, ${of}counted, ${of}interrupted, ${of}next_attempt_at AS nextAttemptAtMs, ${of}gap_ms AS gapMs,
   ${of}lane, ${of}final_reason AS finalReason, ${of}delivered_at AS deliveredAtMs`

/** Of all rows of a claim at once: with a statement for each a claim of 64 took a fifth longer (measured). */
const take = sqlOfList<number, { boot: string; now: number }, TakenRow & { seq: number; isSwept: number }>(
  (seqs) =>
    `UPDATE deliveries SET attempts = attempts + 1, lease = :boot, updated_at = :now
      WHERE seq IN (${seqs}) AND lease IS NULL AND next_attempt_at IS NOT NULL AND next_attempt_at <= :now
     RETURNING seq, id, event_seq AS eventSeq, attempts, is_swept AS isSwept, ${deliveryStateColumns('')}`,
)

const beginTaken = sqlOfList<number, { now: number }>(
  (seqs) =>
    `INSERT INTO delivery_attempts (delivery_seq, attempt, trigger, outcome, counted, started_at)
     SELECT seq, attempts, CASE WHEN is_swept = 1 THEN 'recovery' ELSE 'schedule' END, 'in_progress', 0, :now
       FROM deliveries WHERE seq IN (${seqs})`,
)

const eventTexts = sqlOfList<number, Record<never, never>, EventText & { seq: number }>(
  (seqs) => `SELECT seq, event_id AS id, head, tail FROM events WHERE seq IN (${seqs})`,
)

const begin = sql<{ seq: number; attempt: number; trigger: Trigger; now: number }>(
  `INSERT INTO delivery_attempts (delivery_seq, attempt, trigger, outcome, counted, started_at)
   VALUES (:seq, :attempt, :trigger, 'in_progress', 0, :now)`,
)

const eventText = sql<{ seq: number }, EventText>('SELECT event_id AS id, head, tail FROM events WHERE seq = :seq')

const activeWebhooks = sql<{ now: number }, { seq: number; url: string; maxInFlight: number; isDue: number }>(
  `SELECT w.seq, w.url, w.max_in_flight AS maxInFlight,
          CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_seq = w.seq AND d.lane = 0
                               AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now AND d.lease IS NULL)
                 OR EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_seq = w.seq AND d.lane = 1
                               AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= :now AND d.lease IS NULL)
               THEN 1 ELSE 0 END AS isDue
     FROM webhooks w JOIN accounts a ON a.id = w.account_id
    WHERE w.state = 'active' AND w.deleted_at IS NULL AND a.status = 'active' AND a.deleted_at IS NULL`,
)

interface ClaimDeps {
  readonly db: Db
  readonly clock: Clock
  readonly seal: Seal
  readonly keyring: Keyring
  readonly queues: WebhookQueues
  readonly networkHealth: Pick<NetworkHealth, 'allowance' | 'probeStarted'>
  readonly isInside: (url: string) => boolean
  readonly log: Log
}

/** Takes due deliveries: the attempt number and the lease are durable before any byte leaves. */
export function createClaims({ db, clock, seal, keyring, queues, networkHealth, isInside, log }: ClaimDeps) {
  /** All claims of a turn are queued together and so share one commit. */
  async function claim(most: number): Promise<Attempt[]> {
    if (seal.state() === 'sealed') return []
    const allowance = networkHealth.allowance()
    const { redeliveries, shares } = queues.plan(most, allowance)
    const claimed = await Promise.all(shares.map(claimShare))
    const hasProbe = shares.some(({ queue }, i) => !queue.isInside && (claimed[i]?.length ?? 0) > 0)
    if (allowance === 'probe' && hasProbe) networkHealth.probeStarted()
    return [...redeliveries, ...claimed.flat()]
  }

  async function claimShare(share: Share): Promise<readonly Attempt[]> {
    const { queue, slots } = share
    const stirs = queue.dueRevision
    const hints = queues.isFresh(queue.prefetched) ? queue.prefetched : NO_PREFETCH
    try {
      const found = await db.commit((tx) => claimFor(tx, queue.seq, { slots, hints, isRetryTurn: queue.isRetryTurn }))
      queues.settle(share, found.attempts.length)
      queue.prefetched = found.ahead
      if (slots === 1 && found.attempts.length === 1) queue.isRetryTurn = !queue.isRetryTurn
      if (!found.isActive) queues.retire(queue.seq)
      else if (found.isEmpty && queue.dueRevision === stirs) queue.isWaiting = false
      return found.attempts
    } catch (error) {
      queues.settle(share, 0)
      // Until the next look, or each answer of another webhook would fail here again.
      queue.isWaiting = false
      log.warn({ event: 'delivery.claim_failed', webhook: queue.seq, cause: cause(error) })
      return []
    }
  }

  /** One webhook's unit of work. Everything is decided inside it; what memory believes are only hints. */
  async function claimFor(tx: Tx, webhook: number, want: { slots: number; hints: Prefetched; isRetryTurn: boolean }) {
    const attempts: Attempt[] = []
    const hook = await tx.one(activeWebhook, { seq: webhook })
    if (!hook) return { attempts, ahead: NO_PREFETCH, isActive: false, isEmpty: true }
    const target = asTarget(hook)
    const now = clock.now()
    let waiting = { fresh: [...want.hints.fresh], retry: [...want.hints.retry] }
    let atMono = want.hints.atMono
    let isComplete = false
    while (attempts.length < want.slots) {
      if (waiting.fresh.length + waiting.retry.length === 0) {
        if (isComplete) break
        const limit = want.slots + AHEAD_ROWS
        const fresh = (await tx.all(dueFresh, { webhook, now, limit })).map((row) => row.seq)
        const retry = (await tx.all(dueRetries, { webhook, now, limit })).map((row) => row.seq)
        waiting = { fresh, retry }
        atMono = clock.mono()
        isComplete = fresh.length < limit && retry.length < limit
        if (fresh.length + retry.length === 0) break
      }
      const split = splitLanes(want.slots - attempts.length, lengths(waiting), want.isRetryTurn)
      const seqs = [...waiting.fresh.splice(0, split.fresh), ...waiting.retry.splice(0, split.retry)]
      attempts.push(...(await claimAll(tx, seqs, target, now)))
    }
    const isEmpty = isComplete && waiting.fresh.length + waiting.retry.length === 0
    return { attempts, ahead: { ...waiting, atMono }, isActive: true, isEmpty }
  }

  /** Those of them that are still there to be taken, in this order. */
  async function claimAll(tx: Tx, seqs: readonly number[], target: AttemptTarget, now: number): Promise<Attempt[]> {
    const taken = (await take.over(seqs, { boot: db.boot, now }, (...run) => tx.all(...run))).flat()
    if (taken.length === 0) return []
    const takenSeqs = taken.map(({ seq }) => seq)
    await beginTaken.over(takenSeqs, { now }, (...run) => tx.run(...run))
    const eventSeqs = taken.map(({ eventSeq }) => eventSeq)
    const texts = (await eventTexts.over(eventSeqs, {}, (...run) => tx.all(...run))).flat()
    const events = new Map(texts.map(({ seq, ...event }) => [seq, event]))
    const attempts = new Map(
      taken.map(({ seq, isSwept, ...row }) => {
        const trigger = isSwept === 1 ? 'recovery' : 'schedule'
        return [seq, attemptOf({ seq, row, target, trigger, event: events.get(row.eventSeq) })]
      }),
    )
    return seqs.flatMap((seq) => attempts.get(seq) ?? [])
  }

  function asTarget(hook: WebhookKeysRow): AttemptTarget {
    const { seq: webhookSeq, id: webhookId, accountId, url, activation } = hook
    return { webhookSeq, webhookId, accountId, url, activation, keys: keyring.open(hook) }
  }

  /** Looks which webhooks are active and have something due; called once a second. */
  async function look(): Promise<void> {
    const rows = await db.read(activeWebhooks, { now: clock.now() })
    queues.refresh(rows.map((row) => ({ ...row, isInside: isInside(row.url), isDue: row.isDue === 1 })))
  }

  return { claim, look, asTarget }
}

const lengths = (waiting: { fresh: unknown[]; retry: unknown[] }) => ({
  fresh: waiting.fresh.length,
  retry: waiting.retry.length,
})

/** Writes the attempt's row beside the lease that was just taken. */
export async function beginAttempt(
  tx: Tx,
  claim: { seq: number; row: TakenRow; target: AttemptTarget; trigger: Trigger; now: number },
): Promise<Attempt> {
  const { seq, row, trigger, now } = claim
  await tx.run(begin, { seq, attempt: row.attempts, trigger, now })
  return attemptOf({ ...claim, event: await tx.one(eventText, { seq: row.eventSeq }) })
}

function attemptOf(claim: {
  readonly seq: number
  readonly row: TakenRow
  readonly target: AttemptTarget
  readonly trigger: Trigger
  readonly event: EventText | undefined
}): Attempt {
  const { seq, row, target, trigger, event } = claim
  const { id, eventSeq, attempts: number, ...deliveryState } = row
  // Events outlive their deliveries (retention keeps an event while any delivery row refers to it).
  if (!event) throw new Error(`Delivery ${id} refers to event ${eventSeq}, which is not in the ledger`)
  return { deliverySeq: seq, number, trigger, deliveryState, event, target }
}
