import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { personKey, parsePhone, readPhone } from '../../kernel/phone-number.ts'
import { endOfPrefix, reverse, termsOf } from './name-terms.ts'
import {
  contactOf,
  contactsByFirstDigits,
  contactsByLastDigits,
  contactsByTerm,
  contactsByUsername,
  contactsWithTag,
  newestContacts,
  tagsOfContacts,
  termsOfContacts,
  type Contact,
} from './store.ts'

export interface ContactQuery {
  readonly q?: string | undefined
  readonly tag?: string | undefined
  /** A number in any spelling: only the contact who has it. */
  readonly phone?: string | undefined
}

/** Where a page ended; what the values are depends on the query. */
type Position = readonly (string | number | null)[]

interface Found {
  readonly contact: Contact
  readonly position: Position
}

/** Reads the next rows of a list after a position, in an order that an index has. */
type Portion = (after: Position | undefined, rows: number) => Promise<Found[]>

/** Rows that are looked through for those that fit. */
const PORTION = 500
/** Fewer digits are at the end of too many numbers. */
const LAST_DIGITS = 4
const DIGITS = /^[+\d\s().-]+$/

export function createSearch(db: Db) {
  const newest =
    (accountId: AccountId): Portion =>
    async (after, rows) => {
      const beforeSeq = Number(after?.[0] ?? Number.MAX_SAFE_INTEGER)
      const found = await db.read(newestContacts, { accountId, beforeSeq, rows })
      return found.map((contact) => ({ contact, position: [contact.seq] }))
    }

  const withTag =
    (accountId: AccountId, tag: string): Portion =>
    async (after, rows) => {
      const beforeSeq = Number(after?.[0] ?? Number.MAX_SAFE_INTEGER)
      const found = await db.read(contactsWithTag, { accountId, tag, beforeSeq, rows })
      return found.map((contact) => ({ contact, position: [contact.seq] }))
    }

  /** Its positions name the prefix too: the next page goes on with the same one. */
  const byTerm =
    (accountId: AccountId, prefix: string): Portion =>
    async (after, rows) => {
      const [afterTerm = '', afterSeq = 0] = after ?? []
      const found = await db.read(contactsByTerm, {
        ...{ accountId, rows, from: prefix, to: endOfPrefix(prefix) },
        ...{ afterTerm: String(afterTerm), afterSeq: Number(afterSeq) },
      })
      return found.map(({ term, ...contact }) => ({ contact, position: [term, contact.seq, prefix] }))
    }

  const byFirstDigits =
    (accountId: AccountId, digits: string): Portion =>
    async (after, rows) => {
      const range = { from: digits, to: endOfPrefix(digits), after: String(after?.[1] ?? '') }
      const found = await db.read(contactsByFirstDigits, { accountId, rows, ...range })
      return found.map((contact) => ({ contact, position: ['first', contact.number] }))
    }

  const byLastDigits =
    (accountId: AccountId, digits: string): Portion =>
    async (after, rows) => {
      if (digits.length < LAST_DIGITS) return []
      const from = reverse(digits)
      const found: Found[] = []
      for (let last = String(after?.[1] ?? ''); found.length < rows;) {
        const range = { from, to: endOfPrefix(from), after: last }
        const part = await db.read(contactsByLastDigits, { accountId, rows, ...range })
        for (const { reversed, ...contact } of part) {
          last = reversed
          // Else it was found by its first digits.
          if (!contact.number.startsWith(digits)) found.push({ contact, position: ['last', reversed] })
        }
        if (part.length < rows) break
      }
      return found.slice(0, rows)
    }

  const byUsername =
    (accountId: AccountId, prefix: string): Portion =>
    async (after, rows) => {
      const range = { from: prefix, to: endOfPrefix(prefix), after: String(after?.[0] ?? '') }
      const found = await db.read(contactsByUsername, { accountId, rows, ...range })
      return found.map(({ username, ...contact }) => ({ contact, position: [username] }))
    }

  /** Numbers that begin with the digits, then those that end with them. */
  const byDigits =
    (accountId: AccountId, digits: string): Portion =>
    async (after, rows) => {
      const first = after?.[0] === 'last' ? [] : await byFirstDigits(accountId, digits)(after, rows)
      if (first.length >= rows) return first
      const last = await byLastDigits(accountId, digits)(after?.[0] === 'last' ? after : undefined, rows - first.length)
      return [...first, ...last]
    }

  /** Keeps those that have every word, each only at the first of its words that matches. */
  const haveWords = async (found: readonly Found[], words: readonly string[], driver: string): Promise<Found[]> => {
    const turns = await termsOfContacts.over(seqsOf(found), {}, (statement, params) => db.read(statement, params))
    const terms = grouped(turns.flat())
    return found.filter(({ contact, position: [term] }) => {
      const own = terms.get(contact.seq) ?? []
      const first = own.filter((word) => word.startsWith(driver)).toSorted()[0]
      return first === term && words.every((word) => own.some((known) => known.startsWith(word)))
    })
  }

  const haveTag = async (found: readonly Found[], tag: string): Promise<Found[]> => {
    const turns = await tagsOfContacts.over(seqsOf(found), {}, (statement, params) => db.read(statement, params))
    const tags = grouped(turns.flat())
    return found.filter(({ contact }) => tags.get(contact.seq)?.includes(tag) === true)
  }

  /** The word with the fewest matches, or the one that the pages before went by. */
  const rarest = async (accountId: AccountId, words: readonly string[], before: unknown): Promise<string> => {
    const [only = ''] = words
    const known = words.find((word) => word === before)
    if (known !== undefined || words.length === 1) return known ?? only
    const counts = await Promise.all(
      words.map(async (word) => (await byTerm(accountId, word)(undefined, PORTION)).length),
    )
    return words[counts.indexOf(Math.min(...counts))] ?? only
  }

  const withNumber = async (accountId: AccountId, number: string, { q = '', tag }: ContactQuery): Promise<Found[]> => {
    const contact = await db.readOne(contactOf, { accountId, number })
    const found = contact === undefined ? [] : [{ contact, position: [contact.seq] }]
    const [terms] = await termsOfContacts.over(seqsOf(found), {}, (statement, params) => db.read(statement, params))
    const own = (terms ?? []).map(({ value }) => value)
    const isNamed = isDigits(q)
      ? number.includes(q.replaceAll(/\D/g, ''))
      : termsOf(q).every((word) => own.some((term) => term.startsWith(word)))
    return isNamed ? (tag === undefined ? found : haveTag(found, tag)) : []
  }

  /** @param country of numbers without a country code. @returns at most `rows`. */
  return async function search(
    accountId: AccountId,
    { phone, ...query }: ContactQuery,
    { after, rows, country }: { after: Position | undefined; rows: number; country: string | null },
  ): Promise<Found[]> {
    if (phone !== undefined) return withNumber(accountId, personKey(readPhone(phone, country) ?? phone), query)
    const { q = '', tag } = query
    const isNumber = isDigits(q)
    const whole = isNumber ? parsePhone(q, country) : undefined
    const digits = whole === undefined ? q.replaceAll(/\D/g, '') : personKey(whole)
    const username = usernameIn(q)
    const words = isNumber || username !== undefined ? [] : termsOf(q)
    const driver = words.length > 0 ? await rarest(accountId, words, after?.[2]) : undefined
    if (q !== '' && !isNumber && driver === undefined && username === undefined) return []
    const drivenByTag = !isNumber && driver === undefined && username === undefined && tag !== undefined
    const portion = isNumber
      ? byDigits(accountId, digits)
      : username !== undefined
        ? byUsername(accountId, username)
        : driver !== undefined
          ? byTerm(accountId, driver)
          : tag === undefined
            ? newest(accountId)
            : withTag(accountId, tag)
    if (driver === undefined && (tag === undefined || drivenByTag)) return portion(after, rows)
    const found: Found[] = []
    let position = after
    for (;;) {
      const part = await portion(position, PORTION)
      const named = driver === undefined ? part : await haveWords(part, words, driver)
      found.push(...(tag === undefined ? named : await haveTag(named, tag)))
      if (found.length >= rows || part.length === 0) return found.slice(0, rows)
      position = part.at(-1)?.position
    }
  }
}

/** `@ana` looks for usernames. */
const usernameIn = (q: string): string | undefined => /^@([a-z0-9._]+)$/i.exec(q.trim())?.[1]?.toLowerCase()

const isDigits = (text: string): boolean => DIGITS.test(text) && /\d/.test(text)

const seqsOf = (found: readonly Found[]) => [...new Set(found.map(({ contact }) => contact.seq))]

/** The values of each contact, by its number in the table. */
function grouped(rows: readonly { readonly seq: number; readonly value: string }[]): ReadonlyMap<number, string[]> {
  const values = new Map<number, string[]>()
  for (const { seq, value } of rows) values.set(seq, [...(values.get(seq) ?? []), value])
  return values
}
