import type { RecipientProblem } from '../../../main/contract/campaign-recipient.ts'
import { COLUMN_NAMES, findColumn } from '../../../main/contract/list-columns.ts'
import type { ImportField } from '../../parts/column-mapping.ts'
import { findPhoneColumn, type PeopleTable } from './people-file.ts'

/** The meaning of columns. All others are variables, unless excluded. */
export interface PeopleColumns {
  readonly phone: number | undefined
  readonly name: number | undefined
  readonly left: readonly number[]
}

/** By name, otherwise by content. */
export function guessColumns(table: PeopleTable): PeopleColumns {
  const header = table.columns.map(({ name }) => name)
  const find = (names: readonly string[], taken: readonly number[]) => {
    const at = findColumn(header, names, taken)
    return at < 0 ? undefined : at
  }
  const phone = find(COLUMN_NAMES.phone, []) ?? findPhoneColumn(table)
  const name = find(COLUMN_NAMES.name, phone === undefined ? [] : [phone]) ?? unnamedNeighbor(table, phone)
  return { phone, name, left: unnamed(table).filter((at) => at !== phone && at !== name) }
}

/** Without a header, a column has no name for a variable. */
const unnamed = ({ columns }: PeopleTable) => columns.flatMap(({ name }, at) => (name === '' ? [at] : []))

/** In a list without a header, the column beside the number is most likely the name. */
function unnamedNeighbor({ columns }: PeopleTable, phone: number | undefined): number | undefined {
  const others = columns.flatMap(({ name }, at) => (name === '' && at !== phone ? [at] : []))
  return columns.every(({ name }) => name === '') ? others[0] : undefined
}

/** Columns that become variables. */
export const listVariableColumns = (
  { columns }: PeopleTable,
  { phone, name, left }: PeopleColumns,
): readonly number[] => columns.flatMap((_, at) => (at === phone || at === name || left.includes(at) ? [] : [at]))

export const variableField = (name: string, at: number): ImportField => ({
  ...{ key: `column ${at}`, label: `{{${name}}}`, isRequired: false, aliases: [] },
})

/** The list in the form that the service imports. Its line n + 2 is row n. */
export function toPeopleCsv(table: PeopleTable, columns: PeopleColumns): string {
  const variables = listVariableColumns(table, columns)
  const header = [
    'phone',
    ...(columns.name === undefined ? [] : ['name']),
    ...variables.map((at) => table.columns[at]?.name ?? ''),
  ]
  const places = [columns.phone ?? 0, ...(columns.name === undefined ? [] : [columns.name]), ...variables]
  const lines = table.rows.map(({ cells }) => places.map((at) => quoted(cells[at] ?? '')).join(','))
  return [header.map(quoted).join(','), ...lines].join('\n')
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The service counts the lines it received; people look into their own file. */
export const inOwnFile = (problems: readonly RecipientProblem[], { rows }: PeopleTable): readonly RecipientProblem[] =>
  problems.map((problem) => ({ ...problem, line: rows[problem.line - 2]?.line ?? problem.line }))

/** Numbers rounded by a spreadsheet program: `5.51199E+12`. Their last digits are lost. */
export const countRounded = ({ rows }: PeopleTable, phone: number): number =>
  rows.filter(({ cells }) => /^\d[.,]?\d*e\+\d+$/i.test(cells[phone] ?? '')).length
