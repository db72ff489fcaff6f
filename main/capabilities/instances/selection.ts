import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { accountState } from '../account/index.ts'
import {
  byIds,
  liveByExternalRef,
  pageByAge,
  pageByChange,
  pageByDeletion,
  pageOfDepartures,
  toInstance,
  type Departure,
  type Instance,
} from './store.ts'

interface AgePosition {
  readonly createdAtMs: number
  readonly id: string
}

/** After `afterMs`, up to and with `untilMs`, in values of the change clock. */
interface Span {
  readonly afterMs: number
  readonly untilMs: number
  readonly limit: number
}

/** The instances a list is about, in the three orders lists have. */
export interface Selection {
  /** @param after null: from the newest on. */
  readonly newest: (after: AgePosition | null, limit: number) => Promise<Instance[]>
  readonly count: () => Promise<number>
  /** Oldest change first. */
  readonly changed: (span: Span) => Promise<Instance[]>
  /** Oldest deletion first. The filter by `external_ref` does not concern it. */
  readonly deleted: (span: Span) => Promise<DeletedRow[]>
}

/** An instance that was deleted, or transferred to another account. */
type DeletedRow = Pick<Instance, 'id' | 'externalRef' | 'metadata' | 'deletedAtMs'>

const BEFORE_ALL: AgePosition = { createdAtMs: Number.MAX_SAFE_INTEGER, id: '' }

/** Every instance of the account, by keyset on its indexes; with a filter at most one live one. */
export function allInstances(db: Db, accountId: AccountId, externalRef: string | null): Selection {
  const deleted = async (span: Span): Promise<DeletedRow[]> => {
    const gone: DeletedRow[] = (await db.read(pageByDeletion, { accountId, ...span })).map(toInstance)
    const departed = await db.read(pageOfDepartures, { accountId, ...span })
    return [...gone, ...departed.map(toDeletedRow)]
      .toSorted((a, b) => (a.deletedAtMs ?? 0) - (b.deletedAtMs ?? 0))
      .slice(0, span.limit)
  }
  if (externalRef !== null) {
    const matching = async () => (await db.read(liveByExternalRef, { accountId, externalRef })).map(toInstance)
    return { ...inMemory(matching), deleted }
  }
  return {
    newest: async (after, limit) =>
      (await db.read(pageByAge, { accountId, ...(after ?? BEFORE_ALL), limit })).map(toInstance),
    count: async () => (await accountState(db, accountId)).instancesLive,
    changed: async (span) => (await db.read(pageByChange, { accountId, ...span })).map(toInstance),
    deleted,
  }
}

const toDeletedRow = ({ instanceId: id, externalRef, metadata, deletedAtMs }: Departure): DeletedRow => ({
  ...{ id, externalRef, deletedAtMs },
  // Checked before it was written.
  metadata: metadata === null ? null : (JSON.parse(metadata) as Record<string, string>),
})

/** The instances of a restricted key: a list short enough to be read as a whole and sorted here. */
export function instancesOfKey(
  db: Db,
  accountId: AccountId,
  ids: readonly string[],
  externalRef: string | null,
): Selection {
  const listed = () => instancesByIds(db, accountId, ids)
  const { deleted } = inMemory(listed)
  if (externalRef === null) return inMemory(listed)
  return {
    ...inMemory(async () => (await listed()).filter((instance) => instance.externalRef === externalRef)),
    deleted,
  }
}

/** Deleted ones included, in no order. */
export async function instancesByIds(
  db: Pick<Db, 'read'>,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Instance[]> {
  const rows = await byIds.over(ids, {}, (...run) => db.read(...run))
  return rows
    .flat()
    .filter((row) => row.accountId === accountId)
    .map(toInstance)
}

function inMemory(read: () => Promise<Instance[]>): Selection {
  const live = async () => (await read()).filter(({ deletedAtMs }) => deletedAtMs === null)
  return {
    async newest(after, limit) {
      const sorted = (await live()).toSorted((a, b) => b.createdAtMs - a.createdAtMs || compare(b.id, a.id))
      return sorted.filter((instance) => after === null || isOlder(instance, after)).slice(0, limit)
    },
    count: async () => (await live()).length,
    changed: async (span) => within(await live(), span, ({ updatedAtMs }) => updatedAtMs),
    deleted: async (span) => within(await read(), span, ({ deletedAtMs }) => deletedAtMs),
  }
}

function isOlder({ createdAtMs, id }: Instance, position: AgePosition): boolean {
  return createdAtMs < position.createdAtMs || (createdAtMs === position.createdAtMs && id < position.id)
}

function within(
  instances: Instance[],
  { afterMs, untilMs, limit }: Span,
  at: (instance: Instance) => number | null,
): Instance[] {
  const inside = instances.flatMap((instance) => {
    const atMs = at(instance)
    return atMs !== null && atMs > afterMs && atMs <= untilMs ? [{ instance, atMs }] : []
  })
  return inside
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(0, limit)
    .map(({ instance }) => instance)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
