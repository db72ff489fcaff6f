import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { WHOLE_ACCOUNT, type OptOuts } from '../opt-outs/index.ts'
import type { OptOutSource } from '../opt-outs/contract.ts'
import { reverse, termsOf } from './name-terms.ts'
import {
  contactOf,
  insertContact,
  insertTag,
  insertTerm,
  removeContact,
  removeIdentities,
  removeInstances,
  removeTags,
  removeTerms,
  setNames,
  tagsOf,
  touchContact,
  type Contact,
} from './store.ts'

/** A change by a person. Fields that are left out keep their value. */
interface ContactChange {
  readonly name?: string | null | undefined
  /** Replace all tags. */
  readonly tags?: readonly string[] | undefined
  /** Tags to add to the existing ones. */
  readonly moreTags?: readonly string[] | undefined
  readonly isOptedOut?: boolean | undefined
}

interface Saved {
  readonly contact: Contact
  readonly isNew: boolean
  readonly isChanged: boolean
}

export interface ContactEdit {
  /** Creates or changes a contact in the caller's commit. */
  save(
    tx: Tx,
    accountId: AccountId,
    phone: string,
    change: ContactChange & { readonly source: OptOutSource },
  ): Promise<Saved>
  /** Names a person who has neither an assigned name nor a profile name. */
  nameOnce(tx: Tx, accountId: AccountId, phone: string, name: string): Promise<void>
  /** @returns false if the contact does not exist. */
  remove(tx: Tx, accountId: AccountId, phone: string): Promise<boolean>
}

interface EditDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly optOuts: Pick<OptOuts, 'record' | 'lift'>
  /** Called once the removal is durable. */
  readonly onRemoved: () => void
}

export function createEdit({ clock, live, optOuts, onRemoved }: EditDeps): ContactEdit {
  const changeOptOut = async (
    tx: Tx,
    accountId: AccountId,
    phone: string,
    { isOptedOut, source }: { isOptedOut?: boolean | undefined; source: OptOutSource },
  ): Promise<boolean> => {
    if (isOptedOut === undefined) return false
    if (!isOptedOut) return (await optOuts.lift(tx, accountId, phone, ({ scope }) => scope === WHOLE_ACCOUNT)) > 0
    return (await optOuts.record(tx, { accountId, phone, instanceId: null, source, note: null })).isNew
  }

  const changeTags = async (tx: Tx, accountId: AccountId, seq: number, { tags, moreTags = [] }: ContactChange) => {
    const before = (await tx.all(tagsOf, { seq })).map(({ tag }) => tag)
    const after = [...new Set([...(tags ?? before), ...moreTags])]
    if (after.length === before.length && after.every((tag) => before.includes(tag))) return false
    await tx.run(removeTags, { seq })
    for (const tag of after) await tx.run(insertTag, { seq, tag, accountId })
    return true
  }

  return {
    async save(tx, accountId, phone, change) {
      const now = clock.now()
      const number = personKey(phone)
      const known = await tx.one(contactOf, { accountId, number })
      const contact = known ?? (await addContact(tx, { accountId, phone, now }))
      const { seq, givenName, pushName } = contact
      const name = change.name === undefined ? givenName : change.name
      const isRenamed = name !== givenName
      if (isRenamed) {
        await tx.run(setNames, { seq, givenName: name, pushName, now })
        await setTerms(tx, accountId, seq, name ?? pushName)
      }
      const isTagged = await changeTags(tx, accountId, seq, change)
      const isOptedOut = await changeOptOut(tx, accountId, phone, change)
      const isChanged = isRenamed || isTagged || isOptedOut
      if (isChanged && known) await tx.run(touchContact, { seq, now })
      tx.afterCommit(() => live.publish(accountId, { topic: 'contacts' }))
      return { contact: { ...contact, givenName: name, updatedAtMs: now }, isNew: known === undefined, isChanged }
    },

    async nameOnce(tx, accountId, phone, name) {
      const now = clock.now()
      const known = await tx.one(contactOf, { accountId, number: personKey(phone) })
      const { seq, givenName, pushName } = known ?? (await addContact(tx, { accountId, phone, now }))
      if (givenName !== null || pushName !== null) return
      await tx.run(setNames, { seq, givenName: name, pushName, now })
      await setTerms(tx, accountId, seq, name)
    },

    async remove(tx, accountId, phone) {
      const contact = await tx.one(contactOf, { accountId, number: personKey(phone) })
      if (contact === undefined) return false
      for (const statement of [removeTerms, removeTags, removeInstances, removeIdentities, removeContact])
        await tx.run(statement, { seq: contact.seq })
      tx.afterCommit(onRemoved)
      return true
    },
  }
}

/** Creates a contact without a name. */
export async function addContact(
  tx: Tx,
  { accountId, phone, now }: { readonly accountId: AccountId; readonly phone: string; readonly now: number },
): Promise<Contact> {
  const number = personKey(phone)
  const contact: Contact = {
    seq: await tx.next('contacts'),
    ...{ number, phone, givenName: null, pushName: null, lastInAtMs: null, lastOutAtMs: null },
    ...{ createdAtMs: now, updatedAtMs: now },
  }
  await tx.run(insertContact, { ...contact, accountId, reversed: reverse(number) })
  return contact
}

/** Updates the search terms of a contact's name. */
export async function setTerms(tx: Tx, accountId: AccountId, seq: number, name: string | null): Promise<void> {
  await tx.run(removeTerms, { seq })
  for (const term of termsOf(name ?? '')) await tx.run(insertTerm, { seq, term, accountId })
}
