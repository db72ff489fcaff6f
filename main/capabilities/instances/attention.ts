import type { Network } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { linesOfClients, type ClientCount } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

type Code = 'banned' | 'signed_out' | 'lost' | 'passkey'

/** What a person ended needs no attention. */
const CODE = `CASE
       WHEN i.status IN ('auth_failed', 'disconnected') AND i.logged_in = 0 AND (i.last_disconnect_reason = 'banned'
         OR i.last_disconnect_reason = 'temporary_ban' AND (i.blocked_until IS NULL OR i.blocked_until > :now)) THEN 'banned'
       WHEN i.status = 'auth_failed' THEN 'signed_out'
       WHEN i.status = 'passkey_required' THEN 'passkey'
       WHEN i.logged_in = 1 AND (i.status = 'disconnected' AND i.last_disconnect_reason NOT IN ('user', 'moved') OR i.link_lost_at IS NOT NULL)
         THEN 'lost'
     END`

interface TroubledRow {
  readonly code: Code
  readonly id: string
  readonly name: string
  readonly sinceMs: number
}

const troubled = sql<{ accountId: string; network: Network | null; now: number }, TroubledRow>(
  `SELECT id, name, sinceMs, code FROM (
     SELECT i.id, i.name, i.status_at AS sinceMs, ${CODE} AS code FROM instances i
     WHERE i.account_id = :accountId AND i.deleted_at IS NULL AND (i.network = :network OR :network IS NULL)) AS found
   WHERE code IS NOT NULL`,
)

/** The clients of an agency. */
const troubledClients = sql<{ accountId: string; network: Network | null; now: number }, ClientCount>(
  `SELECT a.id, a.name, COUNT(*) AS count, MIN(i.status_at) AS sinceMs
   FROM accounts a JOIN instances i ON i.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND i.deleted_at IS NULL
     AND (i.network = :network OR :network IS NULL) AND ${CODE} IS NOT NULL
   GROUP BY a.id`,
)

const SEVERITY: Readonly<Record<Code, AttentionLine['severity']>> = {
  banned: 'error',
  signed_out: 'error',
  passkey: 'warning',
  lost: 'warning',
}

/** Numbers that cannot send or receive until a person, or the network, does something. */
export function createAttention({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }) {
  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    const of = { accountId, network, now: clock.now() }
    const own = Map.groupBy(await db.read(troubled, of), ({ code }) => code)
    const clients = role === 'operator' ? await db.read(troubledClients, of) : []
    return [...[...own].map(([code, rows]) => lineOf(code, rows)), ...linesOfClients('warning', clients)]
  }
}

function lineOf(code: Code, rows: readonly TroubledRow[]): AttentionLine {
  const [first, ...others] = rows
  return {
    ...{ code, severity: SEVERITY[code], count: rows.length, ids: rows.map(({ id }) => id), text: null },
    subject: first && others.length === 0 ? { id: first.id, name: first.name } : null,
    sinceMs: rows.reduce((least, { sinceMs }) => Math.min(least, sinceMs), Infinity),
  }
}
