import { codeIn } from './code-spans.ts'
import { addressesIn } from './verbatim.ts'

export interface SplitOptions {
  /** In UTF-16 code units, so that however a network counts there are no more. */
  readonly limit: number
  /** Whether as few messages as possible matter more than where they are cut. */
  readonly isFewest: boolean
}

interface SplitText {
  readonly parts: readonly string[]
  /** What does not fit into them; null: nothing. */
  readonly rest: string | null
}

/** A stretch that is cut only if there is no other way: both sides of the cut get its marks then. */
interface Whole {
  readonly from: number
  readonly to: number
  /** What is added before and after a cut. */
  readonly close: string
  readonly open: string
  /** A block of code may be cut between its lines. */
  readonly isBlock: boolean
}

/**
 * Cuts a text into messages: at an empty line, else between lines, else after a sentence, else at a space. No character as
 * a reader sees it is cut, and no URL, no stretch such as `*bold*`, no code within a line; a block of code is closed in one
 * message and opened again in the next.
 * @param most parts, of which the last is followed by `ending` if there is a rest. It counts towards the limit.
 */
export function splitText(
  text: string,
  {
    limit,
    isFewest,
    most = Infinity,
    ending = '',
  }: SplitOptions & { readonly most?: number; readonly ending?: string },
): SplitText {
  const parts: string[] = []
  let left = text.trim()
  while (left.length > limit) {
    const isLast = parts.length === most - 1
    const room = isLast ? limit - ending.length : limit
    const [part, rest] = cut(left, room, leastOf(left.length, limit, isFewest))
    parts.push(isLast ? part + ending : part)
    left = rest
    if (isLast) return { parts, rest: left === '' ? null : left }
  }
  if (left !== '') parts.push(left)
  return { parts, rest: null }
}

/** Where a cut may be at the earliest. What is left must fit into as many messages as it would at best. */
function leastOf(length: number, limit: number, isFewest: boolean): number {
  if (!isFewest) return limit / 2
  const others = Math.ceil(length / limit) - 1
  return Math.max(limit / 2, length - others * (limit - MARGIN))
}

/** Of a limit: spaces are dropped and marks are added at a cut. */
const MARGIN = 16

function cut(text: string, room: number, least: number): readonly [part: string, rest: string] {
  // What comes later does not matter to where the cut is, apart from the ends of stretches.
  const wholes = wholesIn(text.slice(0, room * 2))
  const fit = (at: number) => at + (wholeAt(wholes, at)?.close.length ?? 0) <= room
  const from = Math.min(Math.floor(least), room - 1)
  const at = best(text, wholes, from, room, fit) ?? best(text, wholes, 1, from, fit) ?? anywhere(text, wholes, room)
  const cutThrough = wholeAt(wholes, at)
  // Marks longer than the text they enclose would make no progress.
  const whole = cutThrough !== undefined && cutThrough.open.length < at ? cutThrough : undefined
  const isInBlock = whole?.isBlock === true
  const part = text.slice(0, at).trimEnd() + (whole?.close ?? '')
  const rest = isInBlock ? text.slice(at).replace(/^\n/, '') : text.slice(at).trimStart()
  return [part, (whole?.open ?? '') + rest]
}

/** Best places first. */
const PLACES = [/\n[ \t]*\n/g, /\n/g, /[.!?…。！？]["')\]”’]?(?=\s)|[。！？]/g, /\s/g] as const

function best(
  text: string,
  wholes: readonly Whole[],
  from: number,
  to: number,
  fits: (at: number) => boolean,
): number | undefined {
  const window = text.slice(from, to + 1)
  for (const [rank, place] of PLACES.entries()) {
    const isLine = rank < 2
    const placeOf = (index: number, mark: string) => from + index + (isLine ? 0 : mark.trimEnd().length)
    for (const inBlocks of [false, true]) {
      // Between the lines of a block only if there is no line to end it at.
      if (inBlocks && !isLine) continue
      const found = [...window.matchAll(place)].findLast(({ index, 0: mark }) => {
        const at = placeOf(index, mark)
        const whole = wholeAt(wholes, at)
        const isAllowed = whole === undefined ? !inBlocks : inBlocks && isBetweenLines(whole, at)
        return at > 0 && at <= to && isAllowed && fits(at)
      })
      if (found !== undefined) return placeOf(found.index, found[0])
    }
  }
  return undefined
}

/** Neither side of the cut is an empty block. */
const isBetweenLines = ({ isBlock, from, to, open, close }: Whole, at: number): boolean =>
  isBlock && at > from + open.length && at <= to - close.length - 1

/** No better place: within a stretch at a space, or between two characters. */
function anywhere(text: string, wholes: readonly Whole[], room: number): number {
  // Room for the marks of what is cut.
  const to = wholes.length === 0 ? room : Math.max(1, room - MARGIN)
  const space = Math.max(text.lastIndexOf(' ', to), text.lastIndexOf('\n', to))
  if (space > to / 2) return space
  // A family of emoji is a few dozen units long.
  const from = Math.max(0, to - 256)
  let last = to
  for (const { index } of new Intl.Segmenter().segment(text.slice(from, to + 256))) {
    if (from + index > to) break
    if (from + index > from) last = from + index
  }
  return last
}

const wholeAt = (wholes: readonly Whole[], at: number): Whole | undefined =>
  wholes.find(({ from, to }) => from < at && at < to)

const STRETCH = /(?<![\p{L}\p{N}])([*_~])(?=\S)(?:(?!\1)[^\n])+\1(?![\p{L}\p{N}])/gu

function wholesIn(text: string): Whole[] {
  const code = codeIn(text).map(({ kind, from, to, length, lines }): Whole => {
    const ticks = '`'.repeat(Math.max(3, length))
    const isBlock = kind === 'block' || (length === 3 && lines.length > 1)
    const inline = '`'.repeat(length)
    const marks = isBlock ? { close: `\n${ticks}`, open: `${ticks}\n` } : { close: inline, open: inline }
    return { from, to, isBlock, ...marks }
  })
  const isCode = (at: number) => wholeAt(code, at) !== undefined
  const addresses = addressesIn(text).map(({ from, to }): Whole => ({ from, to, isBlock: false, close: '', open: '' }))
  const stretches = Array.from(text.matchAll(STRETCH), ({ index, 0: all, 1: mark = '' }): Whole => {
    return { from: index, to: index + all.length, isBlock: false, close: mark, open: mark }
  })
  return [...code, ...[...addresses, ...stretches].filter(({ from }) => !isCode(from + 1))]
}
