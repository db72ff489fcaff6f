import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { OptOuts } from '../opt-outs/index.ts'
import { addContact, setTerms } from './edit.ts'
import {
  contactOf,
  contactsOfInstance,
  moveContact,
  rehomeIdentities,
  moveTags,
  moveTerms,
  reassign,
  setLastIn,
  setLastOut,
  setNames,
  type InstanceContact,
} from './store.ts'

interface Move {
  readonly id: InstanceId
  readonly from: AccountId
  readonly to: AccountId
}

/**
 * Contacts that an instance has talked with move with it. If other instances of the old account have talked with them
 * too, they also stay there. Tags and assigned names stay in the old account.
 */
export async function transferContacts(
  tx: Tx,
  { id: instanceId, from, to }: Move,
  optOuts: Pick<OptOuts, 'carryOver'>,
): Promise<void> {
  const all = await tx.all(contactsOfInstance, { instanceId })
  await optOuts.carryOver(
    tx,
    from,
    to,
    instanceId,
    all.map(({ number }) => number),
  )
  for (const contact of all) {
    const known = await tx.one(contactOf, { accountId: to, number: contact.number })
    if (known === undefined && contact.others === 0) {
      for (const statement of [moveContact, moveTerms, moveTags, rehomeIdentities])
        await tx.run(statement, { seq: contact.seq, to })
      continue
    }
    const { seq } = known ?? (await copyOf(tx, contact, to))
    await tx.run(reassign, { instanceId, from: contact.seq, to: seq })
    if (contact.inAtMs !== null) await tx.run(setLastIn, { seq, at: contact.inAtMs })
    if (contact.outAtMs !== null) await tx.run(setLastOut, { seq, at: contact.outAtMs })
  }
}

async function copyOf(tx: Tx, { phone, pushName, createdAtMs: now }: InstanceContact, to: AccountId) {
  const contact = await addContact(tx, { accountId: to, phone, now })
  const { seq } = contact
  await tx.run(setNames, { seq, givenName: null, pushName, now })
  await setTerms(tx, to, seq, pushName)
  return contact
}
