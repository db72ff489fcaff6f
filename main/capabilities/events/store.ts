import { EVENT_TYPES } from '../../contract/events.ts'
import type { Network } from '../../contract/shapes.ts'
import { subjectSeq } from '../../kernel/ledger.ts'
import type { Filter, SeqRange } from '../../kernel/filtered-page.ts'
import { sql } from '../../kernel/sql.ts'

/** An event as stored: `head + 1 + tail` is its envelope. */
export interface EventRow {
  readonly seq: number
  readonly head: string
  readonly tail: string
}

interface PageParams extends SeqRange {
  readonly accountId: string
  readonly instanceId: string | null
  readonly type: string | null
  readonly network: Network | 'all'
  readonly sinceMs: number
}

const [ACCOUNT, INSTANCE] = [subjectSeq(':accountId'), subjectSeq(':instanceId')]

const OF_ACCOUNT = `account_seq = ${ACCOUNT}`
const SPAN = 'seq < :beforeSeq AND seq > :afterSeq'
/** Events do not store their network; it is read from the instance while that exists. */
const OF_NETWORK = `(:network = 'all' OR :network =
        (SELECT i.network FROM subjects s JOIN instances i ON i.id = s.id WHERE s.seq = events.instance_seq))`

/** The first filter selects the index and is always set; the others filter its rows. */
const matching = (driver: string) =>
  `SELECT seq, head, tail FROM events
    WHERE ${driver} AND ${OF_ACCOUNT} AND ${SPAN} AND created_at >= :sinceMs AND only_for IS NULL
      AND (instance_seq = ${INSTANCE} OR :instanceId IS NULL) AND (type = :type OR :type IS NULL)
      AND ${OF_NETWORK}`

/** For several drivers, merges their lists, each in index order, without a sort. */
const page = (...drivers: readonly string[]) =>
  sql<PageParams, EventRow>(`${drivers.map(matching).join(' UNION ALL ')} ORDER BY seq DESC LIMIT :rows`)

const filter = (driver: string): Filter<PageParams, EventRow> => ({
  page: page(driver),
  boundary: sql(`SELECT seq FROM events WHERE ${driver} AND ${SPAN} ORDER BY seq DESC LIMIT 1 OFFSET :skipped`),
})

export const filters = {
  type: filter(`${OF_ACCOUNT} AND type = :type`),
  instance: filter(`instance_seq = ${INSTANCE}`),
}

/** Merges the lists of all types, because an index by account alone would cost another write per event. */
export const allOfAccount = page(...EVENT_TYPES.map((type) => `type = '${type}'`))

/** No index has the events of a network: the account's events are searched, a limited number at a time. */
export const ofNetwork: Filter<PageParams, EventRow> = {
  page: allOfAccount,
  boundary: sql(
    `SELECT seq FROM events WHERE seq > :afterSeq AND seq <
        (SELECT CASE WHEN max(seq) < :beforeSeq THEN max(seq) + 1 ELSE :beforeSeq END FROM events) - :skipped
      ORDER BY seq DESC LIMIT 1`,
  ),
  isLookedThrough: true,
}

/**
 * Ids are time-ordered, so the start of a period is found in their index; with only a filter on `created_at`, the
 * whole list would be read. Ids within one millisecond are in random order, so that filter is still needed.
 */
export const lastBefore = sql<{ eventId: string }, { seq: number }>(
  'SELECT seq FROM events WHERE event_id < :eventId ORDER BY event_id DESC LIMIT 1',
)

export const eventById = sql<{ eventId: string; accountId: string }, EventRow>(
  `SELECT seq, head, tail FROM events WHERE event_id = :eventId AND account_seq = ${ACCOUNT} AND only_for IS NULL
    AND instance_seq <> account_seq`,
)
