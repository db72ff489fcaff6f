import { LIMITS } from '../../contract/limits.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Ledger } from '../../kernel/ledger.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import type { MovePerson } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { Instances } from '../instances/index.ts'
import type { OptOuts, Reader } from '../opt-outs/index.ts'
import { createEdit, type ContactEdit } from './edit.ts'
import { identitiesOf, type Identity } from './identities.ts'
import { createMove } from './move.ts'
import { createRecorder } from './recorder.ts'
import { createSearch } from './search.ts'
import { createTagCounts, type TagCount } from './tags.ts'
import { transferContacts } from './transfer.ts'
import {
  contactOf,
  contactOfIdentity,
  identitiesOfContacts,
  contactsWithTag,
  instancesOfContacts,
  lastContactOf,
  putIdentity,
  removeOfInstance,
  removeUsername,
  tagsOfContacts,
  usernameOf,
  type Contact,
} from './store.ts'

export type { Contact } from './store.ts'

export interface ContactsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ledger: Pick<Ledger, 'inCommit'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly instances: Pick<Instances, 'subscribe'>
  readonly optOuts: Pick<OptOuts, 'record' | 'lift' | 'optedOutOf' | 'country' | 'carryOver'>
}

/** When a person last exchanged messages with the requested instances. */
interface LastContact {
  readonly lastInAtMs: number | null
  readonly lastOutAtMs: number | null
}

/** A contact with all details of its record. */
export interface ContactDetail {
  readonly contact: Contact
  readonly tags: readonly string[]
  readonly isOptedOut: boolean
  /** All names of the person, the number first. */
  readonly identities: readonly Identity[]
  readonly instances: readonly (LastContact & { readonly instanceId: string })[]
}

export interface Contacts extends ContactEdit {
  /** All contacts with the tag, newest first, read in portions; the data may change meanwhile. */
  withTag(accountId: AccountId, tag: string): AsyncIterable<{ readonly phone: string; readonly name: string | null }>
  /**
   * Keyed by the given number; numbers without messages are left out. May be a minute out of date.
   * @param instanceIds null: all.
   */
  lastContact(
    read: Reader,
    accountId: AccountId,
    instanceIds: readonly string[] | null,
    phones: readonly string[],
  ): Promise<ReadonlyMap<string, LastContact>>
  /** The given numbers that have written to one of the instances; all others are new contacts. */
  known(
    read: Reader,
    accountId: AccountId,
    instanceIds: readonly string[] | null,
    phones: readonly string[],
  ): Promise<ReadonlySet<string>>
  readonly search: ReturnType<typeof createSearch>
  /** @param phone number in any notation, or a hidden id. */
  find(accountId: AccountId, phone: string): Promise<Contact | undefined>
  readonly movePerson: MovePerson
  /** A person has this username now. Recorded only for contacts. */
  onUsername(accountId: AccountId, named: { readonly person: string; readonly username: string }): Promise<void>
  /** Names from the address book of a number's owner. Contacts that already have a name keep it. */
  onAddressBook(
    accountId: AccountId,
    people: readonly { readonly phone: string; readonly name: string }[],
  ): Promise<void>
  /**
   * Numbers and hidden ids, in the form of `personKey`, of contacts whose name or username matches.
   * @param most limit of contacts that are checked
   */
  addressesOf(accountId: AccountId, q: string, most: number): Promise<ReadonlySet<string>>
  /** null for a person who is not a contact, or has no known name. */
  nameOf(accountId: AccountId, phone: string): Promise<string | null>
  /** Names of contacts, for screens that have only numbers or hidden ids. */
  namesOf(accountId: AccountId, phones: readonly string[]): Promise<readonly PersonNames[]>
  detail(accountId: AccountId, contacts: readonly Contact[]): Promise<readonly ContactDetail[]>
  tags(accountId: AccountId): Promise<readonly TagCount[]>
  /** The default country for numbers without a country code; null: they are refused. */
  country(accountId: AccountId): Promise<string | null>
}

interface PersonNames {
  /** As given in the request. */
  readonly phone: string
  readonly name: string | null
  /** null: the person hides it. */
  readonly number: string | null
  readonly username: string | null
}

const PORTION = 1_000

export const nameOf = ({ givenName, pushName }: Contact): string | null => givenName ?? pushName

export function createContacts({ db, clock, ledger, live, instances, optOuts }: ContactsDeps): Contacts {
  const outside: Reader = { all: db.read, one: db.readOne }
  const recorder = createRecorder({ clock, live })
  ledger.inCommit(recorder.inCommit)
  instances.subscribe(async (tx, change) => {
    if (change.kind === 'deleted') await tx.run(removeOfInstance, { instanceId: change.id })
    if (change.kind !== 'transferred') return
    await transferContacts(tx, change, optOuts)
    tx.afterCommit(() => {
      recorder.forget()
      for (const accountId of [change.from, change.to]) live.publish(accountId, { topic: 'contacts' })
    })
  })

  const edit = createEdit({ clock, optOuts, live, onRemoved: recorder.forget })

  const find: Contacts['find'] = async (accountId, phone) =>
    (await db.readOne(contactOf, { accountId, number: personKey(phone) })) ??
    db.readOne(contactOfIdentity, { accountId, value: phone })

  const lastContact: Contacts['lastContact'] = async (read, accountId, instanceIds, phones) => {
    const wanted = instanceIds === null ? null : new Set(instanceIds)
    const numbers = [...new Set(phones.map(personKey))]
    const turns = await lastContactOf.over(numbers, { accountId }, (statement, params) => read.all(statement, params))
    const found = new Map<string, LastContact>()
    for (const { number, instanceId, lastInAtMs, lastOutAtMs } of turns.flat()) {
      if (wanted?.has(instanceId) === false) continue
      const before = found.get(number)
      found.set(number, {
        lastInAtMs: later(before?.lastInAtMs, lastInAtMs),
        lastOutAtMs: later(before?.lastOutAtMs, lastOutAtMs),
      })
    }
    return new Map(
      phones.flatMap((phone) => {
        const last = found.get(personKey(phone))
        return last === undefined ? [] : [[phone, last] as const]
      }),
    )
  }

  const search = createSearch(db)

  return {
    ...edit,
    async *withTag(accountId, tag) {
      for (let beforeSeq = Number.MAX_SAFE_INTEGER; ;) {
        const found = await db.read(contactsWithTag, { accountId, tag, beforeSeq, rows: PORTION })
        for (const contact of found) yield { phone: contact.phone, name: nameOf(contact) }
        const last = found.at(-1)
        if (last === undefined || found.length < PORTION) return
        beforeSeq = last.seq
      }
    },
    lastContact,
    async known(read, accountId, instanceIds, phones) {
      const last = await lastContact(read, accountId, instanceIds, phones)
      return new Set(phones.filter((phone) => (last.get(phone)?.lastInAtMs ?? null) !== null))
    },
    search,
    find,
    movePerson: createMove({
      clock,
      onMoved(accountId) {
        recorder.forget()
        live.publish(accountId, { topic: 'contacts' })
      },
    }),
    async onUsername(accountId, { person, username }) {
      const contact = await find(accountId, person)
      if (contact === undefined) return
      const { seq } = contact
      if ((await db.readOne(usernameOf, { seq }))?.value === username) return
      await db.commit(async (tx) => {
        await tx.run(removeUsername, { seq })
        await tx.run(putIdentity, { accountId, seq, kind: 'username', value: username })
        tx.afterCommit(() => live.publish(accountId, { topic: 'contacts' }))
      })
    },
    async onAddressBook(accountId, people) {
      await db.commit(async (tx) => {
        for (const { phone, name: given } of people) {
          const known = await tx.one(contactOf, { accountId, number: personKey(phone) })
          if (known !== undefined && known.givenName !== null) continue
          const name = given.slice(0, LIMITS.contactNameLength)
          await edit.save(tx, accountId, phone, { name, source: 'import' })
        }
      })
    },
    async addressesOf(accountId, q, most) {
      const { contacts } = await search(accountId, { q }, { after: undefined, limit: most, country: null })
      const names = await identitiesOfContacts.over(
        contacts.map(({ seq }) => seq),
        {},
        (statement, params) => db.read(statement, params),
      )
      const hidden = names.flat().flatMap(({ kind, value }) => (kind === 'username' ? [] : [value]))
      return new Set([...contacts.map(({ number }) => number), ...hidden])
    },
    async nameOf(accountId, phone) {
      const contact = await find(accountId, phone)
      return contact === undefined ? null : nameOf(contact)
    },
    async namesOf(accountId, phones) {
      const asked = await Promise.all(phones.map(async (phone) => ({ phone, contact: await find(accountId, phone) })))
      const known = asked.flatMap(({ phone, contact }) => (contact === undefined ? [] : [{ phone, contact }]))
      const seqs = [...new Set(known.map(({ contact }) => contact.seq))]
      const rows = (await identitiesOfContacts.over(seqs, {}, (statement, params) => db.read(statement, params))).flat()
      return known.map(({ phone, contact }) => {
        const identities = identitiesOf(
          contact,
          rows.filter(({ seq }) => seq === contact.seq),
        )
        const valueOf = (wanted: Identity['kind']) => identities.find(({ kind }) => kind === wanted)?.value ?? null
        return { phone, name: nameOf(contact), number: valueOf('phone'), username: valueOf('username') }
      })
    },

    async detail(accountId, contacts) {
      const seqs = contacts.map(({ seq }) => seq)
      const [tags, lines, names, optedOut] = await Promise.all([
        tagsOfContacts.over(seqs, {}, (statement, params) => db.read(statement, params)),
        instancesOfContacts.over(seqs, {}, (statement, params) => db.read(statement, params)),
        identitiesOfContacts.over(seqs, {}, (statement, params) => db.read(statement, params)),
        optOuts.optedOutOf(
          outside,
          accountId,
          [],
          contacts.map(({ phone }) => phone),
        ),
      ])
      return contacts.map((contact) => ({
        contact,
        tags: tags.flat().flatMap(({ seq, value }) => (seq === contact.seq ? [value] : [])),
        isOptedOut: optedOut.has(contact.phone),
        identities: identitiesOf(
          contact,
          names.flat().filter(({ seq }) => seq === contact.seq),
        ),
        instances: lines.flat().filter(({ seq }) => seq === contact.seq),
      }))
    },
    tags: createTagCounts(db),
    country: optOuts.country,
  }
}

const later = (one: number | null | undefined, other: number | null): number | null =>
  one === null || one === undefined ? other : Math.max(one, other ?? 0)
