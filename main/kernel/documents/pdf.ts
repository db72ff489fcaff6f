import { getDocumentProxy } from 'unpdf'
import { DocumentError, type Block } from './blocks.ts'

/** One line of a page, and how large its letters are. */
interface Line {
  text: string
  readonly size: number
  readonly y: number
}

const PAGES_AT_MOST = 3_000
/** Pages of a text have hundreds; a scan has none, or a stamp and a page number. */
const LETTERS_PER_PAGE = 15
const HEADING_WORDS = 14

/** @throws DocumentError encrypted, scanned, broken, too_long */
export async function blocksOfPdf(bytes: Uint8Array): Promise<Block[]> {
  // Errors only: a warning of pdf.js has nobody to read it.
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
  const bodySize = commonSize(pages.flat())
  return withoutRepeated(pages).flatMap((lines, at) => blocksOfPage(lines, bodySize, at + 1))
}

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

function linesOf(items: readonly object[]): Line[] {
  const lines: Line[] = []
  let isNew = true
  for (const item of items) {
    // Marks between them have no text.
    if (!('str' in item) || !('transform' in item)) continue
    const { str, transform, hasEOL } = item as { str: string; transform: readonly number[]; hasEOL: boolean }
    const [, , skew = 0, height = 0, , y = 0] = transform
    const size = Math.round(2 * Math.hypot(skew, height)) / 2
    const last = lines.at(-1)
    if (isNew || last === undefined) {
      if (str.trim() !== '') lines.push({ text: str, size, y })
    } else last.text += str
    isNew = hasEOL
  }
  return lines
}

/** The size that most letters have. */
function commonSize(lines: readonly Line[]): number {
  const letters = new Map<number, number>()
  for (const { size, text } of lines) letters.set(size, (letters.get(size) ?? 0) + text.length)
  return [...letters].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0
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

function blocksOfPage(lines: readonly Line[], bodySize: number, page: number): Block[] {
  const blocks: Block[] = []
  let parts: string[] = []
  const end = () => {
    if (parts.length > 0) blocks.push({ text: parts.join(''), level: null, page })
    parts = []
  }
  lines.forEach((line, at) => {
    const level = headingLevel(line, bodySize)
    if (level !== null) {
      end()
      const before = blocks.at(-1)
      // A heading of two lines.
      if (before?.level === level && lines[at - 1]?.size === line.size) {
        blocks[blocks.length - 1] = { ...before, text: `${before.text} ${line.text}` }
      } else blocks.push({ text: line.text, level, page })
      return
    }
    const above = lines[at - 1]
    if (above !== undefined && Math.abs(above.y - line.y) > 1.8 * Math.max(line.size, 1)) end()
    const before = parts.at(-1) ?? ''
    // A word that was split at the end of a line.
    const isSplit = /\p{L}-$/u.test(before) && /^\p{Ll}/u.test(line.text)
    if (isSplit) parts[parts.length - 1] = before.slice(0, -1)
    parts.push(isSplit ? line.text : ` ${line.text}`)
  })
  end()
  return blocks
}

function headingLevel({ text, size }: Line, bodySize: number): number | null {
  const isShort = text.trim().split(/\s+/).length <= HEADING_WORDS
  if (!isShort || bodySize === 0 || !/\p{L}/u.test(text)) return null
  if (size >= bodySize * 1.6) return 1
  return size >= bodySize * 1.15 ? 2 : null
}
