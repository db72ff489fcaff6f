import { sql } from '../../kernel/sql.ts'

/** People who hide their phone number cannot be contacts in a CRM. */

export const noteHidden = sql<{ linkSeq: number; chat: string; now: number }>(
  `INSERT INTO crm_hidden_people (link_seq, chat, seen_at) VALUES (:linkSeq, :chat, :now)
   ON CONFLICT (link_seq, chat) DO UPDATE SET seen_at = excluded.seen_at`,
)
export const hiddenOfLink = sql<{ linkSeq: number }, { people: number }>(
  'SELECT count(*) AS people FROM crm_hidden_people WHERE link_seq = :linkSeq',
)
export const removeHidden = sql<{ seq: number }>('DELETE FROM crm_hidden_people WHERE link_seq = :seq')
export const pruneHidden = sql<{ before: number; limit: number }>(
  `DELETE FROM crm_hidden_people WHERE (link_seq, chat) IN (
     SELECT link_seq, chat FROM crm_hidden_people WHERE seen_at < :before ORDER BY seen_at LIMIT :limit)`,
)
