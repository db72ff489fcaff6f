import { Readable } from 'node:stream'
import type { Static } from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import {
  noUse,
  USAGE_COLUMNS,
  USAGE_COUNTERS,
  type UsageQuery,
  type UsageRow,
  type UsageTotals,
} from '../../contract/usage.ts'
import { CSV_BOM, csvLine } from '../../kernel/csv.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { shiftDate } from '../../kernel/time-zone.ts'
import { Answer } from '../handler.ts'
import type { Usage, UsageSpan } from './usage.ts'

export interface UsageReport {
  readonly data: UsageRow[]
  readonly totals: UsageTotals
}

interface Wish {
  readonly accountIds: readonly AccountId[]
  readonly query: Static<typeof UsageQuery>
  /** Today in the time zone of the caller's account. */
  readonly today: string
  readonly wantsCsv: boolean
  /** Adds a byte order mark to CSV, for spreadsheet programs; other programs may not accept it. */
  readonly forSpreadsheets: boolean
}

const DEFAULT_DAYS = 30

/** One year of five hundred instances. Larger reports need CSV, which is streamed. */
const MOST_ROWS = 200_000

/** @throws ApiError validation_error */
export async function usageReport(
  usage: Usage,
  { accountIds, query, today, wantsCsv, forSpreadsheets }: Wish,
): Promise<Answer<UsageReport>> {
  const { to = today, from = shiftDate(to, 1 - DEFAULT_DAYS) } = query
  const span: UsageSpan = { from, to }
  if (from > to) throw new ApiError('validation_error', 'from must not be later than to.').because('times_order')
  if (!wantsCsv) {
    await requireFewRows(usage.rows(accountIds, span))
    return new Answer<UsageReport>({
      stream: Readable.from(json(usage.rows(accountIds, span)), { objectMode: false }),
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    })
  }
  return new Answer<UsageReport>({
    stream: Readable.from(lines(usage.rows(accountIds, span), forSpreadsheets), { objectMode: false }),
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="usage-${span.from}-${span.to}.csv"`,
    },
  })
}

/** @throws ApiError validation_error */
async function requireFewRows(portions: AsyncIterable<readonly UsageRow[]>): Promise<void> {
  let count = 0
  for await (const rows of portions) {
    count += rows.length
    if (count <= MOST_ROWS) continue
    throw new ApiError(
      'validation_error',
      `There are more than ${MOST_ROWS} rows. Ask for fewer days, or for CSV with the header Accept: text/csv.`,
    ).because('too_many_rows')
  }
}

/** A `UsageReport`, streamed: as a single text it would take tens of megabytes and block the event loop. */
async function* json(portions: AsyncIterable<readonly UsageRow[]>): AsyncGenerator<Buffer> {
  const totals = noUse()
  let separator = '{"data":['
  for await (const rows of portions) {
    for (const row of rows) for (const name of USAGE_COUNTERS) totals[name] += row[name]
    yield Buffer.from(separator + rows.map((row) => JSON.stringify(row)).join(','))
    separator = ','
  }
  yield Buffer.from(`${separator === ',' ? '' : separator}],"totals":${JSON.stringify(totals)}}`)
}

async function* lines(portions: AsyncIterable<readonly UsageRow[]>, forSpreadsheets: boolean): AsyncGenerator<Buffer> {
  yield Buffer.from((forSpreadsheets ? CSV_BOM : '') + csvLine(USAGE_COLUMNS))
  for await (const rows of portions)
    yield Buffer.from(rows.map((row) => csvLine(USAGE_COLUMNS.map((name) => row[name]))).join(''))
}
