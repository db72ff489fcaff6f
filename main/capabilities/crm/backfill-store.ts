import type { BackfillState } from '../../contract/crm.ts'
import { sql } from '../../kernel/sql.ts'

export interface BackfillRow {
  readonly linkSeq: number
  readonly days: number
  readonly sinceMs: number
  readonly state: BackfillState
  /** All chats were read; found messages may still be waiting. */
  readonly isRead: 0 | 1
  readonly afterChat: string
  readonly chatsDone: number
  readonly chatsTotal: number
  readonly found: number
  readonly skipped: number
  readonly startedAtMs: number
  readonly endedAtMs: number | null
}

export const backfillOf = sql<{ linkSeq: number }, BackfillRow>(
  `SELECT link_seq AS linkSeq, days, since_at AS sinceMs, state, is_read AS isRead, after_chat AS afterChat,
     chats_done AS chatsDone, chats_total AS chatsTotal, found, skipped, started_at AS startedAtMs, ended_at AS endedAtMs
   FROM crm_backfills WHERE link_seq = :linkSeq`,
)
export const putBackfill = sql<BackfillRow>(
  `INSERT INTO crm_backfills (link_seq, days, since_at, state, is_read, after_chat, chats_done, chats_total, found,
     skipped, started_at, ended_at)
   VALUES (:linkSeq, :days, :sinceMs, :state, :isRead, :afterChat, :chatsDone, :chatsTotal, :found, :skipped,
     :startedAtMs, :endedAtMs)
   ON CONFLICT (link_seq) DO UPDATE SET days = excluded.days, since_at = excluded.since_at, state = excluded.state,
     is_read = excluded.is_read, after_chat = excluded.after_chat, chats_done = excluded.chats_done,
     chats_total = excluded.chats_total, found = excluded.found, skipped = excluded.skipped,
     started_at = excluded.started_at, ended_at = excluded.ended_at`,
)
