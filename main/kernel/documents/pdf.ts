import { getDocumentProxy } from 'unpdf'
import { DocumentError, QUESTION_LEVEL, withoutEmptyHeadings, type Block } from './blocks.ts'
import { isItem, printedQuestion, withoutBullet } from './text-layout.ts'

/** One line of a page, and how large its letters are. */
interface Line {
  /** Columns are separated by ` · `. */
  text: string
  readonly size: number
  readonly y: number
  /** null: more than one. */
  font: string | null
}

/** Of the document: what is larger or in another font stands out. */
interface Body {
  readonly size: number
  readonly font: string | null
}

const PAGES_AT_MOST = 3_000
/** Pages of a text have hundreds; a scan has none, or a stamp and a page number. */
const LETTERS_PER_PAGE = 15
const HEADING_WORDS = 14

/** @throws DocumentError encrypted, scanned, broken, too_long */
export async function blocksOfPdf(bytes: Uint8Array): Promise<Block[]> {
  // Errors only: nobody would see warnings of pdf.js.
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, stopAtErrors: false }).catch((error: unknown) => {
    throw new DocumentError(isNamed(error, 'PasswordException') ? 'encrypted' : 'broken')
  })
  if (pdf.numPages > PAGES_AT_MOST) throw new DocumentError('too_long')
  const pages: Line[][] = []
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    pages.push(linesOf((await page.getTextContent()).items))
    page.cleanup()
  }
  const letters = pages.flat().reduce((sum, { text }) => sum + text.replace(/[^\p{L}\p{N}]/gu, '').length, 0)
  if (letters < LETTERS_PER_PAGE * Math.max(pages.length, 1)) throw new DocumentError('scanned')
  const all = pages.flat()
  const body = { size: mostCommon(all, ({ size }) => size) ?? 0, font: mostCommon(all, ({ font }) => font) ?? null }
  return withoutEmptyHeadings(withoutRepeated(pages).flatMap((lines, at) => blocksOfPage(lines, body, at + 1)))
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

function linesOf(items: readonly object[]): Line[] {
  const lines: Line[] = []
  for (const item of items) {
    // Marks between them have no text.
    if (!('str' in item) || !('transform' in item)) continue
    const { str, transform, width, fontName } = item as TextItem
    const [, , skew = 0, height = 0, , y = 0] = transform
    const size = Math.round(2 * Math.hypot(skew, height)) / 2
    const last = lines.at(-1)
    // Where a line ends is not always said, and would glue a heading to the text below it.
    const isSameLine = last !== undefined && Math.abs(last.y - y) < Math.max(last.size, size, 1) / 2
    if (str.trim() === '') {
      if (isSameLine && str !== '') last.text += width > COLUMN_GAP * last.size ? COLUMN : ' '
    } else if (isSameLine) {
      last.text += str
      if (last.font !== fontName) last.font = null
    } else lines.push({ text: str, size, y, font: fontName })
  }
  return lines
}

interface TextItem {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
  readonly fontName: string
}

const COLUMN = ' · '
/** In widths of a letter; justified text has narrower gaps. */
const COLUMN_GAP = 1.2

/** What most letters have. */
function mostCommon<T>(lines: readonly Line[], of: (line: Line) => T): T | undefined {
  const letters = new Map<T, number>()
  for (const line of lines) letters.set(of(line), (letters.get(of(line)) ?? 0) + line.text.length)
  return [...letters].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}

/** Headers and footers would be in the middle of a text that goes on on the next page. */
function withoutRepeated(pages: readonly Line[][]): Line[][] {
  if (pages.length < 4) return [...pages]
  const shape = ({ text }: Line) => text.replace(/\d+/g, '#').trim()
  const ends = (lines: readonly Line[]) => new Set([...lines.slice(0, 2), ...lines.slice(-2)].map(shape))
  const counts = new Map<string, number>()
  for (const lines of pages) for (const text of ends(lines)) counts.set(text, (counts.get(text) ?? 0) + 1)
  const isRepeated = (line: Line) => (counts.get(shape(line)) ?? 0) > pages.length / 2
  return pages.map((lines) => lines.filter((line, at) => !((at < 2 || at >= lines.length - 2) && isRepeated(line))))
}

function blocksOfPage(lines: readonly Line[], body: Body, page: number): Block[] {
  const blocks: Block[] = []
  let parts: string[] = []
  const end = () => {
    if (parts.length > 0) blocks.push(paragraph(parts.join(''), page))
    parts = []
  }
  const longest = lines.reduce((most, { text, size }) => (size > body.size ? most : Math.max(most, text.length)), 0)
  lines.forEach((line, at) => {
    const level = headingLevel(line, body)
    const above = lines[at - 1]
    if (level !== null) {
      end()
      const before = blocks.at(-1)
      // A heading of two lines.
      if (before?.level === level && level !== QUESTION_LEVEL && above?.size === line.size && isNextTo(above, line)) {
        blocks[blocks.length - 1] = { ...before, text: `${before.text} ${line.text}` }
      } else blocks.push({ text: line.text, level, page })
      return
    }
    if (line.text.includes(COLUMN)) {
      end()
      blocks.push({ text: line.text, level: null, page, role: roleOfRow(line, blocks.at(-1), body) })
      return
    }
    const isEnd = above !== undefined && above.text.length < FULL_LINE * longest && !/^\p{Ll}/u.test(line.text)
    if (isItem(line.text) || isEnd || (above !== undefined && !isNextTo(above, line))) end()
    const before = parts.at(-1) ?? ''
    // A word that was split at the end of a line.
    const isSplit = /\p{L}-$/u.test(before) && /^\p{Ll}/u.test(line.text)
    if (isSplit) parts[parts.length - 1] = before.slice(0, -1)
    parts.push(isSplit ? line.text : ` ${line.text}`)
  })
  end()
  return blocks
}

/** Of the longest one of the page: a shorter line is the last of its paragraph, or stands for itself. */
const FULL_LINE = 0.6

const isNextTo = (above: Line, line: Line): boolean => Math.abs(above.y - line.y) <= 1.8 * Math.max(line.size, 1)

function paragraph(text: string, page: number): Block {
  const trimmed = text.trim()
  return isItem(trimmed)
    ? { text: withoutBullet(trimmed), level: null, page, role: 'item' }
    : { text: trimmed, level: null, page }
}

/** The first row of a table names its columns if it stands out. */
function roleOfRow({ font }: Line, before: Block | undefined, body: Body): 'row' | 'header' {
  const isFirst = before?.role !== 'row' && before?.role !== 'header'
  return isFirst && font !== null && font !== body.font ? 'header' : 'row'
}

function headingLevel({ text, size, font }: Line, body: Body): number | null {
  const isShort = text.trim().split(/\s+/).length <= HEADING_WORDS
  if (!isShort || body.size === 0 || !/\p{L}/u.test(text) || text.includes(COLUMN)) return null
  if (size >= body.size * 1.6) return 1
  if (size >= body.size * 1.15) return 2
  if (font === null || font === body.font || size < body.size) return null
  if (printedQuestion(text.trim()) !== null) return QUESTION_LEVEL
  return /[.!,;]$/.test(text.trim()) || isItem(text.trim()) ? null : 3
}
