import type { Network } from '../../contract/shapes.ts'
import type { Db } from '../../kernel/db.ts'
import { sql } from '../../kernel/sql.ts'
import { linesOfClients, type ClientCount } from '../client-attention.ts'
import type { AttentionLine, AttentionQuery } from '../room.ts'

type Of = { accountId: string; network: Network | null }

const openQuestions = sql<Of & { rows: number }, { chat: string; createdAtMs: number }>(
  `SELECT q.chat, q.created_at AS createdAtMs FROM opt_out_questions q JOIN instances i ON i.id = q.instance_id
   WHERE q.account_id = :accountId AND q.dismissed_at IS NULL AND (i.network = :network OR :network IS NULL)
   ORDER BY q.seq LIMIT :rows`,
)

/** The clients of an agency that have open questions. */
const clientsWithQuestions = sql<Of, ClientCount>(
  `SELECT a.id, a.name, COUNT(*) AS count, MIN(q.created_at) AS sinceMs
   FROM accounts a JOIN opt_out_questions q ON q.account_id = a.id AND q.dismissed_at IS NULL
     JOIN instances i ON i.id = q.instance_id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active'
     AND (i.network = :network OR :network IS NULL)
   GROUP BY a.id`,
)

const MOST = 200

/** Issues for people who may want to opt out and for whom nobody has decided yet. */
export function createAttention({ db }: { readonly db: Pick<Db, 'read'> }) {
  return async ({ accountId, network, role }: AttentionQuery): Promise<AttentionLine[]> => {
    const questions = await db.read(openQuestions, { accountId, network, rows: MOST })
    const [first] = questions
    const clients = role === 'operator' ? await db.read(clientsWithQuestions, { accountId, network }) : []
    const own: AttentionLine[] =
      first === undefined
        ? []
        : [
            {
              ...{
                code: 'question',
                severity: 'warning',
                count: new Set(questions.map(({ chat }) => chat)).size,
                text: null,
              },
              subject: null,
              sinceMs: first.createdAtMs,
            },
          ]
    return [...own, ...linesOfClients('warning', clients)]
  }
}
