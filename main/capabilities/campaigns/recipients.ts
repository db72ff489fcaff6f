import { validatePhoneNumberLength, type CountryCode } from 'libphonenumber-js/max'
import type {
  NewRecipient,
  ProblemReason,
  RecipientCounts,
  RecipientProblem,
} from '../../contract/campaign-recipient.ts'
import { variableKey } from '../../contract/campaign-text.ts'
import { ApiError } from '../../contract/errors.ts'
import { COLUMN_NAMES, findColumn } from '../../contract/list-columns.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { FileBody } from '../../contract/operation.ts'
import { phoneCell, readCsv, type CsvRow } from '../../kernel/csv.ts'
import { parsePhone, personKey, readPhone } from '../../kernel/phone-number.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'

/** A valid row of a list. */
export interface AcceptedRecipient {
  readonly line: number
  /** The number as written in the list. */
  readonly written: string
  readonly phone: string
  readonly canonical: string
  readonly name: string | null
  /** JSON; null: none. */
  readonly variables: string | null
}

/** A list of recipients, checked row by row. */
export interface RecipientList {
  readonly accepted: readonly AcceptedRecipient[]
  readonly variables: readonly string[]
  readonly tally: Tally
}

/** The result of reading a list. */
export interface Tally {
  readonly recipients: { -readonly [K in keyof RecipientCounts]: RecipientCounts[K] }
  readonly problems: RecipientProblem[]
}

export const emptyTally = (): Tally => ({
  recipients: { accepted: 0, duplicates: 0, invalid: 0, opted_out: 0 },
  problems: [],
})

interface Reading {
  /** Country for numbers without a country code. */
  readonly country: string | null
  /**
   * Numbers of contacts. They are accepted even if no numbering plan has them, because these people have already
   * written.
   */
  readonly known?: ReadonlySet<string>
}

interface Row {
  readonly line: number
  readonly phone: string
  readonly name: string | null
  readonly values: Readonly<Record<string, string>>
}

const ROWS_AT_ONCE = 500
const LONGEST_SHOWN = 40

export function refuse(tally: Tally, line: number, phone: string, reason: ProblemReason): void {
  const { recipients, problems } = tally
  if (reason === 'duplicate') recipients.duplicates++
  else if (reason === 'opted_out') recipients.opted_out++
  else recipients.invalid++
  if (problems.length < LIMITS.campaignProblems)
    problems.push({ line, phone: phone.slice(0, LONGEST_SHOWN).toWellFormed(), reason })
}

function createReader({ country, known: contacts }: Reading) {
  const accepted: AcceptedRecipient[] = []
  const tally = emptyTally()
  const known = new Set<string>()
  const variables = new Set<string>()
  return {
    add({ line, phone: written, name, values }: Row): void {
      const refused = (reason: ProblemReason) => refuse(tally, line, written, reason)
      const phone = contacts?.has(written) === true ? readPhone(written, country) : parsePhone(written, country)
      if (phone === undefined) return refused(reasonFor(written, country))
      const shortName = name?.trim() ?? ''
      if (shortName.length > LIMITS.campaignNameLength) return refused('name_too_long')
      const entries = Object.entries(values).filter(([, value]) => value !== '')
      if (entries.some(([, value]) => value.length > LIMITS.campaignValueLength)) return refused('value_too_long')
      const canonical = personKey(phone)
      if (known.has(canonical)) return refused('duplicate')
      known.add(canonical)
      accepted.push({
        ...{ line, written, phone, canonical },
        name: shortName === '' ? null : shortName,
        variables: entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries)),
      })
    },
    /** The rows accepted since the last call. */
    take: (): readonly AcceptedRecipient[] => accepted.splice(0),
    addVariables: (names: Iterable<string>) => {
      for (const name of names) variables.add(name)
    },
    finish: (): RecipientList => ({ accepted, variables: [...variables], tally }),
  }
}

/** @param given in the order in which they are sent to. */
export async function readRecipients(given: readonly NewRecipient[], reading: Reading): Promise<RecipientList> {
  const reader = createReader(reading)
  for (const [index, { phone, name = null, variables = {} }] of given.entries()) {
    const values = Object.fromEntries(
      Object.entries(variables).map(([key, value]) => [variableKey(key), value.toWellFormed()]),
    )
    reader.addVariables(Object.keys(values))
    reader.add({ line: index + 1, phone, name: name?.toWellFormed() ?? null, values })
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await yieldToEventLoop()
  }
  return reader.finish()
}

const PHONE = 'phone'
const NAME = 'name'

/** Recipients in sending order, in portions. */
export interface RecipientSource {
  readonly variables: readonly string[]
  /** Can be read only once. */
  readonly portions: AsyncIterable<readonly AcceptedRecipient[]> | Iterable<readonly AcceptedRecipient[]>
  /** Complete when the last portion has been read. */
  readonly tally: Tally
}

export const sourceOf = ({ accepted, variables, tally }: RecipientList): RecipientSource => ({
  ...{ variables, tally },
  portions: portionsOf(accepted),
})

export function* portionsOf(rows: readonly AcceptedRecipient[]): Generator<readonly AcceptedRecipient[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) yield rows.slice(from, from + ROWS_AT_ONCE)
}

/**
 * Reads a file twice: once to check that all of it is valid, and again while its rows are stored. Only the bytes of
 * the file are kept, never all of its rows.
 * @param file a CSV file: a column of numbers, perhaps one of names (contract/list-columns.ts), every other one a
 * variable.
 * @throws ApiError validation_error for an invalid file, or one without a usable row
 */
export async function readRecipientFile(
  { stream, ended }: Pick<FileBody, 'stream' | 'ended'>,
  reading: Reading,
): Promise<RecipientSource> {
  const bytes: Uint8Array[] = []
  for await (const chunk of stream) bytes.push(chunk)
  await requireUsableFile(bytes, reading)
  const { variables, portions } = await readRows(bytes)
  const reader = createReader(reading)
  async function* read(): AsyncGenerator<readonly AcceptedRecipient[]> {
    for await (const rows of portions) {
      ended.throwIfAborted()
      for (const row of rows) reader.add(row)
      yield* portionsOf(reader.take())
    }
  }
  return { variables, portions: read(), tally: reader.finish().tally }
}

async function requireUsableFile(bytes: readonly Uint8Array[], reading: Reading): Promise<void> {
  const { portions } = await readRows(bytes)
  const reader = createReader(reading)
  const { accepted } = reader.finish()
  let count = 0
  for await (const rows of portions) {
    count += rows.length
    for (const row of rows) {
      if (accepted.length > 0) break
      reader.add(row)
    }
  }
  if (count === 0) throw wrong('The file has no rows below its first line.').because('csv_rows_none')
  requireSomeUsable(reader.finish())
}

async function readRows(bytes: readonly Uint8Array[]) {
  const { header, portions } = await readCsv(each(bytes))
  const phoneAt = findColumn(header, COLUMN_NAMES.phone)
  const nameAt = findColumn(header, COLUMN_NAMES.name, [phoneAt])
  // A column `nome` provides the name and is still available as {{nome}}.
  const columns = header.map((name, at) => (at === phoneAt ? PHONE : variableKey(name)))
  requireColumns(header, columns)
  const others = columns.flatMap((key, at) => (key === PHONE || key === NAME || key === '' ? [] : [{ key, at }]))
  const rowOf = ({ line, cells }: CsvRow): Row => {
    const written = cells[phoneAt] ?? ''
    const values: Record<string, string> = {}
    for (const { key, at } of others) values[key] = (cells[at] ?? '').trim().toWellFormed()
    const name = (nameAt < 0 ? '' : (cells[nameAt] ?? '')).toWellFormed()
    return { line, phone: phoneCell(written) ?? written, name, values }
  }
  async function* read(): AsyncGenerator<readonly Row[]> {
    for await (const rows of portions) yield rows.map(rowOf)
  }
  return { variables: [...new Set(others.map(({ key }) => key))], portions: read() }
}

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

function requireColumns(header: readonly string[], columns: readonly string[]): void {
  if (!columns.includes(PHONE)) {
    const seen = header.slice(0, 8).map((name) => JSON.stringify(name.slice(0, 40)))
    throw wrong(
      `The file has no column phone. Its first line has ${seen.join(', ')}. Name the column of the numbers phone.`,
    ).because('csv_column_missing', { column: PHONE, columns: seen.join(', ') })
  }
  const lastAt = new Map(columns.map((name, at) => [name, at]))
  const twice = columns.find((name, at) => name !== '' && lastAt.get(name) !== at)
  if (twice !== undefined)
    throw wrong(`The file has two columns ${JSON.stringify(twice)}. Rename one of them.`).because('csv_column_twice', {
      column: twice,
    })
  const variables = columns.filter((name) => name !== '' && name !== PHONE && name !== NAME)
  if (variables.length > LIMITS.campaignVariables)
    throw wrong(
      `The file has ${variables.length} columns besides phone and name; the most is ${LIMITS.campaignVariables}.`,
    ).because('csv_columns_many', { n: LIMITS.campaignVariables })
  const long = variables.find((name) => name.length > LIMITS.campaignVariableLength || /[{}|\n]/.test(name))
  if (long !== undefined)
    throw wrong(
      `The column ${JSON.stringify(long.slice(0, 80))} cannot be a variable: its name has more than ${LIMITS.campaignVariableLength} characters, or one of { } |.`,
    ).because('csv_column_unusable', { column: long.slice(0, 80), n: LIMITS.campaignVariableLength })
}

const REASONS: Readonly<Record<string, ProblemReason>> = {
  TOO_SHORT: 'too_short',
  TOO_LONG: 'too_long',
  INVALID_COUNTRY: 'unknown_country',
}

/** The most specific reason why a text is not a phone number. */
function reasonFor(text: string, country: string | null): ProblemReason {
  const digits = text.replaceAll(/\D/g, '')
  if (text.trim() === '') return 'missing'
  if (digits === '' || /\p{L}/u.test(text)) return 'not_a_number'
  if (digits.length < 7) return 'too_short'
  if (digits.length > 15) return 'too_long'
  const isInternational = text.trim().startsWith('+') || country === null
  const verdict = isInternational
    ? validatePhoneNumberLength(`+${digits}`)
    : validatePhoneNumberLength(digits, country as CountryCode)
  return REASONS[verdict ?? ''] ?? 'invalid_number'
}

/** @throws ApiError validation_error if a list was given and none of its rows is usable. */
export function requireSomeUsable({ accepted, tally: { recipients, problems } }: RecipientList): void {
  if (accepted.length > 0 || recipients.invalid === 0) return
  const [first] = problems
  const example = first === undefined ? '' : ` Row ${first.line}, ${JSON.stringify(first.phone)}: ${first.reason}.`
  throw wrong(
    `None of the ${recipients.invalid} recipients has a usable phone number, so nothing was stored.${example} Write numbers with their country code.`,
  ).because('recipients_unusable', { n: recipients.invalid })
}

const wrong = (message: string) => new ApiError('validation_error', message)
