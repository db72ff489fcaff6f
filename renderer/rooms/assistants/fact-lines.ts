import { visibleText } from '../../../main/contract/display-text.ts'

/** A nested field of an argument. */
export interface FactLine {
  /** Nesting depth. */
  readonly depth: number
  readonly label: string
  readonly text: string
}

export interface FactWords {
  label(name: string): string
  /** Label of a list entry. @param position from 1. */
  entry(position: number): string
  flag(isSet: boolean): string
  number(value: number): string
  /** Text for an intentionally empty field: a budget that is removed. */
  readonly nothing: string
  /** @param currency a code of three letters. */
  money(value: number, unit: 'cents' | 'micros', currency: string): string
  /** @param name name of its field. */
  text(value: string, name: string): string
  more(count: number): string
}

/** Limits of what is shown before a decision; Details has everything. */
const MOST_LINES = 40
const LONGEST = 200

/** An argument as a readable list. */
export function linesOf(value: unknown, words: FactWords): FactLine[] {
  const lines = [...linesIn(value, '', 0, words)]
  const rest = lines.length - MOST_LINES
  return rest > 0 ? [...lines.slice(0, MOST_LINES), { depth: 0, label: '', text: words.more(rest) }] : lines
}

function* linesIn(value: unknown, name: string, depth: number, words: FactWords): Generator<FactLine> {
  if (typeof value !== 'object' || value === null) return
  const amounts = amountsIn(value, words)
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || (key === 'currency' && amounts.size > 0)) continue
    const isEntry = Array.isArray(value)
    // The only entry of a list needs no number.
    if (isEntry && value.length === 1 && typeof inner === 'object' && inner !== null) {
      yield* linesIn(inner, name, depth, words)
      continue
    }
    const label = isEntry ? words.entry(Number(key) + 1) : words.label(key)
    const text = amounts.get(key) ?? textOf(inner, isEntry ? name : key, words)
    if (text !== undefined) yield { depth, label, text }
    else {
      yield { depth, label, text: '' }
      yield* linesIn(inner, key, depth + 1, words)
    }
  }
}

const UNIT = /_(cents|micros)$/
const isUnit = (unit: string | undefined): unit is 'cents' | 'micros' => unit === 'cents' || unit === 'micros'

/** The amounts in an object that has a currency. */
function amountsIn(value: object, words: FactWords): ReadonlyMap<string, string> {
  const { currency } = value as { readonly currency?: unknown }
  const amounts = new Map<string, string>()
  if (typeof currency !== 'string' || !/^[a-z]{3}$/i.test(currency)) return amounts
  for (const [key, amount] of Object.entries(value)) {
    const unit = UNIT.exec(key)?.[1]
    if (typeof amount === 'number' && isUnit(unit)) amounts.set(key, words.money(amount, unit, currency))
  }
  return amounts
}

/** @returns undefined for a value with nested fields. */
function textOf(value: unknown, name: string, words: FactWords): string | undefined {
  if (typeof value === 'string') return words.text(short(value), name)
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'boolean') return words.flag(value)
  if (value === null) return words.nothing
  if (!Array.isArray(value)) return undefined
  const texts = value.map((each) => textOf(each, name, words))
  return texts.every((each) => each !== undefined) ? texts.join(', ') : undefined
}

const short = (text: string): string =>
  visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text)

/** Fields that name an object, so that its id adds nothing. */
const NAMES = ['name', 'title', 'url', 'number', 'phone_number', 'question'] as const

/** A result without empty values and ids of unnamed objects, which mean nothing to a person. */
export function readableResult(value: unknown, isNamed: (id: string) => boolean): unknown {
  if (typeof value === 'string') return value === '' || (isId(value) && !isNamed(value)) ? undefined : value
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const kept = value.map((each: unknown) => readableResult(each, isNamed)).filter((each) => each !== undefined)
    return kept.length === 0 ? undefined : kept
  }
  const record = (value ?? {}) as Readonly<Record<string, unknown>>
  const hasName = NAMES.some((name) => typeof record[name] === 'string')
  const kept = Object.entries(record)
    .filter(([key]) => key !== 'id' || !hasName)
    .map(([key, inner]) => [key, readableResult(inner, isNamed)] as const)
    .filter(([, inner]) => inner !== undefined)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** The id of an unnamed object, shortened to what distinguishes it. */
export const shortId = (id: string): string => `…${id.slice(-4)}`
export const isId = (text: string): boolean => ID.test(text)

const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2,5}_[0-9A-Z]{26})$/

/**
 * A name without its id, which Details has. A phone number is kept, because it proves which number it is: an
 * assistant can rename a number. Without a number, the last characters of the id are kept.
 */
export function withoutId(label: string): string {
  return label.replace(/ \(([^()]*)\)$/, (_, proof: string) => {
    const proofs = proof.split(', ')
    const known = proofs.filter((each) => !ID.test(each))
    return ` (${known.length > 0 ? known.join(', ') : shortId(proof)})`
  })
}
