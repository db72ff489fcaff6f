import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { moveWritten } from './inbox-store.ts'
import type { Links } from './links.ts'
import { contactOf, moveItems, putContact, removeContact } from './outbox-store.ts'
import { united } from './rekey.ts'

/**
 * The contact in each CRM of the instance now belongs to the other number, with the waiting items in both directions.
 */
export function createMove(links: Pick<Links, 'ofInstance'>): MovePerson {
  return async (tx, { instanceId, from, to }) => {
    const [before, number] = [personKey(from), personKey(to)]
    if (before === number) return
    for (const { seq: linkSeq, queue } of await links.ofInstance(instanceId, tx)) {
      const row = await tx.one(contactOf, { queue, number: before })
      if (row !== undefined) {
        const known = await tx.one(contactOf, { queue, number })
        for (const gone of [before, number]) await tx.run(removeContact, { queue, number: gone })
        await tx.run(putContact, { ...united(row, known), queue, number, chat: known?.chat ?? to })
      }
      await tx.run(moveItems, { queue, from: before, to: number })
      await tx.run(moveWritten, { linkSeq, from: before, to: number })
    }
  }
}
