import type { CampaignStatus, PauseReason } from '../../contract/campaign.ts'
import type { Network } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { linesOfClients, type ClientCount } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

interface StoppedRow {
  readonly id: string
  readonly name: string
  readonly pauseReason: PauseReason | null
  readonly sinceMs: number
}

interface StoppedQuery {
  readonly accountId: string
  readonly network: Network | null
  readonly status: CampaignStatus
  readonly since: number
  readonly rows: number
}

const stoppedCampaigns = sql<StoppedQuery, StoppedRow>(
  `SELECT id, name, pause_reason AS pauseReason, updated_at AS sinceMs FROM campaigns
   WHERE account_id = :accountId AND status = :status AND updated_at >= :since
     AND (network = :network OR :network IS NULL) ORDER BY seq DESC LIMIT :rows`,
)

const nearBudget = sql<Omit<StoppedQuery, 'status' | 'since'>, StoppedRow>(
  `SELECT id, name, pause_reason AS pauseReason, budget_warned_at AS sinceMs FROM campaigns
   WHERE account_id = :accountId AND budget_warned_at IS NOT NULL AND status = 'running'
     AND (network = :network OR :network IS NULL) ORDER BY seq DESC LIMIT :rows`,
)

/** Clients of an agency with campaigns that stopped unexpectedly. */
const clientsWithStopped = sql<{ accountId: string; network: Network | null; failedSince: number }, ClientCount>(
  `SELECT a.id, a.name, COUNT(*) AS count, MIN(c.updated_at) AS sinceMs
   FROM accounts a JOIN campaigns c ON c.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active'
     AND (c.network = :network OR :network IS NULL)
     AND (c.status = 'failed' AND c.updated_at >= :failedSince
       OR c.status = 'paused' AND c.pause_reason NOT IN ('user', 'outside_window'))
   GROUP BY a.id`,
)

/** Clients of an agency with running campaigns that have nearly used up their budget. */
const clientsNearBudget = sql<{ accountId: string; network: Network | null }, ClientCount>(
  `SELECT a.id, a.name, COUNT(*) AS count, MIN(c.budget_warned_at) AS sinceMs
   FROM accounts a JOIN campaigns c ON c.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active'
     AND (c.network = :network OR :network IS NULL)
     AND c.budget_warned_at IS NOT NULL AND c.status = 'running'
   GROUP BY a.id`,
)

const MOST = 200
/** A failed campaign stays failed, but its issue disappears after this time. */
const FAILED_SHOWN_MS = 3 * 24 * 3_600_000
/** Pauses that need nobody: a person caused them, or they end with the sending hours. */
const EXPECTED = new Set<PauseReason | null>(['user', 'outside_window'])

/** Campaigns that stopped unexpectedly, and campaigns that have nearly used up their budget; also those of clients. */
export function createAttention({ db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'now'> }) {
  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    const of = { accountId, network, rows: MOST }
    const paused = await db.read(stoppedCampaigns, { ...of, status: 'paused', since: 0 })
    const failedSince = clock.now() - FAILED_SHOWN_MS
    const failed = await db.read(stoppedCampaigns, { ...of, status: 'failed', since: failedSince })
    const clients = role === 'operator' ? await db.read(clientsWithStopped, { accountId, network, failedSince }) : []
    const spending = role === 'operator' ? await db.read(clientsNearBudget, { accountId, network }) : []
    return [
      ...lineOf(
        'paused',
        paused.filter(({ pauseReason }) => !EXPECTED.has(pauseReason)),
      ),
      ...lineOf('failed', failed),
      ...lineOf('near_budget', await db.read(nearBudget, of)),
      ...linesOfClients('warning', clients),
      ...linesOfClients('warning', spending).map((line) => ({ ...line, code: `near_budget_${line.code}` })),
    ]
  }
}

function lineOf(code: 'paused' | 'failed' | 'near_budget', rows: readonly StoppedRow[]): AttentionLine[] {
  const [first] = rows
  if (first === undefined) return []
  return [
    {
      ...{ code, severity: code === 'failed' ? 'error' : 'warning', count: rows.length, text: null },
      ids: rows.map(({ id }) => id),
      sinceMs: Math.min(...rows.map(({ sinceMs }) => sinceMs)),
      subject: rows.length === 1 ? { id: first.id, name: first.name } : null,
    },
  ]
}
