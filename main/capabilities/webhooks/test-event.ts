import { EVENT_EXAMPLES } from '../../contract/event-examples.ts'
import { EVENT_TYPES, type EventType } from '../../contract/events.ts'
import { isoTime } from '../../contract/request.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId, Ids, InstanceId } from '../../kernel/ids.ts'
import type { Fact, QuietLedger } from '../../kernel/ledger.ts'
import { sql } from '../../kernel/sql.ts'
import { insertRequestedDelivery, requireActive } from './requested-delivery.ts'
import { noSuchWebhook } from './rotation.ts'
import { FRESH } from './states.ts'
import { webhookById } from './store.ts'

/** A test event belongs to this webhook alone: no list of what happened shows it, no replay hands it to another. */
const reserveForWebhook = sql<{ seq: number; webhook: number }>(
  'UPDATE events SET only_for = :webhook WHERE seq = :seq',
)

/** The instance id of test events; no instance has it. */
export const TEST_INSTANCE_ID = '00000000-0000-0000-0000-000000000000' as InstanceId

interface TestEventDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'delivery'>
  readonly ledger: QuietLedger
  readonly wake: (webhooks: readonly { seq: number; maxInFlight: number }[]) => void
}

/** Sends a webhook an example, as a delivery like any other: signed, logged, tried again. */
export function createTestEvent({ db, clock, ids, ledger, wake }: TestEventDeps) {
  /** @throws ApiError not_found, invalid_state when the webhook is not active. */
  return function test(accountId: AccountId, id: string): Promise<{ delivery_id: string }> {
    return db.commit(async (tx) => {
      const webhook = await tx.one(webhookById, { id, accountId })
      if (!webhook) throw noSuchWebhook()
      requireActive(webhook)
      const now = clock.now()
      const type = exampleType(webhook.events)
      const event = await ledger.record(tx, example(accountId, type, now))
      await tx.run(reserveForWebhook, { seq: event.seq, webhook: webhook.seq })
      const delivery = ids.delivery()
      await tx.run(insertRequestedDelivery, {
        seq: await tx.next('deliveries'),
        id: delivery,
        accountSeq: event.accountSeq,
        webhookSeq: webhook.seq,
        eventSeq: event.seq,
        instanceSeq: event.instanceSeq,
        eventType: type,
        lane: FRESH,
        now,
        dueAt: now,
        gap: 0,
      })
      tx.afterCommit(() => wake([webhook]))
      return { delivery_id: delivery }
    })
  }
}

/** A type the webhook listens to: the one most receivers are written for, else the first of its list. */
function exampleType(events: string): EventType {
  const listed = JSON.parse(events) as (EventType | '*')[]
  const usual = 'message.received'
  if (listed.includes('*') || listed.includes(usual)) return usual
  return EVENT_TYPES.find((type) => listed.includes(type)) ?? usual
}

function example(accountId: AccountId, type: EventType, nowMs: number): Fact {
  return {
    accountId,
    instanceId: TEST_INSTANCE_ID,
    type,
    instance: { id: TEST_INSTANCE_ID, external_ref: null, metadata: null, engine: 'smv2' },
    // It is of no instance, so its number in the instance is 0, which no event has.
    data: { ...EVENT_EXAMPLES[type], test: true, occurred_at: isoTime(nowMs), sequence: 0 },
  }
}
