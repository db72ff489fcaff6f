import { LIMITS } from './limits.ts'
import { normalizeText } from './normalize-text.ts'

/**
 * The text language of campaigns, shared by the service and the window: `{{name}}` is a variable, `{{name|friend}}` one
 * with a fallback, and `{Hi|Hello}` picks one of its options. Options nest.
 */

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly fallback: string | null }
  | { readonly kind: 'choice'; readonly options: readonly (readonly Part[])[] }

export interface CampaignText {
  readonly parts: readonly Part[]
  /** Where an opening brace has no closing one, counted from 1; null if all are closed. */
  readonly unclosedAt: number | null
  /** Where options are nested deeper than ten levels, counted from 1; null if none are. That brace is plain text. */
  readonly tooDeepAt: number | null
  /**
   * Position from 1 at which variables and options exceed one thousand; null if they do not. The rest is plain text.
   */
  readonly tooManyAt: number | null
}

const MOST_LEVELS = 10
const VARIABLE = /^\{\{([^{}|\n]{1,64})(?:\|([^{}|\n]{0,200}))?\}\}/

/** Variables are compared in this form, so that `{{ First Name }}` finds the column `first name`. */
export const variableKey = (name: string): string => normalizeText(name.trim(), 'NFC').toLowerCase()

/** Never throws. A `{word}` without options, and a `}` without an opening brace, are plain text. */
export function parseCampaignText(source: string): CampaignText {
  let at = 0
  let unclosedAt: number | null = null
  let tooDeepAt: number | null = null
  let tooManyAt: number | null = null
  let places = 0

  function partsUntil(level: number): { options: Part[][]; isClosed: boolean } {
    const isInside = level > 0
    const options: Part[][] = [[]]
    const add = (part: Part) => options.at(-1)?.push(part)
    while (at < source.length) {
      const character = source.charAt(at)
      if ((character === '{' || (isInside && character === '|')) && ++places > LIMITS.campaignPlaces) {
        tooManyAt ??= at + 1
        add({ kind: 'text', text: source.slice(at) })
        at = source.length
        break
      }
      if (isInside && (character === '|' || character === '}')) {
        at++
        if (character === '}') return { options, isClosed: true }
        options.push([])
        continue
      }
      if (character !== '{') {
        add({ kind: 'text', text: takeText(isInside) })
        continue
      }
      const variable = VARIABLE.exec(source.slice(at, at + 300))
      if (variable?.[1] !== undefined && variableKey(variable[1]) !== '') {
        at += variable[0].length
        add({ kind: 'variable', name: variableKey(variable[1]), fallback: variable[2] ?? null })
        continue
      }
      const openedAt = at++
      if (level === MOST_LEVELS) {
        tooDeepAt ??= openedAt + 1
        add({ kind: 'text', text: '{' })
        continue
      }
      const group = partsUntil(level + 1)
      if (!group.isClosed) unclosedAt ??= openedAt + 1
      if (group.options.length > 1) add({ kind: 'choice', options: group.options })
      else for (const part of literal(group)) add(part)
    }
    return { options, isClosed: false }
  }

  function takeText(isInside: boolean): string {
    const from = at
    const end = isInside ? /[{}|]/g : /\{/g
    end.lastIndex = at
    at = end.exec(source)?.index ?? source.length
    return source.slice(from, at)
  }

  const { options } = partsUntil(0)
  return { parts: options[0] ?? [], unclosedAt, tooDeepAt, tooManyAt }
}

const literal = ({ options, isClosed }: { options: Part[][]; isClosed: boolean }): Part[] => [
  { kind: 'text', text: '{' },
  ...(options[0] ?? []),
  ...(isClosed ? [{ kind: 'text', text: '}' } as const] : []),
]

/** The variables a text uses, each once, in the order in which they appear. */
export function variablesOf({ parts }: CampaignText): string[] {
  const found = new Set<string>()
  const collect = (list: readonly Part[]): void => {
    for (const part of list) {
      if (part.kind === 'variable') found.add(part.name)
      else if (part.kind === 'choice') part.options.forEach(collect)
    }
  }
  collect(parts)
  return [...found]
}

/** How many different texts the options allow, variables aside. */
export function countVariants({ parts }: CampaignText): number {
  const count = (list: readonly Part[]): number =>
    list.reduce((product, part) => {
      if (part.kind !== 'choice') return product
      return Math.min(Number.MAX_SAFE_INTEGER, product * part.options.reduce((sum, option) => sum + count(option), 0))
    }, 1)
  return count(parts)
}

/**
 * @param values by `variableKey`; a missing or empty one is replaced by its fallback, or by nothing.
 * @param fraction uniform in [0, 1); called once for each choice.
 */
export function renderCampaignText(
  { parts }: CampaignText,
  values: Readonly<Record<string, string>>,
  fraction: () => number,
): string {
  const render = (list: readonly Part[]): string =>
    list
      .map((part) => {
        if (part.kind === 'text') return part.text
        if (part.kind === 'choice') return render(part.options[Math.floor(fraction() * part.options.length)] ?? [])
        return valueOf(values, part.name) ?? part.fallback ?? ''
      })
      .join('')
  return render(parts)
}

const valueOf = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  (Object.hasOwn(values, name) ? values[name] : undefined) || undefined

/** The longest text that the options allow. */
export const longestCampaignText = (text: CampaignText, values: Readonly<Record<string, string>>): string =>
  extreme(
    text,
    (name, fallback) => valueOf(values, name) ?? fallback ?? '',
    (a, b) => a.length - b.length,
  )

/** The shortest text, with the shortest options and empty variables. */
export const shortestCampaignText = (text: CampaignText): string =>
  extreme(
    text,
    () => '',
    (a, b) => b.length - a.length,
  )

function extreme(
  { parts }: CampaignText,
  fill: (name: string, fallback: string | null) => string,
  order: (a: string, b: string) => number,
): string {
  const render = (list: readonly Part[]): string =>
    list
      .map((part) => {
        if (part.kind === 'text') return part.text
        if (part.kind === 'variable') return fill(part.name, part.fallback)
        return part.options.map(render).reduce((best, option) => (order(option, best) > 0 ? option : best))
      })
      .join('')
  return render(parts)
}

/**
 * The same numbers for the same seed, also after a restart, so that each recipient always gets the same text.
 * @returns numbers uniform in [0, 1) (mulberry32, seeded with FNV-1a)
 */
export function seededFractions(seed: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** On networks without buttons, they become a numbered list below the text. */
export function withNumberedButtons(text: string, buttons: readonly { readonly text: string }[]): string {
  if (buttons.length === 0) return text
  return [text, buttons.map((button, i) => `${i + 1}. ${button.text}`).join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Replaces every text of an object, also within its lists and objects. */
export function fillTexts<T extends object>(value: T, fill: (source: string) => string): T {
  const filled = (each: unknown): unknown => {
    if (typeof each === 'string') return fill(each)
    if (Array.isArray(each)) return each.map(filled)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([key, one]) => [key, filled(one)]))
  }
  return filled(value) as T
}
