import type { FileColumn } from '../../parts/column-mapping.ts'

/** People in a file or a pasted list, before columns are assigned. */
export interface PeopleTable {
  readonly columns: readonly FileColumn[]
  readonly rows: readonly PeopleRow[]
}

interface PeopleRow {
  /** Line in the file, from 1, counting the header. */
  readonly line: number
  readonly cells: readonly string[]
}

const SAMPLES = 3
/** Minimum digits of a phone number; a year or a postal code has fewer. */
const MIN_DIGITS = 8

/** @throws Error if the file is not a spreadsheet. */
export async function readPeopleFile(file: File): Promise<PeopleTable> {
  return /\.xlsx$/i.test(file.name)
    ? readSpreadsheet(await file.arrayBuffer())
    : readPeopleText(decodeText(new Uint8Array(await file.arrayBuffer())))
}

/** Lists that are pasted or saved as text: the delimiter is detected. */
export async function readPeopleText(text: string): Promise<PeopleTable> {
  const { default: papaparse } = await import('papaparse')
  const { data } = papaparse.parse<string[]>(text, { delimitersToGuess: [';', ',', '\t', '|'] })
  return toTable(data)
}

async function readSpreadsheet(bytes: ArrayBuffer): Promise<PeopleTable> {
  const { readSheet } = await import('read-excel-file/universal')
  const sheet = await readSheet(bytes)
  return toTable(sheet.map((row) => row.map(cellText)))
}

/** Numbers are written in full, so that a phone number in a number cell does not become 5.5E+12. */
export function cellText(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : ''
}

/** UTF-8 and UTF-16, otherwise the Windows encoding that older programs use. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function toTable(lines: readonly (readonly string[])[]): PeopleTable {
  const rows = lines
    .map((cells, index) => ({ line: index + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const [first] = rows
  const hasHeader = first !== undefined && !first.cells.some(looksLikePhone)
  const people = hasHeader ? rows.slice(1) : rows
  const width = rows.slice(0, 1_000).reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const columns = Array.from({ length: width }, (_, index) => ({
    name: hasHeader ? (first.cells[index] ?? '') : '',
    samples: people.slice(0, SAMPLES).map(({ cells }) => cells[index] ?? ''),
  }))
  return { columns, rows: people }
}

export function looksLikePhone(text: string): boolean {
  return /^\+?[\d\s().\-/]+$/.test(text) && text.replace(/\D/g, '').length >= MIN_DIGITS
}

/** The column that holds phone numbers in most of its samples; undefined if none does. */
export function findPhoneColumn({ rows, columns }: PeopleTable): number | undefined {
  const some = rows.slice(0, 50)
  const hits = columns.map((_, index) => some.filter(({ cells }) => looksLikePhone(cells[index] ?? '')).length)
  const best = hits.indexOf(Math.max(...hits))
  return best >= 0 && (hits[best] ?? 0) > some.length / 2 ? best : undefined
}
