import { EVENT_TYPES, type EventType } from '../../contract/events.ts'
import type { InCommit } from '../../kernel/ledger.ts'
import type { EventName } from './contract.ts'
import { NAME_OF, wants } from './event-names.ts'
import { type DueInstance, endWebhook, insertCall, namesOf } from './store.ts'

/**
 * Records a call in the commit of its event, so that neither exists without the other. A deleted instance is called
 * one last time if its webhook includes connection events; then its webhook ends.
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
      // This room wrote it with valid names only.
      if (!wants(JSON.parse(found.events) as EventName[], name)) return
      await tx.run(insertCall, { eventSeq, instanceId, name, now })
      tx.afterCommit(() => markDue({ instanceId, accountId }))
    },
  }
}
