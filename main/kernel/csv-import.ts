import { ApiError } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { findColumn } from '../contract/list-columns.ts'
import { readCsv } from './csv.ts'
import type { FileContent } from './file-content.ts'
import type { Files } from './files.ts'

/** Which column of the file has which field. */
export interface ImportColumn<Field extends string> {
  readonly field: Field
  /** The name of the column as the caller gave it, or `#2` for the second one. */
  readonly wanted?: string | undefined
  /** Names that are tried if the caller gave none. */
  readonly names: readonly string[]
  readonly isRequired?: boolean
}

export interface FileRow<Field extends string> {
  readonly line: number
  /** Text of the columns there are, trimmed; never empty. */
  readonly values: Readonly<Partial<Record<Field, string>>>
}

interface RowImport<Field extends string, Row, Problem> {
  readonly source: AsyncIterable<Uint8Array>
  readonly columns: readonly ImportColumn<Field>[]
  /** Rows that are stored in one commit. */
  readonly batch: number
  /** @returns what is stored; undefined: nothing. */
  read(row: FileRow<Field>, refuse: (problem: Problem) => void): Row | undefined
  save(rows: readonly Row[], refuse: (problem: Problem) => void): Promise<void>
}

/**
 * Imports a CSV file row by row. The file is read after the upload is complete, and a first pass stores nothing, so that
 * nothing of an interrupted upload, or of a file with an error further down, is stored.
 * @throws ApiError validation_error if it is no CSV file or lacks a column.
 */
export async function importCsv<Field extends string, Row, Problem>(
  files: Pick<Files, 'storeTemporarily'>,
  { source, columns, batch: batchRows, read, save }: RowImport<Field, Row, Problem>,
): Promise<{ rows: number; invalid: number; problems: Problem[] }> {
  const file = await files.storeTemporarily(source, LIMITS.importBytes)
  try {
    const places = await readParts(file, (bytes) => checked(bytes, columns))
    const found = { rows: 0, invalid: 0, problems: [] as Problem[] }
    const refuse = (problem: Problem) => {
      found.invalid++
      if (found.problems.length < LIMITS.importProblems) found.problems.push(problem)
    }
    let batch: Row[] = []
    await readParts(file, async (bytes) => {
      for await (const rows of (await readCsv(bytes)).portions) {
        for (const { line, cells } of rows) {
          found.rows++
          const row = read({ line, values: valuesOf(cells, places) }, refuse)
          if (row !== undefined) batch.push(row)
          if (batch.length < batchRows) continue
          await save(batch, refuse)
          batch = []
        }
      }
    })
    if (batch.length > 0) await save(batch, refuse)
    return found
  } finally {
    await file.remove()
  }
}

/** Closes the file afterwards. A reader that has not begun, or that throws between two parts, does not. */
async function readParts<T>(
  file: Pick<FileContent, 'parts'>,
  read: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const parts = file.parts()[Symbol.asyncIterator]()
  try {
    return await read({ [Symbol.asyncIterator]: () => parts })
  } finally {
    await parts.return?.()
  }
}

type Places<Field extends string> = readonly (readonly [Field, number])[]

/** Reads the file to its end. @returns where each column is. */
async function checked<Field extends string>(
  bytes: AsyncIterable<Uint8Array>,
  columns: readonly ImportColumn<Field>[],
): Promise<Places<Field>> {
  const { header, portions } = await readCsv(bytes)
  const check = portions[Symbol.asyncIterator]()
  try {
    const places = columns.map((column) => [column.field, placeOf(column, header)] as const)
    while ((await check.next()).done !== true);
    return places
  } finally {
    await check.return?.()
  }
}

function valuesOf<Field extends string>(cells: readonly string[], places: Places<Field>) {
  const texts = places.map(([field, at]) => [field, (cells[at] ?? '').trim()] as const)
  return Object.fromEntries(texts.filter(([, text]) => text !== '')) as Partial<Record<Field, string>>
}

/** @returns the index of the column; -1 if there is none and none is required. */
function placeOf({ wanted, names, field, isRequired }: ImportColumn<string>, header: readonly string[]): number {
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
