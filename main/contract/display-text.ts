/**
 * Text of a stranger, made safe to show inside a sentence of ours: nothing in it can end the quotes, break the line,
 * reorder what stands around it or be there without being seen.
 */

/** Controls, line and paragraph separators, direction marks, zero-width characters, tags, private use. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u2800\u3164\uFFA0\u034F\u17B4\u17B5]/gu
/** A joiner inside an emoji is part of a visible character. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/gu
/** Marks without a letter of their own would sit on ours; many on one letter reach into the lines around it. */
const STRAY_MARKS = /(?<=^|\p{M}{3})\p{M}/gu
const QUOTES = /["“”„‟〝〞＂]/g
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`

/** Every character can be seen, and stands in the order in which it was written. */
export function visibleText(text: string): string {
  const joiners = new Set([...text.matchAll(EMOJI_JOINER)].map(({ index }) => index))
  return text
    .replaceAll(INVISIBLE, (character, at: number) => (joiners.has(at) ? character : escaped(character)))
    .replaceAll(STRAY_MARKS, escaped)
}

/** In quotes it cannot get out of. Right-to-left text is isolated, so that it does not move the words around it. */
export function quotedText(text: string): string {
  const inside = visibleText(text.replaceAll('\\', '\\\\')).replaceAll(QUOTES, (quote) => `\\${quote}`)
  return RIGHT_TO_LEFT.test(inside) ? `“\u2068${inside}\u2069”` : `“${inside}”`
}

/** The same for every text inside a value, names of fields included. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(visibleValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [visibleText(name), visibleValue(inner)]))
}
