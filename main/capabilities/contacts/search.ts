import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { personKey, parsePhone, readPhone } from '../../kernel/phone-number.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
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
  /** A number in any notation: finds only the contact with it. */
  readonly phone?: string | undefined
}

/** Where a page ended. Its values depend on the query. */
type Position = readonly (string | number | null)[]

interface Found {
  readonly contact: Contact
  readonly position: Position
}

/** A page of matching contacts. */
export interface ContactPage {
  readonly contacts: readonly Contact[]
  /** Where the next page begins; undefined on the last page. */
  readonly next: Position | undefined
}

interface Wish {
  readonly after: Position | undefined
  readonly limit: number
}

/** A list that contains all matching contacts, and its search term if it has one. */
interface Way {
  readonly portion: Portion
  readonly word: string | undefined
}

/** Reads the next rows of a list after a position, in index order. */
type Portion = (after: Position | undefined, rows: number) => Promise<Found[]>

/** Rows checked before yielding to the event loop. */
const PORTION = 500
/** Limit of contacts that are checked for one page, even if few match. The next page continues there. */
const MOST_LOOKED_THROUGH = 10_000
/** Shorter endings match too many numbers. */
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

  /** Positions include the term, because the next page must use the same one. */
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
          // Otherwise the search by first digits has found it.
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

  /** Numbers that start with the digits, then numbers that end with them. */
  const byDigits =
    (accountId: AccountId, digits: string): Portion =>
    async (after, rows) => {
      const first = after?.[0] === 'last' ? [] : await byFirstDigits(accountId, digits)(after, rows)
      if (first.length >= rows) return first
      const last = await byLastDigits(accountId, digits)(after?.[0] === 'last' ? after : undefined, rows - first.length)
      return [...first, ...last]
    }

  const wordsOf = async (found: readonly Found[]) => {
    const turns = await termsOfContacts.over(seqsOf(found), {}, (statement, params) => db.read(statement, params))
    return grouped(turns.flat())
  }

  /**
   * Keeps contacts that have every word.
   * @param driver the word that selected the list. A contact is in it once for each matching word and is kept only
   * the first time
   */
  const haveWords = async (found: readonly Found[], words: readonly string[], driver?: string): Promise<Found[]> => {
    const terms = await wordsOf(found)
    return found.filter(({ contact, position: [term] }) => {
      const own = terms.get(contact.seq) ?? []
      const isFirst = driver === undefined || own.filter((word) => word.startsWith(driver)).toSorted()[0] === term
      return isFirst && words.every((word) => own.some((known) => known.startsWith(word)))
    })
  }

  const haveTag = async (found: readonly Found[], tag: string): Promise<Found[]> => {
    const turns = await tagsOfContacts.over(seqsOf(found), {}, (statement, params) => db.read(statement, params))
    const tags = grouped(turns.flat())
    return found.filter(({ contact }) => tags.get(contact.seq)?.includes(tag) === true)
  }

  /**
   * Chooses the list of the rarest word, or of the tag if the tag is rarer. A next page uses the list of the previous
   * one.
   */
  const shortest = async (
    accountId: AccountId,
    words: readonly string[],
    tag: string | undefined,
    after: Position | undefined,
  ): Promise<Way> => {
    const byWord = (word: string): Way => ({ portion: byTerm(accountId, word), word })
    const byTag = tag === undefined ? undefined : { portion: withTag(accountId, tag), word: undefined }
    if (after !== undefined) {
      const word = words.find((one) => one === after[2])
      return word === undefined && byTag !== undefined ? byTag : byWord(word ?? '')
    }
    const [only = ''] = words
    if (words.length === 1 && byTag === undefined) return byWord(only)
    const counts = await Promise.all(words.map((word) => countOf(byWord(word))))
    const fewest = Math.min(...counts)
    if (byTag !== undefined && fewest === PORTION && (await countOf(byTag)) < PORTION) return byTag
    return byWord(words[counts.indexOf(fewest)] ?? only)
  }

  const withNumber = async (accountId: AccountId, number: string, { q = '', tag }: ContactQuery): Promise<Found[]> => {
    const contact = await db.readOne(contactOf, { accountId, number })
    const found = contact === undefined ? [] : [{ contact, position: [contact.seq] }]
    const named = isDigits(q)
      ? found.filter(() => number.includes(q.replaceAll(/\D/g, '')))
      : await haveWords(found, termsOf(q))
    return tag === undefined ? named : haveTag(named, tag)
  }

  /** Checks a list in portions, and yields to the event loop between them. */
  const lookThrough = async (
    portion: Portion,
    keep: (found: readonly Found[]) => Promise<readonly Found[]>,
    { after, limit }: Wish,
  ): Promise<ContactPage> => {
    const fitting: Found[] = []
    let position = after
    for (let looked = 0; looked < MOST_LOOKED_THROUGH;) {
      const part = await portion(position, PORTION)
      if (part.length === 0) return pageOf(fitting, limit, undefined)
      fitting.push(...(await keep(part)))
      position = part.at(-1)?.position
      if (fitting.length > limit) break
      looked += part.length
      await yieldToEventLoop()
    }
    return pageOf(fitting, limit, position)
  }

  /** @param country for numbers without a country code. */
  return async function search(
    accountId: AccountId,
    { phone, ...query }: ContactQuery,
    { country, ...wish }: Wish & { readonly country: string | null },
  ): Promise<ContactPage> {
    if (phone !== undefined) {
      const found = await withNumber(accountId, personKey(readPhone(phone, country) ?? phone), query)
      return pageOf(found, wish.limit, undefined)
    }
    const { q = '', tag } = query
    const all = async (portion: Portion) => pageOf(await portion(wish.after, wish.limit + 1), wish.limit, undefined)
    const tagged = (portion: Portion) =>
      tag === undefined ? all(portion) : lookThrough(portion, (found) => haveTag(found, tag), wish)
    if (q === '') return all(tag === undefined ? newest(accountId) : withTag(accountId, tag))
    if (isDigits(q)) {
      const whole = parsePhone(q, country)
      return tagged(byDigits(accountId, whole === undefined ? q.replaceAll(/\D/g, '') : personKey(whole)))
    }
    const username = usernameIn(q)
    if (username !== undefined) return tagged(byUsername(accountId, username))
    const words = termsOf(q)
    if (words.length === 0) return NOTHING
    const { portion, word } = await shortest(accountId, words, tag, wish.after)
    const keep = async (found: readonly Found[]) => {
      const named = await haveWords(found, words, word)
      return tag === undefined || word === undefined ? named : haveTag(named, tag)
    }
    return lookThrough(portion, keep, wish)
  }
}

const NOTHING: ContactPage = { contacts: [], next: undefined }

/** @param end where the next page begins if this one shows all matches. */
function pageOf(found: readonly Found[], limit: number, end: Position | undefined): ContactPage {
  const shown = found.slice(0, limit)
  const next = found.length > limit ? shown.at(-1)?.position : end
  return { contacts: shown.map(({ contact }) => contact), next }
}

/** Counts up to one portion. */
const countOf = async ({ portion }: Way): Promise<number> => (await portion(undefined, PORTION)).length

/** `@ana` searches for usernames. */
const usernameIn = (q: string): string | undefined => /^@([a-z0-9._]+)$/i.exec(q.trim())?.[1]?.toLowerCase()

const isDigits = (text: string): boolean => DIGITS.test(text) && /\d/.test(text)

const seqsOf = (found: readonly Found[]) => [...new Set(found.map(({ contact }) => contact.seq))]

/** The values of each contact, by its number in the table. */
function grouped(rows: readonly { readonly seq: number; readonly value: string }[]): ReadonlyMap<number, string[]> {
  const values = new Map<number, string[]>()
  for (const { seq, value } of rows) values.set(seq, [...(values.get(seq) ?? []), value])
  return values
}
