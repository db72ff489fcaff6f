import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

type OfInstance = { instanceId: string }

export type ImportState = 'running' | 'paused' | 'completed' | 'failed' | 'canceled'

export interface ImportRow {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  /** Id of its jobs. */
  readonly importId: string
  readonly days: number
  readonly sinceMs: number
  readonly state: ImportState
  readonly chatsTotal: number
  readonly chatsDone: number
  readonly messages: number
  readonly hasPhoneList: 0 | 1
  readonly error: string | null
  readonly startedAtMs: number
  readonly endedAtMs: number | null
}

export const importOf = sql<OfInstance, ImportRow>(
  `SELECT instance_id AS instanceId, account_id AS accountId, import_id AS importId, days, since AS sinceMs, state,
     chats_total AS chatsTotal, chats_done AS chatsDone, messages, has_phone_list AS hasPhoneList, error,
     started_at AS startedAtMs, ended_at AS endedAtMs
   FROM history_imports WHERE instance_id = :instanceId`,
)

export const saveImport = sql<
  OfInstance & { accountId: string; importId: string; days: number; since: number; now: number }
>(
  `INSERT INTO history_imports (instance_id, account_id, import_id, days, since, state, chats_total, chats_done, messages,
     has_phone_list, error, started_at, ended_at)
   VALUES (:instanceId, :accountId, :importId, :days, :since, 'running', 0, 0, 0, 0, NULL, :now, NULL)
   ON CONFLICT (instance_id) DO UPDATE SET import_id = excluded.import_id, days = excluded.days, since = excluded.since,
     state = 'running', chats_total = 0, chats_done = 0, messages = 0, has_phone_list = 0, error = NULL,
     started_at = excluded.started_at, ended_at = NULL`,
)

/** The end of an import is final. */
export const moveImport = sql<
  OfInstance & { importId: string; state: ImportState; error: string | null; endedAt: number | null }
>(
  `UPDATE history_imports SET state = :state, error = :error, ended_at = :endedAt
   WHERE instance_id = :instanceId AND import_id = :importId AND state IN ('running', 'paused')`,
)

export const countImport = sql<
  OfInstance & { importId: string; total: number; done: number; messages: number; hasPhoneList: 0 | 1 }
>(
  `UPDATE history_imports SET chats_total = chats_total + :total, chats_done = chats_done + :done,
     messages = messages + :messages, has_phone_list = CASE WHEN :hasPhoneList = 1 THEN 1 ELSE has_phone_list END
   WHERE instance_id = :instanceId AND import_id = :importId`,
)

export const removeImport = sql<OfInstance>('DELETE FROM history_imports WHERE instance_id = :instanceId')

// Chats that are not finished.

export interface ChatRow {
  readonly chat: string
  readonly address: string | null
  readonly engineMessageId: string
  readonly own: 0 | 1
  readonly atMs: number
}

type NewChat = OfInstance & { chat: string; address: string | null; engineMessageId: string; own: 0 | 1; at: number }

/** A chat that is already in the list keeps its position. */
export const addChat = sql<NewChat>(
  `INSERT INTO history_chats (instance_id, chat, address, engine_message_id, own, at)
   VALUES (:instanceId, :chat, :address, :engineMessageId, :own, :at)
   ON CONFLICT (instance_id, chat) DO NOTHING`,
)
export const moveChat = sql<NewChat>(
  `UPDATE history_chats SET address = :address, engine_message_id = :engineMessageId, own = :own, at = :at
   WHERE instance_id = :instanceId AND chat = :chat`,
)
export const nextChat = sql<OfInstance, ChatRow>(
  `SELECT chat, address, engine_message_id AS engineMessageId, own, at AS atMs FROM history_chats
   WHERE instance_id = :instanceId ORDER BY chat LIMIT 1`,
)
export const removeChat = sql<OfInstance & { chat: string }>(
  'DELETE FROM history_chats WHERE instance_id = :instanceId AND chat = :chat',
)
export const removeChats = sql<OfInstance>('DELETE FROM history_chats WHERE instance_id = :instanceId')
