import type { ChangeList, InstanceRecord } from '../../../main/contract/instance.ts'

export type Records = ReadonlyMap<string, InstanceRecord>

/** Where the next incremental read starts or continues. */
export interface SyncPosition {
  readonly since: string
  readonly cursor?: string
}

/** A time before the first change of any account. */
const BEGINNING = '1970-01-01T00:00:00.000Z'

/**
 * Where to continue after the full list was read. Only its first page counts: anything that changed while later pages
 * were read is later than everything on the first page, so it is read again and not missed.
 */
export const positionAfterFirstPage = (page: readonly InstanceRecord[]): SyncPosition => ({
  since: page.reduce((latest, { updated_at }) => (updated_at > latest ? updated_at : latest), BEGINNING),
})

/** Applies one answer. A deletion takes precedence over a change, because nothing is ever undeleted. */
export function applyChanges(records: Records, { data, deleted }: ChangeList): Records {
  if (data.length === 0 && deleted.every(({ id }) => !records.has(id))) return records
  const next = new Map(records)
  for (const record of data) next.set(record.id, record)
  for (const { id } of deleted) next.delete(id)
  return next
}

interface SyncProgress {
  /** Latest `updated_at` or `deleted_at` of this synchronization so far. */
  readonly latest: string
  readonly position: SyncPosition
}

export const startSync = (position: SyncPosition): SyncProgress => ({ latest: position.since, position })

/**
 * The three rules of the incremental list (spec: Incremental listing rules).
 * @returns what to request next, or `isDone` with the position of the next synchronization.
 */
export function advanceSync(reading: SyncProgress, answer: ChangeList): SyncProgress & { readonly isDone: boolean } {
  const { since } = reading.position
  const lastDeleted = answer.deleted.at(-1)?.deleted_at
  const times = [...answer.data.map(({ updated_at }) => updated_at), ...answer.deleted.map((gone) => gone.deleted_at)]
  const latest = times.reduce((a, b) => (b > a ? b : a), reading.latest)
  if (answer.has_more && answer.next_cursor !== null)
    return { latest, position: { since, cursor: answer.next_cursor }, isDone: false }
  if (answer.deleted_has_more && lastDeleted !== undefined)
    return { latest, position: { since: lastDeleted }, isDone: false }
  return { latest, position: { since: latest }, isDone: true }
}
