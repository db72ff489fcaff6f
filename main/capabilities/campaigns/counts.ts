import type { CampaignCounts, CampaignVariation } from '../../contract/campaign.ts'
import type { RecipientStatus } from '../../contract/campaign-recipient.ts'
import type { Tx } from '../../kernel/db.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'

/** Changes to the counts of a campaign; negative values subtract. */
export type CountChange = Partial<Record<(typeof COLUMNS)[number], number>>

const COLUMNS = [
  'pending',
  'sent',
  'delivered',
  'read',
  'replied',
  'failed',
  'skipped',
  'unknown',
  'opted_out',
] as const

/** How a recipient in this status is counted. Read includes delivered, and delivered includes sent. */
const COUNTED: Readonly<Record<RecipientStatus, CountChange>> = {
  pending: { pending: 1 },
  sending: { pending: 1 },
  sent: { sent: 1 },
  delivered: { sent: 1, delivered: 1 },
  read: { sent: 1, delivered: 1, read: 1 },
  failed: { failed: 1 },
  skipped: { skipped: 1 },
  unknown: { unknown: 1 },
}

interface CountRow extends Record<(typeof COLUMNS)[number], number> {
  readonly campaignId: string
  /** Empty until a number is chosen. */
  readonly instanceId: string
  /** 0 until one is chosen. */
  readonly variation: number
}

/** Where a recipient is counted. */
export interface CountPlace {
  readonly campaignId: string
  readonly instanceId: string | null
  readonly variation: number | null
}

const add = sql<
  Record<(typeof COLUMNS)[number], number> & { campaignId: string; instanceId: string; variation: number }
>(
  `INSERT INTO campaign_counts (campaign_id, instance_id, variation, ${COLUMNS.join(', ')})
   VALUES (:campaignId, :instanceId, :variation, ${COLUMNS.map((name) => `:${name}`).join(', ')})
   ON CONFLICT (campaign_id, instance_id, variation) DO UPDATE SET
     ${COLUMNS.map((name) => `${name} = campaign_counts.${name} + excluded.${name}`).join(', ')}`,
)

const countsOfMany = sqlOfList<string, Record<never, never>, CountRow>(
  (ids) =>
    `SELECT campaign_id AS campaignId, instance_id AS instanceId, variation, ${COLUMNS.join(', ')} FROM campaign_counts
     WHERE campaign_id IN (${ids}) ORDER BY campaign_id, instance_id, variation`,
)

const pendingCount = sql<{ campaignId: string }, { pending: number | null }>(
  'SELECT SUM(pending) AS pending FROM campaign_counts WHERE campaign_id = :campaignId',
)

const NOTHING = Object.fromEntries(COLUMNS.map((name) => [name, 0])) as Record<(typeof COLUMNS)[number], number>

export async function addCounts(tx: Tx, place: CountPlace, change: CountChange): Promise<void> {
  const { campaignId, instanceId, variation } = place
  await tx.run(add, { ...NOTHING, ...change, campaignId, instanceId: instanceId ?? '', variation: variation ?? 0 })
}

/** A recipient changes from one status to another. */
export async function countMove(
  tx: Tx,
  from: CountPlace & { readonly status: RecipientStatus },
  to: CountPlace & { readonly status: RecipientStatus },
): Promise<void> {
  const isSamePlace = from.instanceId === to.instanceId && from.variation === to.variation
  if (isSamePlace) return addCounts(tx, to, combined(COUNTED[to.status], COUNTED[from.status]))
  await addCounts(tx, from, combined({}, COUNTED[from.status]))
  await addCounts(tx, to, COUNTED[to.status])
}

function combined(gained: CountChange, lost: CountChange): CountChange {
  return Object.fromEntries(COLUMNS.map((name) => [name, (gained[name] ?? 0) - (lost[name] ?? 0)]))
}

/** Recipients without a finished send, including those being sent to. */
export async function pendingOf(tx: Pick<Tx, 'one'>, campaignId: string): Promise<number> {
  return (await tx.one(pendingCount, { campaignId }))?.pending ?? 0
}

/** Counts summed over campaigns. */
export interface Totals {
  readonly counts: CampaignCounts
  readonly perInstance: ReadonlyMap<string, { readonly sent: number; readonly failed: number }>
  readonly perVariation: ReadonlyMap<number, Omit<CampaignVariation, 'variation'>>
}

export async function totalsOf(
  read: Pick<Tx, 'all'>,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, Totals>> {
  const found = await countsOfMany.over(campaignIds, {}, (statement, params) => read.all(statement, params))
  const rows = Map.groupBy(found.flat(), ({ campaignId }) => campaignId)
  return new Map(campaignIds.map((id) => [id, sumUp(rows.get(id) ?? [])]))
}

function sumUp(rows: readonly CountRow[]): Totals {
  const sum = (list: readonly CountRow[], name: (typeof COLUMNS)[number]) =>
    list.reduce((total, row) => total + row[name], 0)
  const { pending, ...rest } = Object.fromEntries(COLUMNS.map((name) => [name, sum(rows, name)])) as typeof NOTHING
  const total = pending + rest.sent + rest.failed + rest.skipped + rest.unknown
  const instances = Map.groupBy(
    rows.filter(({ instanceId }) => instanceId !== ''),
    ({ instanceId }) => instanceId,
  )
  const variations = Map.groupBy(
    rows.filter(({ variation }) => variation !== 0),
    ({ variation }) => variation,
  )
  return {
    counts: { total, pending, ...rest },
    perInstance: new Map(
      [...instances].map(([id, list]) => [id, { sent: sum(list, 'sent'), failed: sum(list, 'failed') }]),
    ),
    perVariation: new Map(
      [...variations].map(([variation, list]) => [
        variation,
        {
          ...{ sent: sum(list, 'sent'), delivered: sum(list, 'delivered'), read: sum(list, 'read') },
          ...{ replied: sum(list, 'replied'), failed: sum(list, 'failed') },
        },
      ]),
    ),
  }
}
