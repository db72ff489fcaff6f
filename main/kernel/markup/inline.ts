import { tokensOf, type Run, type Style, type Token } from './inline-tokens.ts'

interface InlineOptions {
  /** Whether `*x*` is italic, as in Markdown. In a chat it is bold. */
  readonly starsAreItalic: boolean
  /** Whether all of it becomes bold, so that bold words in it need no marks. */
  readonly isBold?: boolean
  readonly restore: (text: string) => string
}

interface Inline {
  readonly text: string
  /** Whether there was something that only Markdown has. */
  readonly isMarkdown: boolean
}

const MARKS: Readonly<Record<Style, string>> = { bold: '*', italic: '_', struck: '~' }
/** How far back the beginning of a stretch is looked for, in runs of marks. */
const LOOKED_BACK = 64

/** Converts what is within a paragraph: bold, italic, struck out, links, escapes. */
export function convertInline(text: string, { starsAreItalic, isBold = false, restore }: InlineOptions): Inline {
  const { list, isMarkdown } = tokensOf(text, restore)
  const hasPairs = pairRuns(list, starsAreItalic)
  return { text: write(list, isBold), isMarkdown: isMarkdown || hasPairs }
}

/** Finds where stretches begin and end. @returns whether one of them is marked as only Markdown does. */
function pairRuns(list: readonly Token[], starsAreItalic: boolean): boolean {
  const openers: Run[] = []
  let hasPairs = false
  for (const closer of list) {
    if (closer.kind !== 'run') continue
    for (let found = openerOf(openers, closer, starsAreItalic); found !== undefined;) {
      const { at, style, length } = found
      const opener = openers[at]
      if (opener === undefined) break
      // Marks that were opened inside it and never closed are plain text.
      openers.length = at + 1
      opener.left -= length
      closer.left -= length
      opener.opened.push(style)
      closer.closed.push(style)
      if (opener.left === 0) openers.pop()
      if (length === 2) hasPairs = true
      found = closer.left > 0 ? openerOf(openers, closer, starsAreItalic) : undefined
    }
    if (closer.left > 0 && (closer.opens.one || closer.opens.two)) openers.push(closer)
  }
  return hasPairs
}

interface Opener {
  readonly at: number
  readonly style: Style
  readonly length: 1 | 2
}

function openerOf(openers: readonly Run[], closer: Run, starsAreItalic: boolean): Opener | undefined {
  for (let at = openers.length - 1; at >= Math.max(0, openers.length - LOOKED_BACK); at--) {
    const opener = openers[at]
    if (opener?.mark !== closer.mark) continue
    const isDouble = opener.left >= 2 && closer.left >= 2 && opener.opens.two && closer.closes.two
    const isSingle = closer.mark === '*' && starsAreItalic && opener.opens.one && closer.closes.one
    const areThree = opener.left === 3 && closer.left === 3
    if (isDouble && !(isSingle && areThree)) return { at, style: closer.mark === '~' ? 'struck' : 'bold', length: 2 }
    if (isSingle) return { at, style: 'italic', length: 1 }
  }
  return undefined
}

/** A stretch that goes over several lines gets marks in each of them. */
function write(list: readonly Token[], isBold: boolean): string {
  const depth: Record<Style, number> = { bold: isBold ? 1 : 0, italic: 0, struck: 0 }
  const open: Style[] = []
  const out: string[] = []
  const begin = (style: Style) => {
    if (depth[style]++ > 0) return
    open.push(style)
    out.push(MARKS[style])
  }
  const end = (style: Style) => {
    if (--depth[style] > 0) return
    open.splice(open.lastIndexOf(style), 1)
    out.push(MARKS[style])
  }
  for (const token of list) {
    if (token.kind === 'text') out.push(open.length === 0 ? token.text : inEachLine(token.text, open))
    else {
      token.closed.forEach(end)
      out.push(token.mark.repeat(token.left))
      token.opened.toReversed().forEach(begin)
    }
  }
  return out.join('')
}

function inEachLine(text: string, open: readonly Style[]): string {
  const [begin, end] = [open, open.toReversed()].map((styles) => styles.map((style) => MARKS[style]).join(''))
  const lines = text.split('\n')
  return lines
    .map((line, at) => {
      const from = at === 0 ? line : `${begin}${line.trimStart()}`
      return at === lines.length - 1 ? from : `${from.trimEnd()}${end}`
    })
    .join('\n')
}
