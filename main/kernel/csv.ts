import { ApiError } from '../contract/errors.ts'
import { decodeText } from './text-encoding.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

export interface CsvRow {
  /** Where the row begins in the file, from 1: what an editor shows. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface Csv {
  /** Cells of the first row, without the spaces around them. */
  readonly header: readonly string[]
  readonly delimiter: string
  /** The rest, without empty rows, at most 200 at a time. Read it once. */
  readonly portions: AsyncIterable<readonly CsvRow[]>
}

const DELIMITERS = [',', ';', '\t', '|']
/** A longer row means that a quotation mark was never closed. */
const LONGEST_ROW = 256 * 1024
/** As many as a spreadsheet can have. */
const MOST_COLUMNS = 16_384
/** An incomplete row is read again with every piece. */
const PIECE = 16 * 1024
/** The event loop gets a turn after as many rows. */
const PORTION_ROWS = 200

/**
 * Reads a CSV file of unknown origin as it arrives: in UTF-8, UTF-16 or Windows-1252, with or without a byte order
 * mark, separated by comma, semicolon, tab or bar. The time it takes is linear in the size of the file.
 * @throws ApiError validation_error if it has no header, a row that never ends, or too many columns.
 */
export async function readCsv(source: AsyncIterable<Uint8Array>): Promise<Csv> {
  const pieces = piecesOf(decodeText(source))
  const first = await firstLines(pieces)
  const hint = /^sep=([^"\r\n])(?:\r\n?|\n)/.exec(first)
  const delimiter = hint?.[1] ?? delimiterOf(first)
  const text = first.slice(hint?.[0].length ?? 0)
  const portions = parse(startingWith(text, pieces), delimiter, hint === null ? 1 : 2)
  const begun = await portions.next()
  const [head, ...rows] = begun.done === true ? [] : begun.value
  if (head === undefined)
    throw new ApiError('validation_error', 'The file is empty. Its first line must name the columns.').because(
      'file_empty',
    )
  const header = head.cells.map((cell) => cell.trim())
  return { header, delimiter, portions: rows.length === 0 ? portions : startingWith(rows, portions) }
}

/** @returns portions with at least one row. */
async function* parse(pieces: AsyncIterable<string>, delimiter: string, firstLine: number): AsyncGenerator<CsvRow[]> {
  let line = firstLine
  let unread = ''
  function* rowsOf(text: string, isWhole: boolean): Generator<CsvRow[]> {
    let at = 0
    let portion: CsvRow[] = []
    while (at < text.length) {
      const row = rowAt(text, at, delimiter, isWhole)
      if (row === undefined) break
      if (row.cells.length > MOST_COLUMNS) throw tooManyColumns(line)
      if (row.cells.some(isFilled)) portion.push({ line, cells: row.cells.map(plainCell) })
      line += row.lines
      at = row.end
      if (portion.length < PORTION_ROWS) continue
      yield portion
      portion = []
    }
    unread = text.slice(at)
    if (portion.length > 0) yield portion
    if (isWhole ? unread !== '' : unread.length > LONGEST_ROW) throw endless(line)
  }
  for await (const piece of pieces) {
    for (const portion of rowsOf(unread + piece, false)) {
      yield portion
      await yieldToEventLoop()
    }
    await yieldToEventLoop()
  }
  yield* rowsOf(unread, true)
}

interface Row {
  readonly cells: readonly string[]
  /** Where the next row begins. */
  readonly end: number
  /** How many lines of the file it takes. */
  readonly lines: number
}

/**
 * @param isWhole true: nothing follows the text.
 * @returns undefined if the row is not complete.
 */
function rowAt(text: string, from: number, delimiter: string, isWhole: boolean): Row | undefined {
  const cells: string[] = []
  let lines = 1
  let at = from
  for (;;) {
    const cell = text[at] === '"' ? quotedCell(text, at, delimiter) : unquotedCell(text, at, delimiter)
    // What follows can change how the end of the text is read: a second quotation mark, or a line feed.
    if (cell === undefined || (!isWhole && cell.end + 1 >= text.length)) return undefined
    cells.push(cell.text)
    if (cell.text.includes('\n')) lines += cell.text.split('\n').length - 1
    at = cell.end
    if (text[at] !== delimiter) break
    at++
  }
  return { cells, end: at + (text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1), lines }
}

interface Cell {
  readonly text: string
  /** Where the delimiter, the line break or the end of the text is. */
  readonly end: number
}

const isLineBreak = (character: string | undefined) => character === '\n' || character === '\r'

function unquotedCell(text: string, from: number, delimiter: string): Cell {
  let end = from
  while (end < text.length && text[end] !== delimiter && !isLineBreak(text[end])) end++
  return { text: text.slice(from, end), end }
}

/** @returns undefined if the cell is not closed. */
function quotedCell(text: string, from: number, delimiter: string): Cell | undefined {
  let quote = text.indexOf('"', from + 1)
  while (quote >= 0) {
    if (text[quote + 1] === '"') {
      quote = text.indexOf('"', quote + 2)
      continue
    }
    let end = quote + 1
    while (text[end] === ' ' && delimiter !== ' ') end++
    if (end >= text.length || text[end] === delimiter || isLineBreak(text[end])) {
      const inner = text.slice(from + 1, quote)
      return { text: inner.replaceAll('""', '"').replaceAll(/\r\n?/g, '\n'), end }
    }
    // An unescaped quotation mark in the middle of a cell. Some programs write such files.
    quote = text.indexOf('"', end)
  }
  return undefined
}

const isFilled = (cell: string): boolean => cell.trim() !== ''

const endless = (line: number) =>
  new ApiError(
    'validation_error',
    `The row that begins in line ${line} never ends. It probably has a quotation mark that is not closed.`,
  ).because('csv_row_open', { line })

const tooManyColumns = (line: number) =>
  new ApiError(
    'validation_error',
    `Line ${line} has more than ${MOST_COLUMNS.toLocaleString('en')} columns. Remove the columns that are not needed.`,
  ).because('csv_row_wide', { line, n: MOST_COLUMNS })

/** Reads until the text has a whole line, or ends. */
async function firstLines(pieces: AsyncIterator<string>): Promise<string> {
  let text = ''
  while (!hasWholeLine(text) && text.length < LONGEST_ROW) {
    const next = await pieces.next()
    if (next.done === true) break
    text += next.value
  }
  return text
}

/** With a character after it, which may belong to the line break. */
function hasWholeLine(text: string): boolean {
  const start = text.length - text.trimStart().length
  const end = text.slice(start).search(/[\r\n]/)
  return end >= 0 && start + end < text.length - 1
}

/** The one that separates most columns of the header. */
function delimiterOf(text: string): string {
  const header = text.trimStart().split(/[\r\n]/, 1)[0] ?? ''
  const outsideQuotes = header.split('"').filter((_, at) => at % 2 === 0)
  const counts = DELIMITERS.map((delimiter) => outsideQuotes.join('').split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}

/** Pieces of one size, however small or large the parts are in which the text arrives. */
async function* piecesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = ''
  for await (const part of text) {
    waiting += part
    let from = 0
    for (; waiting.length - from >= PIECE; from += PIECE) yield waiting.slice(from, from + PIECE)
    waiting = waiting.slice(from)
  }
  if (waiting !== '') yield waiting
}

/** What a spreadsheet runs as a formula when a cell begins with it. */
const FORMULA = /^[=+\-@\t\r]/
const NEUTRALISED = /^'[=+\-@\t\r\n]/

/** Removes the apostrophe that was put in front when the cell was exported. */
const plainCell = (cell: string): string => (NEUTRALISED.test(cell) ? cell.slice(1) : cell)

type CellValue = string | number | null

/** First in a file for spreadsheets, which otherwise read it in the encoding of the computer. */
export const CSV_BOM = '\uFEFF'

/** One row of a CSV file. A text that a spreadsheet would run as a formula gets a leading apostrophe. */
export const csvLine = (cells: readonly CellValue[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: CellValue): string {
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
