import { codeIn } from './code-spans.ts'
import { addressesIn, createVerbatim, withoutPlaces } from './verbatim.ts'

/** `*bold*`, `_italic_`, `~struck~`: at the borders of words and within one line. */
const STRETCHES = [
  /(?<![\p{L}\p{N}*])\*(?!\s)([^*\n]+)(?<!\s)\*(?![\p{L}\p{N}*])/gu,
  /(?<![\p{L}\p{N}_])_(?!\s)([^_\n]+)(?<!\s)_(?![\p{L}\p{N}_])/gu,
  /(?<![\p{L}\p{N}~])~(?!\s)([^~\n]+)(?<!\s)~(?![\p{L}\p{N}~])/gu,
] as const

/** WhatsApp's markup without its marks, for what shows none. */
export function plainText(markup: string): string {
  const verbatim = createVerbatim()
  const source = withoutPlaces(markup)
  const out: string[] = []
  let at = 0
  for (const { from, to, lines } of codeIn(source)) {
    out.push(source.slice(at, from), verbatim.keep(lines.join('\n')))
    at = to
  }
  const words = out.join('') + source.slice(at)
  const kept: string[] = []
  at = 0
  for (const { from, to } of addressesIn(words)) {
    kept.push(words.slice(at, from), verbatim.keep(words.slice(from, to)))
    at = to
  }
  let text = kept.join('') + words.slice(at)
  for (const stretch of STRETCHES) text = text.replaceAll(stretch, '$1')
  return verbatim.restore(text)
}
