import Papa from 'papaparse'
import { ApiError } from '../contract/errors.ts'
import { decodeText } from './text-encoding.ts'

export interface CsvRow {
  /** Where the row begins in the file, from 1: what an editor shows. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface Csv {
  /** Cells of the first row, without the spaces around them. */
  readonly header: readonly string[]
  readonly delimiter: string
  /** The rest, without empty rows, a few hundred at a time. Read it once. */
  readonly portions: AsyncIterable<readonly CsvRow[]>
}

const DELIMITERS = [',', ';', '\t', '|']
/** A longer row means that a quotation mark was never closed. */
const LONGEST_ROW = 256 * 1024
/** The parser gets the text in pieces of this size, so that others have their turn. */
const PIECE = 16 * 1024

/**
 * Reads a CSV file of unknown origin as it arrives: in UTF-8, UTF-16 or Windows-1252, with or without a byte order mark,
 * separated by comma, semicolon, tab or bar.
 * @throws ApiError validation_error if it has no header, or a row that never ends.
 */
export async function readCsv(source: AsyncIterable<Uint8Array>): Promise<Csv> {
  const pieces = cut(decodeText(source))
  const first = await firstLines(pieces)
  const hint = /^sep=(.)(?:\r\n?|\n)/.exec(first.text)
  const delimiter = hint?.[1] ?? delimiterOf(first.text)
  const text = first.text.slice(hint?.[0].length ?? 0)
  const portions = parse(chain(text, pieces), delimiter, hint === null ? 1 : 2)
  const begun = await portions.next()
  const [head, ...rows] = begun.done === true ? [] : begun.value
  if (head === undefined)
    throw new ApiError('validation_error', 'The file is empty. Its first line must name the columns.')
  return { header: head.cells.map((cell) => cell.trim()), delimiter, portions: startingWith(rows, portions) }
}

/** @returns portions with at least one row. */
async function* parse(pieces: AsyncIterable<string>, delimiter: string, firstLine: number): AsyncGenerator<CsvRow[]> {
  let line = firstLine
  let unread = ''
  const take = (text: string, isWhole: boolean): CsvRow[][] => {
    const { found, rest } = wholeRows(text, delimiter, isWhole)
    const rows: CsvRow[] = []
    for (const cells of found) {
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells: cells.map(plainCell) })
      line += 1 + lineBreaks(cells)
    }
    unread = rest + unread
    return rows.length === 0 ? [] : [rows]
  }
  for await (const piece of pieces) {
    const text = unread + piece
    const end = lastBreak(text)
    unread = text.slice(end)
    if (end > 0) yield* take(text.slice(0, end), false)
    if (unread.length > LONGEST_ROW) throw endless(line)
  }
  const last = unread
  unread = ''
  yield* take(last, true)
  if (unread !== '') throw endless(line)
}

/**
 * @param text up to a line break, which can be in the middle of a quoted cell, or to the end of the file.
 * @returns the rows, and the text of a last one that is not complete.
 */
function wholeRows(text: string, delimiter: string, isWhole: boolean): { found: string[][]; rest: string } {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  const found: string[][] = []
  const end = { read: 0, isOpen: false }
  const step = ({ data: [row = []], errors, meta }: Papa.ParseStepResult<string[][]>) => {
    end.isOpen = errors.some(({ code }) => code === 'MissingQuotes')
    if (end.isOpen) return
    end.read = meta.cursor
    found.push(row)
  }
  // Not Papa.parse: what it makes for each call keeps the rows alive until all of the heap is collected.
  new Papa.Parser({ delimiter, newline: '\n', step }).parse(lines, 0, false)
  // The parser takes what follows the last line break for a row.
  if (!end.isOpen && !isWhole && found.at(-1)?.join('') === '') found.pop()
  return { found, rest: end.isOpen ? lines.slice(end.read) : '' }
}

/** Where the last complete line ends. A carriage return at the very end can belong to a line feed that follows. */
const lastBreak = (text: string): number =>
  Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1

const lineBreaks = (cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.includes('\n') ? cell.split('\n').length - 1 : 0), 0)

const endless = (line: number) =>
  new ApiError(
    'validation_error',
    `The row that begins in line ${line} never ends. It probably has a quotation mark that is not closed.`,
  )

/** Reads until the text has a whole line, or ends. */
async function firstLines(pieces: AsyncIterator<string>): Promise<{ text: string }> {
  let text = ''
  while (!/\S.*[\r\n]./s.test(text) && text.length < LONGEST_ROW) {
    const next = await pieces.next()
    if (next.done === true) break
    text += next.value
  }
  return { text }
}

/** The one that separates most columns of the header. */
function delimiterOf(text: string): string {
  const header = (/^\s*(.*)/.exec(text)?.[1] ?? '').replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

async function* startingWith<T>(first: readonly T[], rest: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
  if (first.length > 0) yield first
  yield* rest
}

async function* chain(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* piecesOf(first)
  yield* rest
}

async function* cut(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of text) yield* piecesOf(part)
}

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += PIECE) yield text.slice(from, from + PIECE)
}

/** What a spreadsheet runs as a formula when a cell begins with it. */
const FORMULA = /^[=+\-@\t\r]/
const NEUTRALISED = /^'[=+\-@\t\r\n]/

/** A cell that was neutralised when it was exported is what it was before. */
const plainCell = (cell: string): string => (NEUTRALISED.test(cell) ? cell.slice(1) : cell)

type Cell = string | number | null

/** First in a file for spreadsheets, which otherwise read it in the encoding of the computer. */
export const CSV_BOM = '\uFEFF'

/** One row of a CSV file. A text that a spreadsheet would run as a formula gets a leading apostrophe. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n;]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

const EXPONENT = /^(\d)(?:[.,](\d+))?E\+?(\d{1,2})$/i

/**
 * The text of a phone cell, with what spreadsheets do to long numbers undone: `5.511991234567E+12`, `5511991234567.0`.
 * @returns undefined if digits were lost, as in `5.51199E+12`.
 */
export function phoneCell(cell: string): string | undefined {
  const text = cell.trim().replace(/^(\d+)[.,]0+$/, '$1')
  const [, first, decimals = '', power] = EXPONENT.exec(text) ?? []
  if (first === undefined) return text
  return decimals.length === Number(power) ? first + decimals : undefined
}
