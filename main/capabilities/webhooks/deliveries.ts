import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import { earliestId } from '../../kernel/ids.ts'
import { filteredPage, type Filter, type SeqRange } from '../../kernel/filtered-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import { subjectSeq } from '../../kernel/ledger.ts'
import { sql } from '../../kernel/sql.ts'
import type { EventText } from './attempt.ts'
import { DELIVERY_STATUSES, type Delivery } from './contract/parts.ts'
import type { DeliveriesQuery, DeliveryDetail } from './contract/deliveries.ts'
import type { DeliveryStatus, FinalReason, Outcome, Trigger } from './states.ts'

export interface DeliveryRow {
  readonly seq: number
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly instanceId: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly manual: number
  readonly nextAttemptAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly deliveredAtMs: number | null
  readonly lastStatusCode: number | null
  readonly lastError: string | null
  readonly finalReason: FinalReason | null
}

const DELIVERY = `d.seq AS seq, d.id, w.id AS webhookId, e.event_id AS eventId, d.event_type AS eventType,
  s.id AS instanceId, d.status, d.attempts, d.manual, d.next_attempt_at AS nextAttemptAtMs,
  d.created_at AS createdAtMs, d.updated_at AS updatedAtMs, d.delivered_at AS deliveredAtMs,
  d.last_status_code AS lastStatusCode, d.last_error AS lastError, d.final_reason AS finalReason`

const FROM = `FROM deliveries d JOIN webhooks w ON w.seq = d.webhook_seq JOIN events e ON e.seq = d.event_seq
  JOIN subjects s ON s.seq = d.instance_seq`

const [ACCOUNT, INSTANCE] = [subjectSeq(':accountId'), subjectSeq(':instanceId')]

interface PageParams extends SeqRange {
  readonly accountId: string
  readonly webhookId: string | null
  readonly instanceId: string | null
  readonly status: string | null
  readonly eventType: string | null
  readonly sinceMs: number
}

const ofAccount = `d.account_seq = ${ACCOUNT}`
const SPAN = 'd.seq < :beforeSeq AND d.seq > :afterSeq'

/** The filter that names the index comes first and is always set; the others narrow what that index yields. */
const matching = (driver: string) =>
  `SELECT ${DELIVERY} ${FROM}
    WHERE ${driver} AND ${ofAccount} AND ${SPAN} AND d.created_at >= :sinceMs
      AND (w.id = :webhookId OR :webhookId IS NULL) AND (d.instance_seq = ${INSTANCE} OR :instanceId IS NULL)
      AND (d.status = :status OR :status IS NULL) AND (d.event_type = :eventType OR :eventType IS NULL)`

/** With several drivers their lists, each in the order of its index, are merged: nothing is sorted. */
const page = (...drivers: readonly string[]) =>
  sql<PageParams, DeliveryRow>(`${drivers.map(matching).join(' UNION ALL ')} ORDER BY seq DESC LIMIT :rows`)

const DRIVERS = {
  status: `${ofAccount} AND d.status = :status`,
  type: `${ofAccount} AND d.event_type = :eventType`,
  instance: `d.instance_seq = ${INSTANCE}`,
  webhook: 'd.webhook_seq = (SELECT seq FROM webhooks WHERE id = :webhookId)',
}
/** By the index alone, so of any account: the page itself looks whose the rows are. */
const edge = (driver: string) =>
  sql<PageParams & { readonly skipped: number }, { seq: number }>(
    `SELECT d.seq FROM deliveries d WHERE ${driver} AND ${SPAN} ORDER BY d.seq DESC LIMIT 1 OFFSET :skipped`,
  )

const filter = (driver: string): Filter<PageParams, DeliveryRow> => ({ page: page(driver), boundary: edge(driver) })

export const filters = {
  status: filter(DRIVERS.status),
  type: filter(DRIVERS.type),
  instance: filter(DRIVERS.instance),
  webhook: filter(DRIVERS.webhook),
}

/** An index of the account alone would be one more to write for each delivery; its deliveries are those of all states. */
export const allOfAccount = page(...DELIVERY_STATUSES.map((status) => `${ofAccount} AND d.status = '${status}'`))

/** Ids are time-ordered, so where a period begins is found in their index. Of one millisecond their order is chance. */
const lastBefore = sql<{ id: string }, { seq: number }>(
  'SELECT seq FROM deliveries WHERE id < :id ORDER BY id DESC LIMIT 1',
)

export const deliveryBySeq = sql<{ seq: number }, DeliveryRow>(`SELECT ${DELIVERY} ${FROM} WHERE d.seq = :seq`)

const detailById = sql<{ id: string; accountId: string }, DeliveryRow & Pick<EventText, 'head' | 'tail'>>(
  `SELECT ${DELIVERY}, e.head, e.tail ${FROM} WHERE d.id = :id AND w.account_id = :accountId`,
)

const eventById = sql<{ eventId: string; accountId: string }, { seq: number }>(
  `SELECT seq FROM events WHERE event_id = :eventId AND account_seq = ${ACCOUNT}`,
)
/** One for each webhook at most. */
const ofEvent = sql<{ eventSeq: number }, DeliveryRow>(
  `SELECT ${DELIVERY} ${FROM} WHERE d.event_seq = :eventSeq ORDER BY d.webhook_seq`,
)

interface AttemptRow {
  readonly attempt: number
  readonly trigger: Trigger
  readonly outcome: Outcome
  readonly counted: number
  readonly startedAtMs: number
  readonly durationMs: number | null
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}

const attemptsOf = sql<{ seq: number }, AttemptRow>(
  `SELECT attempt, trigger, outcome, counted, started_at AS startedAtMs, duration_ms AS durationMs,
          http_status AS statusCode, error_message AS error, response_prefix AS responseExcerpt
     FROM delivery_attempts WHERE delivery_seq = :seq ORDER BY attempt`,
)

const openByStatus = sql<{ instanceId: string }, { status: DeliveryStatus; count: number }>(
  `SELECT status, COUNT(*) AS count FROM deliveries
    WHERE instance_seq = ${INSTANCE} AND next_attempt_at IS NOT NULL GROUP BY status`,
)

const countedUpTo = sql<{ accountId: string; status: DeliveryStatus; most: number }, { count: number }>(
  `SELECT COUNT(*) AS count FROM (
     SELECT seq FROM deliveries WHERE account_seq = ${ACCOUNT} AND status = :status ORDER BY seq LIMIT :most) AS counted`,
)

/** Since when something has been due: the first of the fresh ones, and the retry whose time came first. */
const dueSince = sql<{ accountId: string }, { fresh: number | null; retry: number | null }>(
  `SELECT (SELECT d.next_attempt_at FROM deliveries d
            WHERE d.webhook_seq = w.seq AND d.lane = 0 AND d.next_attempt_at IS NOT NULL ORDER BY d.seq LIMIT 1) AS fresh,
          (SELECT d.next_attempt_at FROM deliveries d
            WHERE d.webhook_seq = w.seq AND d.lane = 1 AND d.next_attempt_at IS NOT NULL AND d.lease IS NULL
            ORDER BY d.next_attempt_at, d.seq LIMIT 1) AS retry
     FROM webhooks w WHERE w.account_id = :accountId AND w.state = 'active' AND w.deleted_at IS NULL`,
)

const FAR_SEQ = Number.MAX_SAFE_INTEGER

/** What owners read of their deliveries. */
export function createDeliveries({ db, cursors }: { db: Db; cursors: Cursors }) {
  async function list(accountId: string, query: DeliveriesQuery) {
    const size = query.limit ?? LIMITS.pageSizeDefault
    const instanceId = query.instance_id?.toLowerCase()
    const name = listName(accountId, instanceId, query)
    const [before] = query.cursor === undefined ? [FAR_SEQ] : cursors.decode(name, query.cursor)
    const sinceMs = query.since === undefined ? 0 : Date.parse(query.since)
    const afterSeq = sinceMs === 0 ? 0 : await lastSeqBefore(sinceMs)
    const params = {
      accountId,
      webhookId: query.webhook_id ?? null,
      instanceId: instanceId ?? null,
      status: query.status ?? null,
      eventType: query.event_type ?? null,
      sinceMs,
      afterSeq,
      beforeSeq: Number(before),
      rows: size + 1,
    }
    const found = await filteredPage(db, { filters: filtersOf(query), all: allOfAccount }, params)
    const rows = found.slice(0, size)
    const last = found.length > size ? rows.at(-1) : undefined
    return { data: rows.map(toDelivery), next_cursor: last ? cursors.encode(name, [last.seq]) : null, has_more: !!last }
  }

  async function lastSeqBefore(sinceMs: number): Promise<number> {
    const row = await db.readOne(lastBefore, { id: earliestId('dlv', sinceMs) })
    return row?.seq ?? 0
  }

  async function get(accountId: string, id: string): Promise<DeliveryDetail> {
    const row = await db.readOne(detailById, { id, accountId })
    if (!row) throw noSuchDelivery()
    const attempts = await db.read(attemptsOf, { seq: row.seq })
    // Written by the ledger as JSON around the attempt number.
    const payload = JSON.parse(`${row.head}${Math.max(1, row.attempts)}${row.tail}`) as DeliveryDetail['payload']
    return { ...toDelivery(row), payload, attempt_log: attempts.map(toEntry) }
  }

  async function listOfEvent(accountId: string, eventId: string): Promise<Delivery[]> {
    const event = await db.readOne(eventById, { accountId, eventId })
    if (!event) throw new ApiError('not_found', 'No event has this id.')
    return (await db.read(ofEvent, { eventSeq: event.seq })).map(toDelivery)
  }

  async function gauges(instanceId: string): Promise<{ pending: number; failing: number }> {
    const rows = await db.read(openByStatus, { instanceId })
    const count = (status: DeliveryStatus) => rows.find((row) => row.status === status)?.count ?? 0
    return { pending: count('pending'), failing: count('failed') }
  }

  /** Each counted up to `most`. */
  async function tally(accountId: string, most: number): Promise<{ pending: number; failed: number }> {
    const count = async (status: DeliveryStatus) =>
      (await db.readOne(countedUpTo, { accountId, status, most }))?.count ?? 0
    return { pending: await count('pending'), failed: await count('failed') }
  }

  /** When the delivery that has waited longest became, or becomes, due; null when nothing waits. */
  async function dueSinceMs(accountId: string): Promise<number | null> {
    const times = (await db.read(dueSince, { accountId })).flatMap(({ fresh, retry }) => [fresh, retry])
    return times.reduce((first, time) => (time !== null && (first === null || time < first) ? time : first), null)
  }

  return { list, listOfEvent, get, gauges, tally, dueSinceMs }
}

/** Those that are set, the one that usually has fewest rows first. Nearly all deliveries are `delivered`. */
function filtersOf({ status, instance_id, webhook_id, event_type }: DeliveriesQuery) {
  const set = [
    status !== undefined && status !== 'delivered' && filters.status,
    instance_id !== undefined && filters.instance,
    webhook_id !== undefined && filters.webhook,
    event_type !== undefined && filters.type,
    status === 'delivered' && filters.status,
  ] as const
  return set.filter((one) => one !== false)
}

const listName = (
  accountId: string,
  instanceId: string | undefined,
  { webhook_id, status, event_type, since }: DeliveriesQuery,
) => JSON.stringify(['deliveries', accountId, webhook_id, instanceId, status, event_type, since])

export function noSuchDelivery(): ApiError {
  return new ApiError('not_found', 'There is no delivery with this id.')
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhookId,
    event_id: row.eventId,
    // Copied from the ledger, which only knows these words.
    event_type: row.eventType as Delivery['event_type'],
    instance_id: row.instanceId,
    status: row.status,
    attempts: row.attempts,
    manual_retries: row.manual,
    next_attempt_at: isoTimeOrNull(row.nextAttemptAtMs),
    created_at: isoTime(row.createdAtMs),
    updated_at: isoTime(row.updatedAtMs),
    delivered_at: isoTimeOrNull(row.deliveredAtMs),
    last_status_code: row.lastStatusCode,
    last_error: row.lastError,
    final_reason: row.finalReason,
  }
}

function toEntry(row: AttemptRow): DeliveryDetail['attempt_log'][number] {
  return {
    attempt: row.attempt,
    trigger: row.trigger,
    started_at: isoTime(row.startedAtMs),
    duration_ms: row.durationMs,
    status_code: row.statusCode,
    error: row.error,
    response_excerpt: row.responseExcerpt,
    outcome: row.outcome,
    counted: row.counted === 1,
  }
}
