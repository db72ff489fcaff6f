/**
 * Makes untrusted text safe to show inside our sentences: it cannot close the quotes, break the line, reorder the text
 * around it or contain anything invisible.
 */

/** Controls, line and paragraph separators, direction marks, zero-width characters, tags, private use. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Cs}\u115F\u1160\u2800\u3164\uFFA0\u034F\u17B4\u17B5]/gu
/** A joiner inside an emoji is part of a visible character, so it is kept. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})/gu
/** A mark without a base letter would attach to our text; a stack of marks would overlap neighbouring lines. */
const STRAY_MARKS = /(?<=^|\p{M}{3})\p{M}/gu
const QUOTES = /["“”„‟〝〞＂]/g
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`

/** Escapes invisible characters and anything that changes the display order. */
export function visibleText(text: string): string {
  const joiners = new Set([...text.matchAll(EMOJI_JOINER)].map(({ index }) => index))
  return text
    .replaceAll(INVISIBLE, (character, at: number) => (joiners.has(at) ? character : escaped(character)))
    .replaceAll(STRAY_MARKS, escaped)
}

/** Quotes and escapes the text. Right-to-left text is isolated, or it would reorder the words around it. */
export function quotedText(text: string): string {
  const inside = visibleText(text.replaceAll('\\', '\\\\')).replaceAll(QUOTES, (quote) => `\\${quote}`)
  return RIGHT_TO_LEFT.test(inside) ? `“\u2068${inside}\u2069”` : `“${inside}”`
}

/** Applies `visibleText` to every string inside a value, field names included. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map(visibleValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [visibleText(name), visibleValue(inner)]))
}
