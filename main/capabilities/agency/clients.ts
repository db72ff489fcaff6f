import type { BrandColors } from '../../contract/brand.ts'
import { QUEUE_STUCK_SECONDS } from '../../contract/health-issue-codes.ts'
import { isoTime } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Client } from './contract/clients.ts'
import type { AgencyDeps } from './deps.ts'
import {
  allSubAccounts,
  brandsOf,
  deactivatedWebhooks,
  membersOf,
  numbersOf,
  overdueOf,
  sendsOn,
  troubledNumbers,
  waitingChats,
  type SubAccountRow,
} from './store.ts'

interface Query {
  readonly q?: string
  readonly status?: 'active' | 'suspended'
  readonly rows: number
  readonly after: { readonly name: string; readonly id: string } | null
}

interface Found {
  readonly data: readonly Client[]
  /** Where the next page begins; null on the last page. */
  readonly last: { readonly name: string; readonly id: string } | null
}

/** The list of clients. An agency has few enough accounts to sort in memory; their details are counted per page. */
type Deps = Pick<AgencyDeps, 'db' | 'clock' | 'entitlements' | 'usage' | 'instances'>

export function createClients({ db, clock, entitlements, usage, instances }: Deps) {
  return async (parentId: AccountId, query: Query): Promise<Found> => {
    const all = (await db.read(allSubAccounts, { parentId })).filter((row) => matches(row, query)).toSorted(byName)
    const { after, rows } = query
    const rest = after === null ? all : all.filter((row) => byName(row, after) > 0)
    const shown = rest.slice(0, rows)
    const last = rest.length > rows ? shown.at(-1) : undefined
    const facts = await factsOf(db, shown, usage.today, clock.now() - QUEUE_STUCK_SECONDS * 1_000)
    const needing = new Map<string, ReadonlySet<string>>()
    for (const { id } of shown) needing.set(id, await numbersNeeding(id, facts))
    const data = await Promise.all(
      shown.map(async (row) => toClient(row, facts, needing.get(row.id), await entitlements.of(row.id))),
    )
    return { data, last: last === undefined ? null : { name: last.name, id: last.id } }
  }

  /** Instances with issues in the client's overview. */
  async function numbersNeeding(accountId: AccountId, { troubled }: Facts): Promise<ReadonlySet<string>> {
    const lines = await instances.attention({ accountId, network: null, role: 'member' })
    const others = troubled.get(accountId) ?? []
    return new Set([...lines.flatMap(({ ids = [] }) => ids), ...others.map(({ id }) => id)])
  }
}

type Place = { readonly name: string; readonly id: string }
const byName = (a: Place, b: Place) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

function matches({ name, externalRef, status }: SubAccountRow, { q = '', status: wanted }: Query): boolean {
  if (wanted !== undefined && status !== wanted) return false
  const text = q.trim().toLowerCase()
  return name.toLowerCase().includes(text) || externalRef?.toLowerCase().includes(text) === true
}

type Facts = Awaited<ReturnType<typeof factsOf>>

async function factsOf(
  db: Pick<Db, 'read'>,
  rows: readonly SubAccountRow[],
  today: (accountId: AccountId) => Promise<string>,
  stuckBefore: number,
) {
  const ids = rows.map(({ id }) => id)
  const of = <R>(found: readonly R[][]) => found.flat()
  const [numbers, webhooks, members, brands, troubled, chats, overdue] = await Promise.all([
    numbersOf.over(ids, {}, (...run) => db.read(...run)).then(of),
    deactivatedWebhooks.over(ids, {}, (...run) => db.read(...run)).then(of),
    membersOf.over(ids, {}, (...run) => db.read(...run)).then(of),
    brandsOf.over(ids, {}, (...run) => db.read(...run)).then(of),
    troubledNumbers.over(ids, { before: stuckBefore }, (...run) => db.read(...run)).then(of),
    waitingChats.over(ids, {}, (...run) => db.read(...run)).then(of),
    overdueOf.over(ids, {}, (...run) => db.read(...run)).then(of),
  ])
  const days = new Map<string, string[]>()
  for (const id of ids) {
    const day = await today(id)
    days.set(day, [...(days.get(day) ?? []), id])
  }
  const sends = new Map<string, number>()
  for (const [day, some] of days)
    for (const { accountId, sent } of of(await sendsOn.over(some, { day }, (...run) => db.read(...run))))
      sends.set(accountId, sent)
  const byAccount = <R extends { accountId: string }>(found: readonly R[]) => Map.groupBy(found, (row) => row.accountId)
  return {
    sends,
    numbers: byAccount(numbers),
    webhooks: byAccount(webhooks),
    members: byAccount(members),
    brands: byAccount(brands),
    troubled: byAccount(troubled),
    chats: byAccount(chats),
    overdue: byAccount(overdue),
  }
}

const OFFLINE = new Set(['disconnected', 'connecting'])

function toClient(
  { id, name, externalRef, status, slotsUsed, createdAtMs }: SubAccountRow,
  { sends, numbers, webhooks, members, brands, chats, overdue }: Facts,
  needing: ReadonlySet<string> = new Set(),
  { slots, features }: Awaited<ReturnType<AgencyDeps['entitlements']['of']>>,
): Client {
  const own = numbers.get(id) ?? []
  const isOffline = (row: (typeof own)[number]) => OFFLINE.has(row.status) && row.wasConnected === 1
  const isOther = (row: (typeof own)[number]) => !isOffline(row) && row.status !== 'auth_failed' && needing.has(row.id)
  const count = (fits: (row: (typeof own)[number]) => boolean) => own.filter(fits).length
  const brand = brands.get(id)?.[0]
  // Written by changeBrand.
  const colors = brand?.colors ? (JSON.parse(brand.colors) as BrandColors) : {}
  return {
    ...{ id, name, external_ref: externalRef, status, slots_allocated: slots, slots_used: slotsUsed },
    ...{ display_name: brand?.displayName ?? null, color: colors.primary ?? null, features: [...features] },
    connected: count((row) => row.status === 'connected'),
    trouble: {
      offline: count(isOffline),
      signed_out: count((row) => row.status === 'auth_failed'),
      numbers: count(isOther),
      chats: chats.get(id)?.[0]?.count ?? 0,
      webhooks: webhooks.get(id)?.length ?? 0,
      overdue: overdue.get(id)?.length ?? 0,
    },
    sends_today: sends.get(id) ?? 0,
    members: members.get(id)?.length ?? 0,
    created_at: isoTime(createdAtMs),
  }
}
