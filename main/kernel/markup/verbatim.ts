/**
 * Text that no rule of a markup may touch (code, URLs, e-mail addresses) is cut out, and put back at the end. What stands
 * for it is two noncharacters with the number of a piece between them.
 */
export interface Verbatim {
  /** @returns what stands for it. */
  keep(piece: string): string
  restore(text: string): string
}

const [OPEN, CLOSE] = ['\uFDD0', '\uFDD1']
const PLACE = /\uFDD0(\d+)\uFDD1/g

export function createVerbatim(): Verbatim {
  const pieces: string[] = []
  return {
    keep: (piece) => `${OPEN}${pieces.push(piece) - 1}${CLOSE}`,
    restore: (text) => text.replaceAll(PLACE, (_place, at: string) => pieces[Number(at)] ?? ''),
  }
}

/** Noncharacters in the input could be mistaken for placeholders, so they are removed. */
export const withoutPlaces = (text: string): string => text.replaceAll(/[\uFDD0\uFDD1]/g, '')

/** Where an address or a stretch of code begins and ends. */
export interface Span {
  readonly from: number
  readonly to: number
}

const ADDRESS = /https?:\/\/|www\.|@/gi
/** What ends an address wherever it stands in it. */
const OUTSIDE = /[\s<>"`|\\\uFDD0\uFDD1]/
/** What belongs to the sentence if it comes last. */
const AFTER = new Set("*_~.,;:!?'…")
const LOCAL_PART = 64
const DOMAIN = 253

/** URLs and e-mail addresses, in the order of the text. */
export function addressesIn(text: string): Span[] {
  const found: Span[] = []
  ADDRESS.lastIndex = 0
  for (let match = ADDRESS.exec(text); match !== null; match = ADDRESS.exec(text)) {
    const span = match[0] === '@' ? emailAt(text, match.index) : urlAt(text, match.index, match[0].length)
    if (span === undefined || span.from < (found.at(-1)?.to ?? 0)) continue
    found.push(span)
    ADDRESS.lastIndex = span.to
  }
  return found
}

function urlAt(text: string, from: number, schemeLength: number): Span | undefined {
  if (/[\p{L}\p{N}]/u.test(text.charAt(from - 1)) && /[a-z0-9]/i.test(text.charAt(from - 1))) return undefined
  const open = { '(': 0, '[': 0 }
  let to = from + schemeLength
  for (; to < text.length && !OUTSIDE.test(text.charAt(to)); to++) {
    const character = text.charAt(to)
    if (character === '(' || character === '[') open[character]++
    else if (character === ')' && open['(']-- === 0) break
    else if (character === ']' && open['[']-- === 0) break
    else if ((character === '*' || character === '~') && text.charAt(to + 1) === character) break
  }
  while (to > from + schemeLength && AFTER.has(text.charAt(to - 1))) to--
  return to === from + schemeLength ? undefined : { from, to }
}

function emailAt(text: string, at: number): Span | undefined {
  let from = at
  while (from > 0 && at - from < LOCAL_PART && /[\w.%+-]/.test(text.charAt(from - 1))) from--
  let to = at + 1
  while (to < text.length && to - at <= DOMAIN && /[\w.-]/.test(text.charAt(to))) to++
  while (text.charAt(from) === '_') from++
  while (AFTER.has(text.charAt(to - 1))) to--
  return from < at && text.slice(at, to).includes('.') ? { from, to } : undefined
}
