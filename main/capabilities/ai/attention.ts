import type { Network } from '../../contract/shapes.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { linesOfClients, type ClientCount } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

interface Row {
  readonly instanceId: string
  readonly name: string
  readonly sinceMs: number
}

type Of = { accountId: string; network: Network | null; rows: number }

const waitingChats = sql<Of, Row>(
  `SELECT c.instance_id AS instanceId, i.name, c.handoff_at AS sinceMs
   FROM ai_conversations c JOIN instances i ON i.id = c.instance_id
   WHERE c.account_id = :accountId AND c.waiting = 1 AND (i.network = :network OR :network IS NULL)
   ORDER BY c.instance_id LIMIT :rows`,
)
const refusedInstances = sql<Of, Row & { code: string }>(
  `SELECT a.instance_id AS instanceId, i.name, a.refused_at AS sinceMs, a.refused_code AS code
   FROM ai_instances a JOIN instances i ON i.id = a.instance_id
   WHERE a.account_id = :accountId AND a.refused_at IS NOT NULL AND a.enabled = 1
     AND (i.network = :network OR :network IS NULL)
   ORDER BY a.refused_at LIMIT :rows`,
)
const withoutAgent = sql<Of, Omit<Row, 'sinceMs'>>(
  `SELECT a.instance_id AS instanceId, i.name FROM ai_instances a JOIN instances i ON i.id = a.instance_id
   WHERE a.account_id = :accountId AND a.enabled = 1 AND (i.network = :network OR :network IS NULL)
     AND NOT EXISTS (SELECT 1 FROM ai_agents g WHERE g.instance_id = a.instance_id AND g.is_primary = 1)
   ORDER BY a.instance_id LIMIT :rows`,
)

/** The clients of an agency whose chats wait for a person. */
const waitingClients = sql<Omit<Of, 'rows'>, ClientCount>(
  `SELECT a.id, a.name, COUNT(*) AS count, MIN(c.handoff_at) AS sinceMs
   FROM accounts a JOIN ai_conversations c ON c.account_id = a.id JOIN instances i ON i.id = c.instance_id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND c.waiting = 1
     AND (i.network = :network OR :network IS NULL)
   GROUP BY a.id`,
)

const MOST = 200

/** Chats that wait for a person, and agents that cannot answer. */
export function createAttention({ db }: { readonly db: Pick<Db, 'read'> }) {
  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    const of = { accountId, network, rows: MOST }
    const waiting = await db.read(waitingChats, of)
    const refused = await db.read(refusedInstances, of)
    const missing = await db.read(withoutAgent, of)
    const clients = role === 'operator' ? await db.read(waitingClients, { accountId, network }) : []
    return [
      ...lineOf('provider', 'error', refused),
      ...lineOf('no_agent', 'warning', missing),
      ...lineOf('waiting', 'warning', waiting),
      ...linesOfClients('warning', clients),
    ]
  }
}

function lineOf(
  code: string,
  severity: AttentionLine['severity'],
  rows: readonly (Omit<Row, 'sinceMs'> & { readonly sinceMs?: number })[],
): AttentionLine[] {
  const [first] = rows
  if (first === undefined) return []
  const since = rows.flatMap(({ sinceMs }) => sinceMs ?? [])
  const isOne = rows.every(({ instanceId }) => instanceId === first.instanceId)
  return [
    {
      ...{ code, severity, count: rows.length, text: null },
      ids: [...new Set(rows.map(({ instanceId }) => instanceId))],
      sinceMs: since.length === 0 ? null : Math.min(...since),
      subject: isOne ? { id: first.instanceId, name: first.name } : null,
    },
  ]
}
