import { ApiError } from '../../contract/errors.ts'
import type { ChangeList, PlainList } from '../../contract/instance.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Cursors } from '../../kernel/page.ts'
import { accountState } from '../account/index.ts'
import { toDeleted, type Records } from './record.ts'
import { allInstances, instancesOfKey, type Selection } from './selection.ts'

interface Deps {
  readonly db: Db
  readonly cursors: Cursors
  readonly records: Records
}

export interface ListQuery {
  readonly external_ref?: string
  readonly updated_since?: string
  readonly limit?: number
  readonly cursor?: string
}

interface ListCall {
  readonly accountId: AccountId
  /** The restriction of the caller's key; null: all instances. */
  readonly allowedInstanceIds: readonly string[] | null
  readonly query: ListQuery
}

export type List = (call: ListCall) => Promise<PlainList | ChangeList>

export function createList({ db, cursors, records }: Deps): List {
  return (call) => (call.query.updated_since === undefined ? plain(call) : changes(call, call.query.updated_since))

  async function plain(call: ListCall): Promise<PlainList> {
    const { limit, cursor } = call.query
    if (limit !== undefined && limit > LIMITS.pageSize) {
      throw new ApiError(
        'validation_error',
        `limit must be ${LIMITS.pageSize} or less, or up to ${LIMITS.changesPage} with updated_since.`,
      )
    }
    const size = limit ?? LIMITS.plainListSize
    const list = nameOf(call, 'plain')
    const selection = await select(call)
    const rows = await selection.newest(
      cursor === undefined ? null : agePosition(cursors.decode(list, cursor)),
      size + 1,
    )
    const page = rows.slice(0, size)
    const last = rows.length > size ? page.at(-1) : undefined
    const data = await Promise.all(page.map(records))
    // If everything fits on one page, its rows are counted, so that count and data agree.
    const count = cursor === undefined && !last ? data.length : await selection.count()
    if (limit === undefined && cursor === undefined && !last) return { data, count }
    const next_cursor = last ? cursors.encode(list, [last.createdAtMs, last.id]) : null
    return { data, count, next_cursor, has_more: last !== undefined }
  }

  /**
   * Both lists end at the same moment of the change clock, read first. Otherwise a change made between the two reads
   * could be older than a deletion that is already shown, and a client that goes on from there would never see it.
   */
  async function changes(call: ListCall, updatedSince: string): Promise<ChangeList> {
    const { limit: size = LIMITS.changesPageDefault, cursor } = call.query
    const sinceMs = Date.parse(updatedSince)
    if (Number.isNaN(sinceMs))
      throw new ApiError('validation_error', 'updated_since must be an ISO 8601 time such as 2026-03-01T09:30:00.000Z.')
    const list = nameOf(call, `since ${sinceMs}`)
    const afterMs = cursor === undefined ? sinceMs : changePosition(cursors.decode(list, cursor))
    const { changeAtMs: untilMs } = await accountState(db, call.accountId)
    const selection = await select(call)
    const rows = await selection.changed({ afterMs, untilMs, limit: size + 1 })
    // Deleted instances depend on updated_since and limit only, not on the cursor.
    const gone = await selection.deleted({ afterMs: sinceMs, untilMs, limit: size + 1 })
    const page = rows.slice(0, size)
    const last = rows.length > size ? page.at(-1) : undefined
    return {
      data: await Promise.all(page.map(records)),
      deleted: gone.slice(0, size).map(toDeleted),
      next_cursor: last ? cursors.encode(list, [last.updatedAtMs]) : null,
      has_more: last !== undefined,
      deleted_has_more: gone.length > size,
    }
  }

  async function select({ accountId, allowedInstanceIds, query }: ListCall): Promise<Selection> {
    const filter = query.external_ref ?? null
    if (allowedInstanceIds === null) return allInstances(db, accountId, filter)
    return instancesOfKey(db, accountId, allowedInstanceIds, filter)
  }
}

/** A cursor opens only the list it was made for: the same account, form and filter. */
const nameOf = ({ accountId, query }: ListCall, form: string) =>
  JSON.stringify(['instances', accountId, form, query.external_ref ?? null])

function agePosition([createdAtMs, id]: readonly (string | number | null)[]): { createdAtMs: number; id: string } {
  return { createdAtMs: Number(createdAtMs), id: String(id) }
}

const changePosition = ([updatedAtMs]: readonly (string | number | null)[]) => Number(updatedAtMs)
