import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Log } from '../../kernel/log.ts'
import { sql, type Statement } from '../../kernel/sql.ts'
import { FRESH, RETRY, type Lane } from './states.ts'

/** Deliveries of a webhook that is not active are held this long, counted from the later of creation and pause. */
const HOLD_MS = 72 * 3_600_000
/** Open deliveries one webhook may have; beyond it the oldest are closed, visibly. */
const MAX_OPEN = 100_000
/** What becomes due together is spread over this time. */
const SPREAD_MS = 10_000
const SPREAD_STEPS = 20
const CHUNK = 500

/** Rows of one chunk, oldest first. A row under a lease is left to its attempt. */
const open = (more: string) => `SELECT seq FROM deliveries
   WHERE webhook_seq = :webhook AND next_attempt_at IS NOT NULL AND lease IS NULL AND ${more}
   ORDER BY lane, seq LIMIT :limit`

type Chunk<P extends object = object> = P & { webhook: number; now: number; limit: number }
type Spread = { steps: number; gap: number }

const expire = sql<Chunk<{ before: number }>>(
  `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, final_reason = 'expired', updated_at = :now
    WHERE seq IN (${open('created_at <= :before')})`,
)

const overflow = sql<Chunk<{ lane: Lane; upTo: number }>>(
  `UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, final_reason = 'overflow', updated_at = :now
    WHERE seq IN (${open('lane = :lane AND seq <= :upTo')})`,
)

const bringForward = sql<Chunk<Spread & { spreadEnd: number }>>(
  `UPDATE deliveries SET next_attempt_at = :now + (seq % :steps) * :gap,
          gap_ms = (seq % :steps) * :gap, updated_at = :now
    WHERE seq IN (SELECT seq FROM deliveries
                   WHERE webhook_seq = :webhook AND lane = 1 AND next_attempt_at IS NOT NULL AND lease IS NULL
                     AND next_attempt_at > :spreadEnd
                   ORDER BY next_attempt_at, seq LIMIT :limit)`,
)

/** Closed by a 410: the owner's explicit act takes them up again, usually with a new address. */
const reopenGone = sql<Chunk<Spread>>(
  `UPDATE deliveries SET next_attempt_at = :now + (seq % :steps) * :gap,
          gap_ms = (seq % :steps) * :gap, lane = 1, final_reason = NULL, updated_at = :now,
          status = CASE WHEN counted = 0 THEN 'pending' ELSE 'failed' END
    WHERE seq IN (SELECT seq FROM deliveries
                   WHERE webhook_seq = :webhook AND final_reason = 'gone' AND counted < 8 AND lease IS NULL
                   ORDER BY counted, seq LIMIT :limit)`,
)

const removeOpen = sql<{ webhook: number; limit: number }>(
  `DELETE FROM deliveries
    WHERE seq IN (SELECT seq FROM deliveries WHERE webhook_seq = :webhook AND next_attempt_at IS NOT NULL
                   ORDER BY lane, seq LIMIT :limit)`,
)

interface HeldWebhook {
  readonly seq: number
  readonly id: string
  readonly state: string
  readonly stateSinceMs: number
  readonly openCount: number
}

const heldWebhooks = sql<Record<never, never>, HeldWebhook>(
  `SELECT w.seq, w.id, w.state, w.state_since AS stateSinceMs,
          (SELECT COUNT(*) FROM deliveries d
            WHERE d.webhook_seq = w.seq AND d.lane >= 0 AND d.next_attempt_at IS NOT NULL) AS openCount
     FROM webhooks w WHERE w.deleted_at IS NULL ORDER BY w.state, w.seq`,
)

/** The newest of those that are too many. */
const newestBeyond = sql<{ webhook: number; kept: number }, { seq: number }>(
  `SELECT seq FROM deliveries WHERE webhook_seq = :webhook AND next_attempt_at IS NOT NULL
    ORDER BY seq DESC LIMIT 1 OFFSET :kept`,
)

const deletedWithOpen = sql<Record<never, never>, { seq: number }>(
  `SELECT w.seq FROM webhooks w WHERE w.deleted_at IS NOT NULL AND EXISTS (
     SELECT 1 FROM deliveries d WHERE d.webhook_seq = w.seq AND d.lane >= 0 AND d.next_attempt_at IS NOT NULL) ORDER BY w.seq`,
)

type Holder = Pick<HeldWebhook, 'seq' | 'stateSinceMs'>

/** Deliveries that wait for a webhook that is not active: how long, how many, and what becomes of them. */
export function createHeldDeliveries({
  db,
  clock,
  log,
  openAtMost = MAX_OPEN,
}: {
  db: Db
  clock: Pick<Clock, 'now'>
  log: Log
  openAtMost?: number
}) {
  const chunk = (webhook: number) => ({ webhook, now: clock.now(), limit: CHUNK })
  const expiryOf = ({ seq, stateSinceMs }: Holder) => {
    const before = clock.now() - HOLD_MS
    return { ...chunk(seq), before: stateSinceMs <= before ? before : 0 }
  }
  const soon = (webhook: number) => {
    const at = chunk(webhook)
    return { ...at, spreadEnd: at.now + SPREAD_MS, steps: SPREAD_STEPS, gap: SPREAD_MS / SPREAD_STEPS }
  }

  async function inChunks<P extends object>(statement: Statement<P>, params: () => P): Promise<number> {
    let total = 0
    for (;;) {
      const changed = await db.commit((tx) => tx.run(statement, params()))
      total += changed
      if (changed < CHUNK) return total
    }
  }

  /** Most of a reactivation, in small commits while nothing can be claimed yet; a crash in between leaves only held rows. */
  async function prepareRelease(holder: Holder): Promise<void> {
    await inChunks(expire, () => expiryOf(holder))
    await inChunks(bringForward, () => soon(holder.seq))
    await inChunks(reopenGone, () => soon(holder.seq))
  }

  /** The rest, in the commit that makes the webhook active. */
  async function release(tx: Tx, holder: Holder): Promise<void> {
    await tx.run(expire, expiryOf(holder))
    await tx.run(bringForward, soon(holder.seq))
    await tx.run(reopenGone, soon(holder.seq))
  }

  /** The first chunk goes with the deletion itself; a crash leaves the rest to the hourly pass. */
  const removeFirst = (tx: Tx, webhook: number) => tx.run(removeOpen, { webhook, limit: CHUNK })
  const removeRest = (webhook: number) => inChunks(removeOpen, () => ({ webhook, limit: CHUNK }))

  /** Once an hour: closes what was held too long or is too much, and ends deletions that were cut short. */
  async function pass(): Promise<void> {
    for (const { seq } of await db.read(deletedWithOpen, {})) await removeRest(seq)
    for (const webhook of await db.read(heldWebhooks, {})) {
      if (webhook.state !== 'active') await closeExpired(webhook)
      if (webhook.openCount > openAtMost) await closeOverflow(webhook)
    }
  }

  async function closeExpired(webhook: HeldWebhook): Promise<void> {
    const closed = await inChunks(expire, () => expiryOf(webhook))
    if (closed > 0) log.warn({ event: 'delivery.expired', webhookId: webhook.id, closed })
  }

  async function closeOverflow({ seq: webhook, id: webhookId }: HeldWebhook): Promise<void> {
    const newest = await db.readOne(newestBeyond, { webhook, kept: openAtMost })
    if (!newest) return
    let closed = 0
    for (const lane of [FRESH, RETRY]) {
      closed += await inChunks(overflow, () => ({ ...chunk(webhook), lane, upTo: newest.seq }))
    }
    log.warn({ event: 'delivery.overflow', webhookId, closed, kept: openAtMost })
  }

  return { prepareRelease, release, removeFirst, removeRest, pass }
}
