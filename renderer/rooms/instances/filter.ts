import type { InstanceRecord } from '../../../main/contract/instance.ts'
import { INSTANCE_STATUSES } from '../../../main/contract/instance-statuses.ts'
import type { Engine, InstanceStatus } from '../../../main/contract/shapes.ts'
import { showsBan } from './status.ts'

/** What the tiles of the overview count besides connected numbers: groups of states that need the same action. */
export const GROUPS = ['waiting', 'troubled'] as const
export type Group = (typeof GROUPS)[number]

const WAITING: ReadonlySet<InstanceStatus> = new Set(['created', 'qr', 'passkey_required', 'recreating'])

/** The group of a number: connected, waiting for somebody to pair it, or disconnected from the phone it had. */
export function groupOf({
  status,
  last_connected_at: last,
}: Pick<InstanceRecord, 'status' | 'last_connected_at'>): Group | 'connected' {
  if (status === 'connected') return status
  return WAITING.has(status) || last === null ? 'waiting' : 'troubled'
}

/** A banned number is also signed out, but needs a different action. */
export const STATUS_FILTERS = [...INSTANCE_STATUSES, 'banned'] as const
type StatusFilter = (typeof STATUS_FILTERS)[number]

const statusOf = (record: InstanceRecord, nowMs: number): InstanceStatus | 'banned' =>
  showsBan(record, nowMs) ? 'banned' : record.status

export interface Filter {
  readonly text: string
  readonly status: StatusFilter | Group | 'all'
  readonly engine: Engine | 'all'
}

export const NO_FILTER: Filter = { text: '', status: 'all', engine: 'all' }

export const ORDERS = ['newest', 'changed', 'name'] as const
export type Order = (typeof ORDERS)[number]

export const isFiltered = (filter: Filter): boolean =>
  filter.text.trim() !== '' || filter.status !== 'all' || filter.engine !== 'all'

const STATUSES: readonly Filter['status'][] = [...GROUPS, ...INSTANCE_STATUSES]

/** Reads the filter from the query of the address. Unknown values are ignored. */
export const filterOfQuery = ({ q, status, engine }: Readonly<Record<string, unknown>>): Filter => ({
  text: typeof q === 'string' ? q : '',
  status: STATUSES.find((known) => known === status) ?? 'all',
  engine: engine === 'smv2' || engine === 'official' ? engine : 'all',
})

export const queryOfFilter = ({ text, status, engine }: Filter) => ({
  q: text === '' ? undefined : text,
  status: status === 'all' ? undefined : status,
  engine: engine === 'all' ? undefined : engine,
})

/** Words of this length or more may match a part of an id; shorter words would match ids by accident. */
const ID_PART_LENGTH = 8

/** Every word must match somewhere. Phone numbers match in any format. */
export function filterInstances(
  records: readonly InstanceRecord[],
  filter: Filter,
  nowMs = Date.now(),
): InstanceRecord[] {
  const words = normalizeText(filter.text).split(/\s+/).filter(Boolean)
  const digits = /^[+\d\s()-]{4,}$/.test(filter.text.trim()) ? filter.text.replace(/\D/g, '') : ''
  return records.filter(
    (record) =>
      (filter.status === 'all' || statusOf(record, nowMs) === filter.status || groupOf(record) === filter.status) &&
      (filter.engine === 'all' || record.engine === filter.engine) &&
      ((digits !== '' && record.phone_number?.includes(digits)) ||
        words.every(
          (word) => searchText(record).includes(word) || (word.length >= ID_PART_LENGTH && record.id.includes(word)),
        )),
  )
}

/**
 * Names are normalized once per record, not once per comparison, so that 10,000 records are sorted in a few
 * milliseconds.
 */
export function sortInstances(records: readonly InstanceRecord[], order: Order): InstanceRecord[] {
  const by = {
    newest: (record: InstanceRecord) => record.created_at,
    changed: (record: InstanceRecord) => record.updated_at,
    name: (record: InstanceRecord) => normalizeText(record.name),
  }[order]
  const up = order === 'name' ? 1 : -1
  return records
    .map((record) => ({ record, at: by(record) }))
    .sort((a, b) => up * (compare(a.at, b.at) || compare(a.record.id, b.record.id)))
    .map(({ record }) => record)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Lower case and without accents, so that “joao” finds “joão”. */
const normalizeText = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

const searchTexts = new WeakMap<InstanceRecord, string>()

function searchText(record: InstanceRecord): string {
  let text = searchTexts.get(record)
  if (text === undefined) {
    const { name, instance_name, phone_number, profile_name, external_ref, metadata } = record
    const parts = [name, instance_name, phone_number, profile_name, external_ref, ...Object.values(metadata ?? {})]
    text = normalizeText(parts.filter(Boolean).join('\n'))
    searchTexts.set(record, text)
  }
  return text
}
