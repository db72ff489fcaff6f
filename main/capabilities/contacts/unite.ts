import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { REKEYING_PORTION, rekey } from '../../kernel/rekeying.ts'
import { setTerms } from './edit.ts'
import { reverse } from './name-terms.ts'
import {
  contactOf,
  contactsAfter,
  copyTags,
  moveIdentities,
  instancesOfContact,
  removeContact,
  removeInstances,
  removeTags,
  removeTerms,
  setInstanceIn,
  setInstanceOut,
  setLastIn,
  setLastOut,
  setNames,
  setNumber,
  type Contact,
  type OwnedContact,
} from './store.ts'

/** Merges two contacts of one person: the older one is kept and gets what only the other had. */
export async function unite(tx: Tx, accountId: AccountId, one: Contact, other: Contact): Promise<Contact> {
  const [older, newer] = one.seq < other.seq ? [one, other] : [other, one]
  const { seq } = older
  await tx.run(copyTags, { from: newer.seq, to: seq })
  await tx.run(moveIdentities, { from: newer.seq, to: seq })
  for (const { instanceId, lastInAtMs, lastOutAtMs } of await tx.all(instancesOfContact, { seq: newer.seq })) {
    if (lastInAtMs !== null) await tx.run(setInstanceIn, { seq, instanceId, at: lastInAtMs })
    if (lastOutAtMs !== null) await tx.run(setInstanceOut, { seq, instanceId, at: lastOutAtMs })
  }
  if (newer.lastInAtMs !== null) await tx.run(setLastIn, { seq, at: newer.lastInAtMs })
  if (newer.lastOutAtMs !== null) await tx.run(setLastOut, { seq, at: newer.lastOutAtMs })
  for (const statement of [removeTerms, removeTags, removeInstances, removeContact])
    await tx.run(statement, { seq: newer.seq })
  const givenName = older.givenName ?? newer.givenName
  const pushName = older.pushName ?? newer.pushName
  await tx.run(setNames, { seq, givenName, pushName, now: Math.max(older.updatedAtMs, newer.updatedAtMs) })
  await setTerms(tx, accountId, seq, givenName ?? pushName)
  return older
}

/** Replaces the keys of contacts from earlier versions by those that are compared now. */
export const rekeyContacts = (db: Db): Promise<number> =>
  rekey<OwnedContact>(db, {
    table: 'contacts',
    page: (after) => db.read(contactsAfter, { after: after?.seq ?? -1, rows: REKEYING_PORTION }),
    async move(tx, row, number) {
      const { accountId } = row
      const known = await tx.one(contactOf, { accountId, number })
      const { seq } = known === undefined ? row : await unite(tx, accountId, known, row)
      await tx.run(setNumber, { seq, number, reversed: reverse(number) })
    },
  })
