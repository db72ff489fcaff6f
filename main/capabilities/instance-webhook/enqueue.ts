import { EVENT_TYPES, type EventType } from '../../contract/events.ts'
import type { InCommit } from '../../kernel/ledger.ts'
import type { EventName } from './contract.ts'
import { NAME_OF, wants } from './event-names.ts'
import { type DueInstance, endWebhook, insertCall, namesOf } from './store.ts'

/**
 * Notes a call in the commit that records its event: neither exists without the other. A deleted instance is called one
 * last time, if it listens to its connection, and then its webhook has ended.
 * @param markDue called after the commit.
 */
export function createEnqueue({ markDue }: { markDue: (due: DueInstance) => void }): InCommit<EventType> {
  return {
    phase: 'enqueue',
    on: EVENT_TYPES,
    run: async (tx, { type, instanceId, accountId, seq: eventSeq, createdAtMs: now }) => {
      const found = await tx.one(namesOf, { instanceId })
      if (found === undefined) return
      if (type === 'instance.deleted') await tx.run(endWebhook, { instanceId, now })
      const name = NAME_OF[type]
      // Written by this room from names it had checked.
      if (!wants(JSON.parse(found.events) as EventName[], name)) return
      await tx.run(insertCall, { eventSeq, instanceId, name, now })
      tx.afterCommit(() => markDue({ instanceId, accountId }))
    },
  }
}
