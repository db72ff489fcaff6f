import { EVENT_TYPES, type EventType } from '../../contract/events.ts'
import type { InCommit } from '../../kernel/ledger.ts'
import type { Ids } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

// No ORDER BY: each row gets a delivery of its own, and sorting one row costs five times the search (measured).
/** Deactivated webhooks get no delivery: the event stays in the ledger, from where it can be replayed. */
const subscribed = sql<{ accountId: string }, { seq: number; events: string; state: string; maxInFlight: number }>(
  `SELECT seq, events, state, max_in_flight AS maxInFlight FROM webhooks
    WHERE account_id = :accountId AND deleted_at IS NULL AND state <> 'deactivated'`,
)

const insert = sql<{
  seq: number
  id: string
  accountSeq: number
  webhookSeq: number
  eventSeq: number
  instanceSeq: number
  eventType: string
  now: number
}>(
  `INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq, event_type, status, next_attempt_at,
                           created_at, updated_at)
   VALUES (:seq, :id, :accountSeq, :webhookSeq, :eventSeq, :instanceSeq, :eventType, 'pending', :now, :now, :now)`,
)

/**
 * Writes one delivery per webhook that wants the event, in the commit that records it: neither exists without the other.
 * A paused webhook gets its deliveries too; nothing claims them, so they are held.
 * @param wake called after the commit with each active webhook that got a delivery.
 */
export function createEnqueue(deps: {
  ids: Pick<Ids, 'delivery'>
  wake: (webhooks: readonly { seq: number; maxInFlight: number }[]) => void
}): InCommit<EventType> {
  return {
    phase: 'enqueue',
    on: EVENT_TYPES,
    run: async (tx, { accountId, accountSeq, instanceSeq, type, seq: eventSeq, createdAtMs: now }) => {
      const woken: { seq: number; maxInFlight: number }[] = []
      for (const webhook of await tx.all(subscribed, { accountId })) {
        if (!wants(webhook.events, type)) continue
        const webhookSeq = webhook.seq
        const [seq, id] = [await tx.next('deliveries'), deps.ids.delivery()]
        await tx.run(insert, { seq, id, accountSeq, webhookSeq, eventSeq, instanceSeq, eventType: type, now })
        if (webhook.state === 'active') woken.push(webhook)
      }
      if (woken.length > 0) tx.afterCommit(() => deps.wake(woken))
    },
  }
}

/** `events` is a JSON array of known words, so a quoted word in its text is an entry. Parsing it costs ten times that. */
function wants(events: string, type: string): boolean {
  return events === '["*"]' || events.includes(`"${type}"`)
}
