import { codeIn, type CodeSpan } from './code-spans.ts'
import { convertInline } from './inline.ts'
import { isTableHead, tableAt } from './tables.ts'
import { addressesIn, createVerbatim, withoutPlaces, type Verbatim } from './verbatim.ts'

/**
 * What a model wrote, in the markup of WhatsApp: `**bold**` becomes `*bold*`, a heading a bold line, a link its text and
 * its address, a table lines of `*name*: value`. Code, URLs and e-mail addresses are left as they are, and no word is
 * lost. Doing it twice changes nothing.
 *
 * `*x*` is italic in Markdown and bold in WhatsApp. It is taken for Markdown if something else in the text is Markdown, and
 * is left alone if nothing is: a model that was asked for WhatsApp's markup, and uses it, is understood.
 */
export function markupOfMarkdown(markdown: string): string {
  let text = withoutPlaces(markdown).replaceAll(/\r\n?/g, '\n')
  // What an escape or a link leaves can be read as a mark of its own, seldom more than once.
  for (let pass = 0; pass < PASSES; pass++) {
    const before = text
    const { isMarkdown, text: plain } = convert(before, false)
    text = isMarkdown && pass === 0 ? convert(before, true).text : plain
    if (text === before) break
  }
  return text
}

const PASSES = 8

interface Conversion {
  readonly verbatim: Verbatim
  readonly starsAreItalic: boolean
  isMarkdown: boolean
}

function convert(source: string, starsAreItalic: boolean): { readonly text: string; readonly isMarkdown: boolean } {
  const conversion: Conversion = { verbatim: createVerbatim(), starsAreItalic, isMarkdown: false }
  const lines = withoutAddresses(withoutCode(source, conversion), conversion).split('\n')
  const converted = convertLines(lines, conversion).split('\n')
  const even = converted
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd()
  return { text: conversion.verbatim.restore(even), isMarkdown: conversion.isMarkdown }
}

/** Code stays as it is, in backticks as the network has them. */
function withoutCode(source: string, conversion: Conversion): string {
  const out: string[] = []
  let at = 0
  for (const span of codeIn(source)) {
    out.push(source.slice(at, span.from), conversion.verbatim.keep(written(source, span, conversion)))
    at = span.to
  }
  return out.join('') + source.slice(at)
}

function written(source: string, { kind, from, to, length, info, lines }: CodeSpan, conversion: Conversion): string {
  if (kind === 'block') {
    if (info !== '') conversion.isMarkdown = true
    const longest = Math.max(0, ...lines.flatMap(ticksThatClose))
    const fence = '`'.repeat(Math.max(3, longest < 3 ? 3 : Math.max(length, longest + 1)))
    return [fence, ...lines, fence].join('\n')
  }
  const code = lines.join(' ')
  if (length > 2) return source.slice(from, to)
  if (length === 1) return `\`${code}\``
  return code.includes('`') ? `\`\`${code}\`\`` : `\`${code.trim()}\``
}

const ticksThatClose = (line: string): number[] => {
  const text = line.trim()
  return /^`+$/.test(text) ? [text.length] : []
}

function withoutAddresses(text: string, { verbatim }: Conversion): string {
  const out: string[] = []
  let at = 0
  for (const { from, to } of addressesIn(text)) {
    out.push(text.slice(at, from), verbatim.keep(text.slice(from, to)))
    at = to
  }
  return out.join('') + text.slice(at)
}

const BREAK = /<br\s{0,3}\/?>/gi
const QUOTE = /^ {0,3}>[> ]*/
const HEADING = /^ {0,3}#{1,6}[ \t]+(\S.*)$/
/** A heading in a list in a quote. */
const LEVELS = 3
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,3})[.)])[ \t]+(\S.*)$/

function convertLines(lines: readonly string[], conversion: Conversion): string {
  const out: string[] = []
  let paragraph: string[] = []
  const endParagraph = () => {
    if (paragraph.length > 0) out.push(inline(paragraph.join('\n'), conversion))
    paragraph = []
  }
  for (let at = 0; at < lines.length; at++) {
    if (isTableHead(lines, at)) {
      endParagraph()
      const { blocks, end } = tableAt(lines, at, (cell) => inline(cell.replaceAll(BREAK, ', '), conversion))
      out.push(blocks.join('\n'))
      conversion.isMarkdown = true
      at = end - 1
      continue
    }
    for (const line of (lines[at] ?? '').split(BREAK)) {
      const block = blockOf(line, conversion)
      if (block === undefined) paragraph.push(withoutHardBreak(line))
      else {
        endParagraph()
        out.push(block)
      }
    }
  }
  endParagraph()
  return out.join('\n')
}

/** @returns undefined for a line of a paragraph. */
function blockOf(line: string, conversion: Conversion, level = 0): string | undefined {
  if (line.trim() === '' || isRule(line)) return ''
  if (level > LEVELS) return undefined
  const [quote] = QUOTE.exec(line) ?? []
  if (quote?.endsWith(' ') === true) {
    const quoted = line.slice(quote.length)
    return `> ${blockOf(quoted, conversion, level + 1) ?? inline(quoted, conversion)}`
  }
  const heading = HEADING.exec(line)?.[1]
  if (heading !== undefined) {
    conversion.isMarkdown = true
    return `*${inline(withoutClosing(heading), conversion, true)}*`
  }
  const [item, indent = '', number, text = ''] = ITEM.exec(line) ?? []
  if (item === undefined) return undefined
  const inner = blockOf(text, conversion, level + 1) ?? inline(text, conversion)
  return `${indent === '' ? '' : '  '}${number === undefined ? '-' : `${number}.`} ${inner}`
}

const inline = (text: string, conversion: Conversion, isBold = false): string => {
  const { starsAreItalic, verbatim } = conversion
  const converted = convertInline(text, { starsAreItalic, isBold, restore: verbatim.restore })
  if (converted.isMarkdown) conversion.isMarkdown = true
  return converted.text
}

/** `---`, `* * *`, `___` */
function isRule(line: string): boolean {
  const marks = line.replaceAll(/[ \t]/g, '')
  const [first] = marks
  return marks.length >= 3 && (first === '-' || first === '*' || first === '_') && marks === first.repeat(marks.length)
}

function withoutClosing(heading: string): string {
  const text = heading.trimEnd()
  let end = text.length
  while (text.charAt(end - 1) === '#') end--
  return end < text.length && /[ \t]/.test(text.charAt(end - 1)) && end > 0 ? text.slice(0, end).trimEnd() : text
}

const withoutHardBreak = (line: string): string => {
  const text = line.trimEnd()
  return text.endsWith('\\') && !text.endsWith('\\\\') ? text.slice(0, -1) : text
}
