import { charactersIn } from '../../contract/message-limits.ts'
import type { TemplateDraft } from '../templates.ts'

/*
 * What Meta takes as a template, and what its review approves. Sources: "Template components" of 2026-05-06 and
 * "Template review" of 2025-10-31 in Meta's documentation of the WhatsApp Business Platform.
 */

type Json = Readonly<Record<string, unknown>>

const LONGEST = { header: 60, body: 1_024, footer: 60, quickReply: 25, buttons: 10 } as const
const MOST_OF_A_KIND: Readonly<Record<string, number>> = {
  ...{ QUICK_REPLY: 10, URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1, FLOW: 1, VOICE_CALL: 1, CATALOG: 1, MPM: 1 },
  ...{ SPM: 1, REQUEST_CONTACT_INFO: 1 },
}
const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION']
const HEADERS = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']
/** A body has at least this many words for each of its variables. */
const WORDS_PER_VARIABLE = 3

/** Why a template is refused when it is submitted, in Meta's style; undefined: it is not. */
export function refusalOf({ name, language, category, components }: TemplateDraft): string | undefined {
  if (!/^[a-z0-9_]{1,512}$/.test(name))
    return 'Message template name can only have lowercase letters, numbers and underscores.'
  if (!/^[a-z]{2,3}(_[A-Z]{2,3})?$/.test(language)) return `Language ${language} is not supported.`
  if (!CATEGORIES.includes(category)) return 'Category must be MARKETING, UTILITY or AUTHENTICATION.'
  return componentsRefusal(components, category)
}

/** The same for components alone. */
export function componentsRefusal(given: readonly object[], category: string): string | undefined {
  const components = given as readonly Json[]
  const of = (type: string) => components.filter((component) => component['type'] === type)
  const unknown = components.find(({ type }) => !['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].includes(String(type)))
  if (unknown !== undefined) return `Component type ${String(unknown['type'])} is not valid.`
  for (const type of ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'])
    if (of(type).length > 1) return `A template has at most one component of type ${type}.`
  const [[header], [body], [footer], [buttons]] = [of('HEADER'), of('BODY'), of('FOOTER'), of('BUTTONS')]
  if (body === undefined) return 'A template needs a component of type BODY.'
  // Meta writes the text of one-time passwords itself.
  if (category !== 'AUTHENTICATION') {
    const refusal = textRefusal(body, 'body')
    if (refusal !== undefined) return refusal
  }
  return (header && headerRefusal(header)) ?? (footer && footerRefusal(footer)) ?? (buttons && buttonsRefusal(buttons))
}

function headerRefusal(header: Json): string | undefined {
  const { format } = header
  if (!HEADERS.includes(String(format))) return `Header format ${String(format)} is not valid.`
  if (format === 'LOCATION') return undefined
  if (format === 'TEXT') {
    if (/[\n*_~`]|\p{Extended_Pictographic}/u.test(String(header['text'])))
      return 'The header cannot have new lines, formatting or emojis.'
    if (variablesOf(header['text']).length > 1) return 'The header can have one variable at most.'
    return textRefusal(header, 'header')
  }
  const example = header['example'] as Json | undefined
  return Array.isArray(example?.['header_handle']) && example['header_handle'].length === 1
    ? undefined
    : 'A header with a file needs a sample: example.header_handle.'
}

function footerRefusal(footer: Json): string | undefined {
  return variablesOf(footer['text']).length > 0 ? 'The footer cannot have variables.' : textRefusal(footer, 'footer')
}

function textRefusal({ text, example }: Json, part: 'header' | 'body' | 'footer'): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return `The ${part} needs a text.`
  if (charactersIn(text) > LONGEST[part]) return `The ${part} can have ${LONGEST[part]} characters at most.`
  const variables = variablesOf(text)
  const numbers = variables.filter((name) => /^\d+$/.test(name))
  if (numbers.length > 0 && numbers.length < variables.length) return 'Variables are either all numbered or all named.'
  if (numbers.some((name, at) => Number(name) !== at + 1)) return 'Variables must be numbered without gaps, from {{1}}.'
  return variables.length > examplesOf(example, part) ? `The ${part} needs an example of each variable.` : undefined
}

function examplesOf(example: unknown, part: string): number {
  const given = (example ?? {}) as Json
  const named = given[`${part}_text_named_params`]
  const isGiven = (text: unknown) => typeof text === 'string' && text.trim() !== ''
  if (Array.isArray(named)) return (named as Json[]).filter((one) => isGiven(one['example'])).length
  const texts: unknown = given[`${part}_text`]
  if (!Array.isArray(texts)) return 0
  return (Array.isArray(texts[0]) ? texts[0] : texts).filter(isGiven).length
}

function buttonsRefusal({ buttons }: Json): string | undefined {
  if (!Array.isArray(buttons) || buttons.length === 0) return 'BUTTONS needs at least one button.'
  if (buttons.length > LONGEST.buttons) return `A template has at most ${LONGEST.buttons} buttons.`
  const kinds = (buttons as Json[]).map(({ type }) => String(type))
  for (const [kind, mine] of Map.groupBy(kinds, (name) => name)) {
    const most = Object.hasOwn(MOST_OF_A_KIND, kind) ? MOST_OF_A_KIND[kind] : undefined
    if (most === undefined) return `Button type ${kind} is not valid.`
    if (mine.length > most) return `A template has at most ${most} buttons of type ${kind}.`
  }
  const replies = kinds.map((kind) => kind === 'QUICK_REPLY')
  if (replies.filter((isReply, at) => isReply && replies[at - 1] !== true).length > 1)
    return 'Quick replies must stand together.'
  const long = (buttons as Json[]).find(
    ({ text }) => typeof text === 'string' && charactersIn(text) > LONGEST.quickReply,
  )
  return long && `The text of a button can have ${LONGEST.quickReply} characters at most.`
}

/** What Meta's review says: the reason of a rejection, or null for an approval. */
export function rejectionOf(components: readonly object[]): 'INVALID_FORMAT' | null {
  const body = (components as readonly Json[]).find(({ type }) => type === 'BODY')
  const text = typeof body?.['text'] === 'string' ? body['text'].trim() : ''
  const variables = variablesOf(text).length
  if (variables === 0) return null
  if (/^\{\{|\}\}$|\}\}\s*\{\{/.test(text)) return 'INVALID_FORMAT'
  const words = text
    .replaceAll(/\{\{[^{}]*\}\}/g, ' ')
    .split(/\s+/)
    .filter(Boolean).length
  return words < variables * WORDS_PER_VARIABLE ? 'INVALID_FORMAT' : null
}

/** Names or numbers between double braces, in order, each one once. */
function variablesOf(text: unknown): string[] {
  if (typeof text !== 'string') return []
  return [...new Set([...text.matchAll(/\{\{([a-z0-9_]+)\}\}/g)].map(([, name]) => name ?? ''))]
}
