import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { findColumn } from '../contract/list-columns.ts'
import type { ImportResult } from '../contract/shapes.ts'
import { phoneCell, readCsv, type CsvRow } from './csv.ts'
import type { Files } from './files.ts'
import { personKey, parsePhone } from './phone-number.ts'

/** Which column of the file has which field. */
interface ImportColumn {
  readonly field: string
  /** The name of the column as the caller gave it, or `#2` for the second one. */
  readonly wanted: string | undefined
  /** Names that are tried if the caller gave none. */
  readonly names: readonly string[]
  readonly isRequired?: boolean
}

interface ImportRow<Field extends string> {
  readonly line: number
  /** Digits with country code. */
  readonly phone: string
  /** Canonical, for comparing. */
  readonly number: string
  /** Text of the columns there are, trimmed; never empty. */
  readonly values: Readonly<Partial<Record<Field, string>>>
}

interface Import<Field extends string> {
  readonly source: AsyncIterable<Uint8Array>
  readonly country: string | null
  readonly columns: readonly (ImportColumn & { readonly field: Field | 'phone' })[]
  /** Stores rows with different numbers in one commit. @returns how many were new, and how many changed. */
  save(rows: readonly ImportRow<Field>[]): Promise<{ created: number; updated: number }>
}

const BATCH = 200

/**
 * Imports a CSV file with a number in each row. The file is read after the upload is complete, so that nothing of an
 * interrupted upload is stored.
 * @throws ApiError validation_error if it is no CSV file or has no column for the numbers.
 */
export async function importCsv<Field extends string>(
  files: Pick<Files, 'storeTemporarily'>,
  { source, country, columns, save }: Import<Field>,
): Promise<ImportResult> {
  const file = await files.storeTemporarily(source, LIMITS.importBytes)
  try {
    // A first pass stores nothing, so that a file with an error further down is refused as a whole.
    const { header, portions: checked } = await readCsv(file.parts())
    const check = checked[Symbol.asyncIterator]()
    const places = await (async () => {
      try {
        const found = columns.map((column) => [column.field, placeOf(column, header)] as const)
        while ((await check.next()).done !== true);
        return found
      } finally {
        await check.return?.()
      }
    })()
    const { portions } = await readCsv(file.parts())
    const seen = new Set<string>()
    const count = { rows: 0, created: 0, updated: 0, duplicates: 0, invalid: 0 }
    const problems: ImportResult['problems'] = []
    let batch: ImportRow<Field>[] = []
    const flush = async () => {
      const { created, updated } = await save(batch)
      count.created += created
      count.updated += updated
      count.duplicates += batch.length - created - updated
      batch = []
    }
    const add = (row: CsvRow) => {
      count.rows++
      const read = readRow<Field>(row, places, country)
      if ('reason' in read) {
        count.invalid++
        if (problems.length < LIMITS.importProblems) problems.push(read)
      } else if (seen.has(read.number)) count.duplicates++
      else {
        seen.add(read.number)
        batch.push(read)
      }
    }
    for await (const rows of portions) {
      for (const row of rows) {
        add(row)
        if (batch.length >= BATCH) await flush()
      }
    }
    if (batch.length > 0) await flush()
    return { ...count, problems }
  } finally {
    await file.remove()
  }
}

function readRow<Field extends string>(
  { line, cells }: CsvRow,
  places: readonly (readonly [Field | 'phone', number])[],
  country: string | null,
): ImportRow<Field> | ImportResult['problems'][number] {
  const found = places.map(([field, at]) => [field, (cells[at] ?? '').trim()] as const)
  const values = Object.fromEntries(found.filter(([, text]) => text !== '')) as Partial<Record<Field | 'phone', string>>
  const text = values.phone ?? ''
  const wrong = (reason: ImportResult['problems'][number]['reason']) => ({ line, phone: text.slice(0, 100), reason })
  if (text === '') return wrong('missing_number')
  const cell = phoneCell(text)
  if (cell === undefined) return wrong('rounded_number')
  const phone = parsePhone(cell, country)
  return phone === undefined ? wrong('invalid_number') : { line, phone, number: personKey(phone), values }
}

/** @returns the index of the column; -1 if there is none and none is required. */
function placeOf({ wanted, names, field, isRequired }: ImportColumn, header: readonly string[]): number {
  const [, position] = /^#(\d{1,4})$/.exec(wanted ?? '') ?? []
  const at = position !== undefined ? Number(position) - 1 : findColumn(header, wanted === undefined ? names : [wanted])
  if (at >= 0 && at < header.length) return at
  if (wanted === undefined && isRequired !== true) return -1
  const there = header.slice(0, 20).map((name) => `“${name.slice(0, 40)}”`)
  throw new ApiError(
    'validation_error',
    `The file has no column ${wanted ?? field}. Its columns are ${there.join(', ')}. Nothing was imported.`,
  ).because('csv_column_missing', { column: wanted ?? field, columns: there.join(', ') })
}
