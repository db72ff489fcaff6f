import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Db } from '../../kernel/db.ts'
import { earliestId, type AccountId } from '../../kernel/ids.ts'
import { filteredPage } from '../../kernel/filtered-page.ts'
import { convertLong, readLongPage } from '../../kernel/long-rows.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Event, EventsQuery } from './contract.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Chore } from '../../kernel/housekeeping.ts'
import { retainEvents } from './retention.ts'
import { allOfAccount, eventById, filters, lastBefore, ofNetwork, type EventRow } from './store.ts'

export interface Events {
  /** Newest first. @throws ApiError invalid_cursor */
  list(accountId: AccountId, query: EventsQuery): Promise<EventPage>
  /** @throws ApiError not_found */
  get(accountId: AccountId, eventId: string): Promise<Event>
  /** Removes events after their documented retention. */
  readonly retention: Chore
}

export interface EventsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly cursors: Cursors
}

interface EventPage {
  readonly data: Event[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

const FAR_SEQ = Number.MAX_SAFE_INTEGER

/** Reads the event ledger, for programs that a webhook cannot reach. */
export function createEvents({ db, clock, cursors }: EventsDeps): Events {
  async function lastSeqBefore(sinceMs: number): Promise<number> {
    const row = await db.readOne(lastBefore, { eventId: earliestId('evt', sinceMs) })
    return row?.seq ?? 0
  }

  return {
    retention: retainEvents({ db, clock }),
    async list(accountId, query) {
      const { type, network, limit: size = LIMITS.pageSizeDefault } = query
      const instanceId = query.instance_id?.toLowerCase()
      const name = JSON.stringify(['events', accountId, instanceId, type, query.since, network])
      const [before] = query.cursor === undefined ? [FAR_SEQ] : cursors.decode(name, query.cursor)
      const sinceMs = query.since === undefined ? 0 : Math.max(0, Date.parse(query.since))
      const params = {
        accountId,
        instanceId: instanceId ?? null,
        type: type ?? null,
        network: network ?? ('all' as const),
        sinceMs,
        afterSeq: sinceMs === 0 ? 0 : await lastSeqBefore(sinceMs),
      }
      const lists = { filters: filtersOf(query), all: allOfAccount }
      const { shown, hasMore } = await readLongPage<EventRow>(size, (rows, after) =>
        filteredPage(db, lists, { ...params, beforeSeq: after?.seq ?? Number(before), rows }),
      )
      const last = hasMore ? shown.at(-1) : undefined
      const next = last ? cursors.encode(name, [last.seq]) : null
      return { data: await convertLong(shown, toEvent), next_cursor: next, has_more: next !== null }
    },

    async get(accountId, eventId) {
      const row = await db.readOne(eventById, { eventId, accountId })
      if (row) return toEvent(row)
      throw new ApiError('not_found', `No event has this id. Events are kept for at least ${LIMITS.eventDays} days.`)
    },
  }
}

/** The filters that are set. The instance comes before the type, because an instance usually has fewer events. */
function filtersOf({ instance_id, type, network }: EventsQuery) {
  const set = [
    instance_id !== undefined && filters.instance,
    type !== undefined && filters.type,
    network !== undefined && ofNetwork,
  ] as const
  return set.filter((one) => one !== false)
}

/** The ledger wrote both as JSON around the attempt number. */
const toEvent = ({ head, tail }: EventRow): Event => JSON.parse(`${head}1${tail}`) as Event
