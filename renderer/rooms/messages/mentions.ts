import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { ChatMessage } from './records.ts'

/** A member of a group. */
export interface Member {
  readonly number: string
  readonly name: string | null
}

/** An @ at the caret, and the text typed after it. */
export interface MentionQuery {
  readonly start: number
  readonly words: string
}

const LONGEST_QUERY = 30
const MOST_SHOWN = 8
const DIGITS = /^\d{7,15}$/

/** The mention that is being typed at the caret. An address such as ana@example.com is not a mention. */
export function mentionQuery(text: string, caret: number): MentionQuery | undefined {
  const found = /(?:^|\s)@([^\s@]*)$/u.exec(text.slice(0, caret))
  const words = found?.[1]
  if (words === undefined || words.length > LONGEST_QUERY) return undefined
  return { start: caret - words.length - 1, words }
}

/** Finds the name of a person in the contacts. */
type NameOf = (number: string) => string | undefined

/** The names of people who wrote messages: from the contacts, otherwise the name they last wrote under. */
export function namesIn(
  messages: readonly Pick<ChatMessage, 'sender' | 'push_name'>[],
  nameOf: NameOf = () => undefined,
): Map<string, string> {
  const names = new Map<string, string>()
  for (const { sender, push_name } of messages) {
    const name = sender === null ? undefined : (nameOf(sender) ?? push_name)
    if (sender !== null && name) names.set(sender, name)
  }
  return names
}

/** The members of a group with their names. The account's own number cannot be mentioned, so it is left out. */
export function membersOf(
  numbers: readonly string[],
  messages: readonly Pick<ChatMessage, 'sender' | 'push_name'>[],
  ownNumber: string | null,
  nameOf: NameOf = () => undefined,
): Member[] {
  const names = namesIn(messages, nameOf)
  return numbers
    .filter((number) => DIGITS.test(number) && number !== ownNumber)
    .map((number) => ({ number, name: names.get(number) ?? nameOf(number) ?? null }))
    .sort((one, other) => Number(other.name !== null) - Number(one.name !== null))
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()

/** Members whose name or number matches the typed text. Names that begin with it come first. */
export function matching(members: readonly Member[], words: string): Member[] {
  const wanted = plain(words)
  const fits = ({ name, number }: Member) => number.includes(wanted) || (name !== null && plain(name).includes(wanted))
  const begins = ({ name }: Member) => name !== null && plain(name).startsWith(wanted)
  return members
    .filter(fits)
    .sort((one, other) => Number(begins(other)) - Number(begins(one)))
    .slice(0, MOST_SHOWN)
}

/** Replaces the typed text with a mention of a member. WhatsApp requires the number in the text and shows the name. */
export function insertMention(
  text: string,
  caret: number,
  { start }: MentionQuery,
  { number }: Member,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(caret)
  const before = `${text.slice(0, start)}@${number} `
  return { text: before + rest.replace(/^ /, ''), caret: before.length }
}

/** The members whose numbers follow an @ in the text. */
export function mentionsIn(text: string, members: readonly Member[]): Member[] {
  const written = new Set([...text.matchAll(/@(\d{7,15})(?!\d)/g)].map(([, number]) => number))
  return members.filter(({ number }) => written.has(number)).slice(0, LIMITS.mentions)
}

/** Replaces mentioned numbers with names, where the name is known. */
export const withNames = (text: string, nameOf: NameOf): string =>
  text.replace(/@(\d{7,15})(?!\d)/g, (written, number: string) => {
    const name = nameOf(number)
    return name === undefined ? written : `@${name}`
  })

export function withMentions(body: SendBody, members: readonly Member[]): SendBody {
  const mentioned = mentionsIn(body.text ?? body.caption ?? '', members)
  return mentioned.length === 0 ? body : { ...body, mentions: mentioned.map(({ number }) => number) }
}
