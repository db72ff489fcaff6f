import type { Network } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

type Code = 'banned' | 'signed_out' | 'lost' | 'passkey'

/** One pass over the instances of the account, like the tally. What a person ended needs no attention. */
const troubled = sql<
  { accountId: string; network: Network | null; now: number },
  { code: Code; count: number; sinceMs: number; id: string; name: string }
>(
  `SELECT code, COUNT(*) AS count, MIN(status_at) AS sinceMs, MIN(id) AS id, MIN(name) AS name FROM (
     SELECT id, name, status_at, CASE
       WHEN status IN ('auth_failed', 'disconnected') AND logged_in = 0 AND (last_disconnect_reason = 'banned'
         OR last_disconnect_reason = 'temporary_ban' AND (blocked_until IS NULL OR blocked_until > :now)) THEN 'banned'
       WHEN status = 'auth_failed' THEN 'signed_out'
       WHEN status = 'passkey_required' THEN 'passkey'
       WHEN logged_in = 1 AND (status = 'disconnected' AND last_disconnect_reason NOT IN ('user', 'moved') OR link_lost_at IS NOT NULL)
         THEN 'lost'
     END AS code
     FROM instances
     WHERE account_id = :accountId AND deleted_at IS NULL AND (network = :network OR :network IS NULL)) AS found
   WHERE code IS NOT NULL GROUP BY code`,
)

const SEVERITY: Readonly<Record<Code, AttentionLine['severity']>> = {
  banned: 'error',
  signed_out: 'error',
  passkey: 'warning',
  lost: 'warning',
}

/** Numbers that cannot send or receive until a person, or the network, does something. */
export function createAttention({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }) {
  return async ({ accountId, network }: AttentionQuery): Promise<AttentionLine[]> => {
    const rows = await db.read(troubled, { accountId, network, now: clock.now() })
    return rows.map(({ code, count, sinceMs, id, name }) => ({
      ...{ code, severity: SEVERITY[code], count, sinceMs, text: null },
      subject: count === 1 ? { id, name } : null,
    }))
  }
}
