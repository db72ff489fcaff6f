import type { Span } from './verbatim.ts'

/** A stretch of code in Markdown, or in the marks of a chat. */
export interface CodeSpan extends Span {
  /** A block takes whole lines; the other is within a line, or three backticks that someone has put around some lines. */
  readonly kind: 'block' | 'inline'
  readonly lines: readonly string[]
  /** How many backticks or tildes open it. */
  readonly length: number
  /** The word after the opening fence, such as a language. */
  readonly info: string
}

interface Fence {
  readonly from: number
  /** Of its line, with the line break. */
  readonly end: number
  readonly mark: string
  readonly length: number
  readonly indent: number
  readonly info: string
}

/** Code in the order of the text. Linear in the length of the text for any content. */
export function codeIn(text: string): CodeSpan[] {
  const fences = fencesIn(text)
  const closers = closersOf(fences)
  const runs = backtickRuns(text)
  const found: CodeSpan[] = []
  let [fenceAt, runAt] = [0, 0]
  for (let at = 0; ;) {
    while ((fences[fenceAt]?.from ?? Infinity) < at) fenceAt++
    while ((runs.all[runAt]?.from ?? Infinity) < at) runAt++
    const fence = fences[fenceAt]
    const run = runs.all[runAt]
    const next = Math.min(fence?.from ?? Infinity, run?.from ?? Infinity)
    if (next === Infinity) return found
    const span =
      fence?.from === next
        ? (blockAt(text, fences, fenceAt, closers) ??
          (run?.from === next ? inlineAt(text, runs, runAt) : undefined) ??
          block(text, fence, undefined))
        : inlineAt(text, runs, runAt)
    if (span !== undefined) found.push(span)
    at = span?.to ?? run?.to ?? next + 1
  }
}

/** Lines that can open a block, or close one. */
function fencesIn(text: string): Fence[] {
  const found: Fence[] = []
  for (let from = 0; from < text.length;) {
    const end = endOfLine(text, from)
    const line = text.slice(from, end).trimEnd()
    const indent = line.length - line.trimStart().length
    const mark = line.charAt(indent)
    if (mark === '`' || mark === '~') {
      let to = indent
      while (line.charAt(to) === mark) to++
      const info = line.slice(to).trim()
      if (to - indent >= 3 && !info.includes('`'))
        found.push({ from: from + indent, end, mark, length: to - indent, indent, info })
    }
    from = end
  }
  return found
}

const endOfLine = (text: string, from: number): number => {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at + 1
}

type Longest = Readonly<Record<string, number>>

/** From each fence on, the longest one that can close a block: what no later one can close is not looked for. */
function closersOf(fences: readonly Fence[]): readonly Longest[] {
  const longest: Longest[] = []
  let after: Longest = { '`': 0, '~': 0 }
  for (const { mark, length, info } of fences.toReversed()) {
    longest.push(after)
    if (info === '') after = { ...after, [mark]: Math.max(after[mark] ?? 0, length) }
  }
  return longest.reverse()
}

function blockAt(
  text: string,
  fences: readonly Fence[],
  at: number,
  closers: readonly Longest[],
): CodeSpan | undefined {
  const open = fences[at]
  if (open === undefined || (closers[at]?.[open.mark] ?? 0) < open.length) return undefined
  let i = at + 1
  for (let close = fences[i]; close !== undefined; close = fences[++i])
    if (closes(open, close)) return block(text, open, close)
  return undefined
}

/** What else stands after a fence is code that begins there. */
const LANGUAGE = /^[\w.+#-]{1,30}$/

const closes = (open: Fence, { mark, length, info }: Fence): boolean =>
  mark === open.mark && length >= open.length && info === ''

function block(text: string, open: Fence, close: Fence | undefined): CodeSpan {
  const inside = text.slice(open.end, close === undefined ? text.length : close.from - close.indent)
  const isLanguage = LANGUAGE.test(open.info) && inside !== ''
  const first = isLanguage || open.info === '' ? [] : [open.info]
  const lines = [...first, ...(inside === '' ? [] : inside.replace(/\n$/, '').split('\n'))]
  const to = close === undefined ? text.length : close.end - (text.charAt(close.end - 1) === '\n' ? 1 : 0)
  return {
    ...{ kind: 'block', from: open.from, to, length: open.length, info: open.info },
    lines: lines.map((line) => withoutIndent(line, open.indent)),
  }
}

function withoutIndent(line: string, most: number): string {
  let at = 0
  while (at < most && line.charAt(at) === ' ') at++
  return line.slice(at)
}

interface Run extends Span {
  readonly length: number
  /** The next one of the same length. */
  readonly next: Run | undefined
}

/** Runs of backticks that no backslash escapes, and where paragraphs end. */
function backtickRuns(text: string) {
  const all: (Run & { next: Run | undefined })[] = []
  const last = new Map<number, Run & { next: Run | undefined }>()
  for (const { index, 0: ticks } of text.matchAll(/`+/g)) {
    if (text.charAt(index - 1) === '\\' && text.charAt(index - 2) !== '\\') continue
    const run = { from: index, to: index + ticks.length, length: ticks.length, next: undefined }
    const before = last.get(ticks.length)
    if (before !== undefined) before.next = run
    last.set(ticks.length, run)
    all.push(run)
  }
  const paragraphs = Array.from(text.matchAll(/\n[ \t]*\n/g), ({ index }) => index)
  return { all, paragraphs }
}

function inlineAt(
  text: string,
  { all, paragraphs }: ReturnType<typeof backtickRuns>,
  at: number,
): CodeSpan | undefined {
  const open = all[at]
  const close = open?.next
  if (open === undefined || close === undefined) return undefined
  // Three backticks may enclose several paragraphs.
  if (open.length < 3 && firstAfter(paragraphs, open.to) < close.from) return undefined
  const { from, length } = open
  return { kind: 'inline', from, to: close.to, length, info: '', lines: text.slice(open.to, close.from).split('\n') }
}

/** @returns the first of them from there on; Infinity if there is none. */
function firstAfter(sorted: readonly number[], from: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) < from) low = middle + 1
    else high = middle
  }
  return sorted[low] ?? Infinity
}
