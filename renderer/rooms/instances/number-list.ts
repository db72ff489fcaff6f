import { COLUMN_NAMES, findColumn } from '../../../main/contract/list-columns.ts'
import { digitsOf } from '../messages/number.ts'

/** The unique phone numbers of a list, and the count of entries that are not phone numbers. */
interface NumberList {
  readonly numbers: readonly string[]
  readonly wrong: number
}

/**
 * Characters that spreadsheets put around numbers stored as text, and invisible characters that are copied with them.
 */
const DRESS = /[="'\u200B-\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g
const DASHES = /[\u2010-\u2015]/g

const numberIn = (entry: string): string | undefined =>
  digitsOf(entry.trim().replace(DRESS, '').replace(/^tel:/i, '').replace(DASHES, '-'))

/** Reads typed or pasted phone numbers, one per line or separated by commas. */
export function readNumberList(text: string): NumberList {
  const numbers = new Set<string>()
  let wrong = 0
  for (const entry of text.split(/[\n\r,;\t]/)) {
    if (entry.trim() === '') continue
    const number = numberIn(entry)
    if (number === undefined) wrong += 1
    else numbers.add(number)
  }
  return { numbers: [...numbers], wrong }
}

/**
 * The cells of the column with the phone numbers: the column with a usual name, otherwise the one with the most phone
 * numbers.
 * @param rows of a CSV file
 */
export function numberColumnOf(rows: readonly (readonly string[])[]): readonly string[] {
  const named = findColumn(rows[0] ?? [], COLUMN_NAMES.phone)
  const columns = rows[0]?.map((_, at) => rows.map((row) => row[at]?.trim() ?? '').filter((cell) => cell !== '')) ?? []
  if (named >= 0) return columns[named]?.slice(1) ?? []
  const counts = columns.map((cells) => cells.filter((cell) => numberIn(cell) !== undefined).length)
  const most = Math.max(0, ...counts)
  const best = most === 0 ? [] : (columns[counts.indexOf(most)] ?? [])
  // The first row may be a header.
  return best.slice(best[0] !== undefined && numberIn(best[0]) === undefined ? 1 : 0)
}
