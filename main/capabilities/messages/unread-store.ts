import type { Network } from '../../contract/shapes.ts'
import { sql } from '../../kernel/sql.ts'

export type OfChat = { instanceId: string; chat: string }

export interface UnreadRow {
  /** Received since the chat was last read or answered. */
  readonly messages: number
  /** A person marked the chat as unread. */
  readonly marked: 0 | 1
}

/** Nothing for an instance that was deleted. */
export const addUnread = sql<OfChat & { messages: number; marked: 0 | 1 }, UnreadRow>(
  `INSERT INTO unread_chats (instance_id, chat, messages, marked)
   SELECT id, :chat, :messages, :marked FROM instances WHERE id = :instanceId AND deleted_at IS NULL
   ON CONFLICT (instance_id, chat) DO UPDATE SET messages = unread_chats.messages + excluded.messages,
     marked = CASE WHEN excluded.marked = 1 THEN 1 ELSE unread_chats.marked END
   RETURNING messages, marked`,
)

export const setUnread = sql<OfChat & UnreadRow>(
  'UPDATE unread_chats SET messages = :messages, marked = :marked WHERE instance_id = :instanceId AND chat = :chat',
)

export const removeUnread = sql<OfChat>('DELETE FROM unread_chats WHERE instance_id = :instanceId AND chat = :chat')

export const unreadOf = sql<OfChat, UnreadRow>(
  'SELECT messages, marked FROM unread_chats WHERE instance_id = :instanceId AND chat = :chat',
)

export const unreadChats = sql<{ instanceId: string; after: string; rows: number }, { chat: string }>(
  'SELECT chat FROM unread_chats WHERE instance_id = :instanceId AND chat > :after ORDER BY chat LIMIT :rows',
)

/** @returns whose instance it is. */
export const addToInstance = sql<{ instanceId: string }, { accountId: string }>(
  `INSERT INTO unread_instances (instance_id, account_id, network, chats)
   SELECT id, account_id, network, 1 FROM instances WHERE id = :instanceId
   ON CONFLICT (instance_id) DO UPDATE SET chats = unread_instances.chats + 1
   RETURNING account_id AS accountId`,
)

export const takeFromInstance = sql<{ instanceId: string }, { accountId: string }>(
  `UPDATE unread_instances SET chats = chats - 1 WHERE instance_id = :instanceId RETURNING account_id AS accountId`,
)

/** The account that has the instance. */
export const rehomeInstance = sql<{ instanceId: string }>(
  `UPDATE unread_instances SET account_id = (SELECT account_id FROM instances WHERE id = :instanceId)
   WHERE instance_id = :instanceId`,
)

export const removeChatsOfInstance = sql<{ instanceId: string }>(
  'DELETE FROM unread_chats WHERE instance_id = :instanceId',
)
export const removeInstance = sql<{ instanceId: string }, { accountId: string }>(
  'DELETE FROM unread_instances WHERE instance_id = :instanceId RETURNING account_id AS accountId',
)

/** From the index alone, which holds only instances with unread chats. */
export const unreadInstances = sql<{ accountId: string }, { id: string; network: Network; chats: number }>(
  'SELECT instance_id AS id, network, chats FROM unread_instances WHERE account_id = :accountId AND chats > 0',
)
