import type { LedgerSubscriber } from '../../kernel/ledger.ts'
import type { Name } from './contract.ts'
import { nameOf, wants } from './names.ts'
import { end, namesOf, note } from './store.ts'

/**
 * Notes a call in the commit that records its event: neither exists without the other. A deleted instance is called one
 * last time, if it listens to its connection, and then its webhook has ended.
 * @param stir told of the instance after the commit.
 */
export function createHear({ stir }: { stir: (instanceId: string) => void }): LedgerSubscriber {
  return async (tx, { type, instanceId, seq: eventSeq, createdAtMs: now }) => {
    const name = nameOf(type)
    const found = name && (await tx.one(namesOf, { instanceId }))
    if (!found) return
    if (type === 'instance.deleted') await tx.run(end, { instanceId, now })
    // Written by this room from names it had checked.
    if (!wants(JSON.parse(found.events) as Name[], name)) return
    await tx.run(note, { eventSeq, instanceId, name, now })
    tx.afterCommit(() => stir(instanceId))
  }
}
