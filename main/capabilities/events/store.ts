import { sql } from '../../kernel/sql.ts'

/** An event as it is kept: `head + 1 + tail` is its envelope. */
export interface EventRow {
  readonly seq: number
  readonly head: string
  readonly tail: string
}

interface PageParams {
  readonly accountId: string
  readonly instanceId: string | null
  readonly type: string | null
  readonly sinceMs: number
  readonly afterSeq: number
  readonly beforeSeq: number
  readonly rows: number
}

/** The filter that names the index comes first and is always set; the others narrow what that index yields. */
const page = (driver: string) =>
  sql<PageParams, EventRow>(
    `SELECT seq, head, tail FROM events
      WHERE ${driver} AND account_id = :accountId AND seq < :beforeSeq AND seq > :afterSeq
        AND created_at >= :sinceMs AND only_for IS NULL
        AND (:instanceId IS NULL OR instance_id = :instanceId) AND (:type IS NULL OR type = :type)
      ORDER BY seq DESC LIMIT :rows`,
  )

export const pages = {
  account: page('account_id = :accountId'),
  type: page('account_id = :accountId AND type = :type'),
  instance: page('instance_id = :instanceId'),
}

/**
 * Ids are time-ordered, so where a period begins is found in their index: as a filter on `created_at` alone the list
 * would be read to its end. Of one millisecond their order is chance, which is why that filter stays.
 */
export const lastBefore = sql<{ eventId: string }, { seq: number }>(
  'SELECT seq FROM events WHERE event_id < :eventId ORDER BY event_id DESC LIMIT 1',
)

export const eventById = sql<{ eventId: string; accountId: string }, EventRow>(
  `SELECT seq, head, tail FROM events WHERE event_id = :eventId AND account_id = :accountId AND only_for IS NULL`,
)
