import { charactersIn } from '../../contract/message-limits.ts'
import type { Template, TemplateDraft } from '../templates.ts'
import { authenticationRefusal } from './authentication-templates.ts'
import { buttonsRefusal } from './template-buttons.ts'
import { carouselRefusal } from './template-carousel.ts'
import { recordsIn } from '../template-text.ts'

/*
 * What Meta accepts as a template, and what its review approves. Sources: "Template components" of 2026-05-06 and
 * "Template review" of 2025-10-31 in Meta's documentation of the WhatsApp Business Platform.
 */

type Json = Readonly<Record<string, unknown>>

const LONGEST = { header: 60, body: 1_024, footer: 60 } as const
const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION']
const TYPES = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL']
const HEADERS = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT']
/** Minimum number of words in a body for each of its variables. */
const WORDS_PER_VARIABLE = 3

/** Why Meta would refuse the template when it is submitted, in Meta's words; undefined if it would not. */
export function refusalOf({ name, language, category, components, ttlSeconds }: TemplateDraft): string | undefined {
  if (!/^[a-z0-9_]{1,512}$/.test(name))
    return 'Message template name can only have lowercase letters, numbers and underscores.'
  if (!/^[a-z]{2,3}(_[A-Z]{2,3})?$/.test(language)) return `Language ${language} is not supported.`
  if (!CATEGORIES.includes(category)) return 'Category must be MARKETING, UTILITY or AUTHENTICATION.'
  const ttl = typeof ttlSeconds === 'number' ? ttlRefusal(ttlSeconds, category) : undefined
  return ttl ?? componentsRefusal(components, category)
}

/** "Configure message time-to-live", 2026-05-21. In seconds. */
const LIFETIMES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
}

export function ttlRefusal(seconds: number, category: string): string | undefined {
  const [least = 30, most = 2_592_000] = LIFETIMES[category] ?? []
  if (seconds >= least && seconds <= most) return undefined
  return `message_send_ttl_seconds must be between ${least} and ${most} for templates of category ${category}.`
}

/**
 * How long Meta tries to deliver messages with the template. Meta applies the setting of marketing templates only in
 * another of its APIs.
 */
export function lifetimeOf({ category, ttlSeconds }: Pick<Template, 'category' | 'ttlSeconds'>): number {
  const month = 2_592_000
  if (category === 'MARKETING') return month
  return ttlSeconds ?? (category === 'AUTHENTICATION' ? 600 : month)
}

/** The same for components alone. */
export function componentsRefusal(given: readonly object[], category: string): string | undefined {
  const components = given as readonly Json[]
  const of = (type: string) => components.filter((component) => component['type'] === type)
  const unknown = components.find(({ type }) => !TYPES.includes(String(type)))
  if (unknown !== undefined) return `Component type ${String(unknown['type'])} is not valid.`
  for (const type of TYPES) if (of(type).length > 1) return `A template has at most one component of type ${type}.`
  const [[header], [body], [footer], [buttons]] = [of('HEADER'), of('BODY'), of('FOOTER'), of('BUTTONS')]
  if (body === undefined) return 'A template needs a component of type BODY.'
  const [carousel] = of('CAROUSEL')
  const cards = carousel && carouselRefusal(carousel, components, category, { textRefusal: cardTextRefusal })
  if (cards !== undefined) return cards
  if (category === 'AUTHENTICATION') return authenticationRefusal(components) ?? (buttons && buttonsRefusal(buttons))
  if (kindsIn(buttons).includes('OTP')) return 'Buttons of type OTP are for templates of category AUTHENTICATION.'
  return (
    textRefusal(body, 'body') ??
    (header && headerRefusal(header)) ??
    (footer && footerRefusal(footer)) ??
    (buttons && buttonsRefusal(buttons))
  )
}

const kindsIn = (buttons: Json | undefined): unknown[] =>
  Array.isArray(buttons?.['buttons']) ? (buttons['buttons'] as Json[]).map(({ type }) => type) : []

function headerRefusal(header: Json): string | undefined {
  const { format } = header
  if (!HEADERS.includes(String(format))) return `Header format ${String(format)} is not valid.`
  if (format === 'LOCATION' || format === 'PRODUCT') return undefined
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

const cardTextRefusal = (body: Json) => textRefusal(body, 'body')

function examplesOf(example: unknown, part: string): number {
  const given = (example ?? {}) as Json
  const named = given[`${part}_text_named_params`]
  const isGiven = (text: unknown) => typeof text === 'string' && text.trim() !== ''
  if (Array.isArray(named)) return (named as Json[]).filter((one) => isGiven(one['example'])).length
  const texts: unknown = given[`${part}_text`]
  if (!Array.isArray(texts)) return 0
  return (Array.isArray(texts[0]) ? texts[0] : texts).filter(isGiven).length
}

/** Whether variables have names, which Meta accepts only in templates with `parameter_format: named`. */
export const hasNamedVariables = (components: readonly object[]): boolean =>
  (components as readonly Json[]).some(
    ({ text, cards }) =>
      variablesOf(text).some((name) => !/^\d+$/.test(name)) ||
      recordsIn(cards).some((card) => hasNamedVariables(recordsIn(card['components']))),
  )

/** The result of Meta's review: the reason of a rejection, or null for an approval. */
export function rejectionOf(components: readonly object[], category: string): 'INVALID_FORMAT' | null {
  // Meta's own text of these templates begins with a variable, which the review would reject otherwise.
  if (category === 'AUTHENTICATION') return null
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

/** The distinct names or numbers between double braces, in order. */
function variablesOf(text: unknown): string[] {
  if (typeof text !== 'string') return []
  return [...new Set([...text.matchAll(/\{\{([a-z0-9_]+)\}\}/g)].map(([, name]) => name ?? ''))]
}
