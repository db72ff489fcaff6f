import { visibleText } from '../../../main/contract/display-text.ts'

/** A field of an argument that has fields of its own. */
export interface FactLine {
  /** How many fields it is in. */
  readonly depth: number
  readonly label: string
  readonly text: string
}

export interface FactWords {
  label(name: string): string
  /** The label of an entry of a list. @param position from 1. */
  entry(position: number): string
  flag(isSet: boolean): string
  number(value: number): string
  /** @param name of the field that it is in. */
  text(value: string, name: string): string
  more(count: number): string
}

/** What a person reads before they decide; Details has everything. */
const MOST_LINES = 40
const LONGEST = 200

/** An argument as a list that can be read. Fields without a value are left out. */
export function linesOf(value: unknown, words: FactWords): FactLine[] {
  const lines = [...linesIn(value, '', 0, words)]
  const rest = lines.length - MOST_LINES
  return rest > 0 ? [...lines.slice(0, MOST_LINES), { depth: 0, label: '', text: words.more(rest) }] : lines
}

function* linesIn(value: unknown, name: string, depth: number, words: FactWords): Generator<FactLine> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null || inner === undefined) continue
    const isEntry = Array.isArray(value)
    // The only entry of a list needs no number.
    if (isEntry && value.length === 1 && typeof inner === 'object') {
      yield* linesIn(inner, name, depth, words)
      continue
    }
    const label = isEntry ? words.entry(Number(key) + 1) : words.label(key)
    const text = textOf(inner, isEntry ? name : key, words)
    if (text !== undefined) yield { depth, label, text }
    else {
      yield { depth, label, text: '' }
      yield* linesIn(inner, key, depth + 1, words)
    }
  }
}

/** @returns undefined for what has fields of its own. */
function textOf(value: unknown, name: string, words: FactWords): string | undefined {
  if (typeof value === 'string') return words.text(short(value), name)
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'boolean') return words.flag(value)
  if (!Array.isArray(value)) return undefined
  const texts = value.map((each) => textOf(each, name, words))
  return texts.every((each) => each !== undefined) ? texts.join(', ') : undefined
}

const short = (text: string): string =>
  visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text)

const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2,5}_[0-9A-Z]{26})$/

/**
 * A name without the id behind it, which Details has. A phone number stays, because it proves which number it is: an
 * assistant can rename a number. Without one, so do the last characters of the id.
 */
export function withoutId(label: string): string {
  return label.replace(/ \(([^()]*)\)$/, (_, proof: string) => {
    const proofs = proof.split(', ')
    const known = proofs.filter((each) => !ID.test(each))
    return ` (${known.length > 0 ? known.join(', ') : `…${proof.slice(-4)}`})`
  })
}
