import type { ImportResult } from '../contract/shapes.ts'
import { importCsv, type FileRow, type ImportColumn } from './csv-import.ts'
import { phoneCell } from './csv.ts'
import type { Files } from './files.ts'
import { parsePhone, personKey } from './phone-number.ts'

interface NumberRow<Field extends string> extends FileRow<Field | 'phone'> {
  /** Digits with country code. */
  readonly phone: string
  /** Canonical, for comparing. */
  readonly number: string
}

interface NumberImport<Field extends string> {
  readonly source: AsyncIterable<Uint8Array>
  readonly country: string | null
  readonly columns: readonly ImportColumn<Field | 'phone'>[]
  /** Stores rows with different numbers in one commit. @returns how many were new, and how many changed. */
  save(rows: readonly NumberRow<Field>[]): Promise<{ created: number; updated: number }>
}

const NUMBERS_AT_ONCE = 200

/** Imports a CSV file with a number in each row; of rows with the same number the first. @throws ApiError */
export async function importNumbers<Field extends string>(
  files: Pick<Files, 'storeTemporarily'>,
  { source, country, columns, save }: NumberImport<Field>,
): Promise<ImportResult> {
  const seen = new Set<string>()
  const count = { created: 0, updated: 0, duplicates: 0 }
  const { rows, invalid, problems } = await importCsv<Field | 'phone', NumberRow<Field>, NumberProblem>(files, {
    ...{ source, columns, batch: NUMBERS_AT_ONCE },
    read(row, refuse) {
      const read = readNumber<Field>(row, country)
      if ('reason' in read) refuse(read)
      else if (seen.has(read.number)) count.duplicates++
      else {
        seen.add(read.number)
        return read
      }
      return undefined
    },
    async save(batch) {
      const { created, updated } = await save(batch)
      count.created += created
      count.updated += updated
      count.duplicates += batch.length - created - updated
    },
  })
  return { rows, ...count, invalid, problems }
}

type NumberProblem = ImportResult['problems'][number]

function readNumber<Field extends string>(
  row: FileRow<Field | 'phone'>,
  country: string | null,
): NumberRow<Field> | NumberProblem {
  const text = row.values.phone ?? ''
  const wrong = (reason: NumberProblem['reason']) => ({ line: row.line, phone: text.slice(0, 100), reason })
  if (text === '') return wrong('missing_number')
  const cell = phoneCell(text)
  if (cell === undefined) return wrong('rounded_number')
  const phone = parsePhone(cell, country)
  return phone === undefined ? wrong('invalid_number') : { ...row, phone, number: personKey(phone) }
}
