import type { Db } from '../../kernel/db.ts'
import { REKEYING_PORTION as rows, rekey } from '../../kernel/rekeying.ts'
import { setWrittenNumber, writtenAfter } from './inbox-store.ts'
import {
  contactOf,
  contactsAfter,
  itemsAfter,
  putContact,
  removeContact,
  setItemNumber,
  type ContactRow,
  type Numbered,
} from './outbox-store.ts'

/** Replaces the keys that earlier versions stored for people. */
export async function rekeyPeople(db: Db): Promise<void> {
  await rekey<ContactRow>(db, {
    table: 'crm_contacts',
    page: (after) => db.read(contactsAfter, { queue: after?.queue ?? '', number: after?.number ?? '', rows }),
    async move(tx, row, number) {
      const { queue } = row
      const known = await tx.one(contactOf, { queue, number })
      for (const gone of [number, row.number]) await tx.run(removeContact, { queue, number: gone })
      await tx.run(putContact, { ...united(row, known), queue, number })
    },
  })
  await rekey<Numbered>(db, {
    table: 'crm_outbox',
    page: (after) => db.read(itemsAfter, { after: after?.seq ?? -1, rows }),
    move: (tx, { seq }, number) => tx.run(setItemNumber, { seq, number }),
  })
  await rekey<Numbered>(db, {
    table: 'crm_inbox',
    page: (after) => db.read(writtenAfter, { after: after?.seq ?? -1, rows }),
    move: (tx, { seq }, number) => tx.run(setWrittenNumber, { seq, number }),
  })
}

/** The CRM may have two contacts of the person: messages continue in one. An opt-out of either one applies. */
export function united(row: ContactRow, known: ContactRow | undefined): ContactRow {
  if (known === undefined) return row
  const [one, other] = known.contactId === null ? [row, known] : [known, row]
  return { ...one, chat: one.chat ?? other.chat, dnd: one.dnd === 1 || other.dnd === 1 ? 1 : 0 }
}
