import type { CallPart } from '../../contract/approval.ts'

/** The first values of a list that may be long, and how many there are. */
export type Excerpt = Pick<CallPart, 'values' | 'total'>

/** For longer lists, the first values are named and the others counted. The window shows all under Details. */
const LIST_CHARACTERS = 1_500

/** A part with one value, or without any. */
export const part = (kind: CallPart['kind'], value?: string, name: string | null = null): CallPart => ({
  kind,
  name,
  values: value === undefined ? [] : [value],
  total: 1,
})

/** At least the first item, then as many as fit the limit. */
export function firstOf(items: readonly string[]): Excerpt {
  let length = 0
  const fitting = items.findIndex((item, at) => {
    length += item.length + 2
    return at > 0 && length > LIST_CHARACTERS
  })
  return { values: fitting === -1 ? [...items] : items.slice(0, fitting), total: items.length }
}

/**
 * Texts of messages, their recipients, and names. The assistant may lack the right to read them, so only the window
 * shows them.
 */
const UNSPOKEN = ['message_text', 'message_type', 'message_chat', 'named'] as const
type SpokenPart = CallPart & { readonly kind: Exclude<CallPart['kind'], (typeof UNSPOKEN)[number]> }
const isSpoken = (each: CallPart): each is SpokenPart => !UNSPOKEN.some((kind) => kind === each.kind)

/** One English sentence about what a call does. The assistant gets it as well. */
export function sentenceOf(summary: string, parts: readonly CallPart[]): string {
  const destination = parts.find(({ kind }) => kind === 'destination')
  const subject = destination === undefined ? summary : `${summary} (sends to ${destination.values[0]})`
  const others = parts.flatMap((each) => (each !== destination && isSpoken(each) ? [wordsOf(each)] : []))
  return others.length === 0 ? `${subject}.` : `${subject}: ${others.join(', ')}.`
}

function wordsOf({ kind, name, values, total }: SpokenPart): string {
  const list = listOf({ values, total })
  switch (kind) {
    case 'subject':
    case 'destination':
    case 'numbers':
      return list
    case 'value':
      return `${name}: ${list}`
    case 'group':
      return `${name}: group ${list}`
    case 'list':
      return `${name}: [${list}]`
    case 'people':
      return `${name}: ${people(total)} (${list})`
    case 'campaign_people':
      return `recipients: ${people(Number(values[0]))}`
    case 'campaign_message':
      return `message: ${values[0]}${variations(total)}`
    case 'campaign_template':
      return `message: template ${values[0]}${variations(total)}`
    case 'campaign_file':
      return `message: a file${variations(total)}`
    case 'campaign_numbers':
      return `from ${list}`
    case 'cost_of_meta':
      return 'cost: Meta charges for each message of an official number'
    case 'cost_estimate':
      return `cost: about ${values.join(' and ')} to Meta`
    case 'cost_unknown':
      return `cost: unknown for ${messages(Number(values[0]))}`
    case 'cost_free':
      return 'cost: free at Meta this month'
    case 'cost_none':
      return 'cost: none from WhatsApp'
  }
}

function listOf({ values, total }: Excerpt): string {
  const named = values.join(', ')
  return values.length >= total ? named : `${named} and ${total - values.length} more, ${total} in all`
}

const people = (count: number): string => `${count} ${count === 1 ? 'person' : 'people'}`
const messages = (count: number): string => `${count} ${count === 1 ? 'message' : 'messages'}`
const variations = (total: number): string => (total === 1 ? '' : ` and ${total - 1} other variations`)
