import type { MessageErrorCode, MessageStatus, Source } from '../../contract/shapes.ts'
import type { Forwarded } from '../../engines/received.ts'
import { sql } from '../../kernel/sql.ts'

type OfChat = { instanceId: string; chat: string }

/** Read from the index alone, in the order of chats. */
export const chatsAfter = sql<
  { instanceId: string; after: string; rows: number },
  { chat: string; lastSeq: number; messages: number }
>(
  `SELECT chat, max(seq) AS lastSeq, count(*) AS messages FROM messages
   WHERE instance_id = :instanceId AND chat > :after GROUP BY chat ORDER BY chat LIMIT :rows`,
)

export const chatSummary = sql<OfChat, { lastSeq: number | null; messages: number }>(
  `SELECT max(seq) AS lastSeq, count(*) AS messages FROM messages WHERE instance_id = :instanceId AND chat = :chat`,
)

/** How far back to look for the contact's last message. */
const LOOKBACK_ROWS = 500

/** The other side's last message. */
export const lastReceived = sql<OfChat, { pushName: string | null; createdAtMs: number }>(
  `SELECT pushName, createdAtMs FROM (
     SELECT seq, direction, push_name AS pushName, created_at AS createdAtMs FROM messages
     WHERE instance_id = :instanceId AND chat = :chat ORDER BY seq DESC LIMIT ${LOOKBACK_ROWS}) AS newest
   WHERE direction = 'in' ORDER BY seq DESC LIMIT 1`,
)

export const chatNameOf = sql<OfChat, { name: string }>(
  'SELECT name FROM chat_names WHERE instance_id = :instanceId AND chat = :chat',
)

export interface ThreadMessageRow {
  readonly seq: number
  readonly id: string
  readonly engineMessageId: string | null
  readonly direction: 'out' | 'phone' | 'in'
  readonly chat: string
  readonly sender: string | null
  readonly pushName: string | null
  readonly type: string
  readonly text: string
  /** JSON, as sent or received. */
  readonly media: string | null
  /** JSON, as in the event. */
  readonly content: string | null
  readonly viewOnce: 0 | 1
  readonly forwarded: Forwarded | null
  readonly isGroup: 0 | 1
  readonly status: MessageStatus | null
  readonly source: Source | null
  readonly quotedMessageId: string | null
  readonly createdAtMs: number
  readonly sentAtMs: number | null
  readonly deliveredAtMs: number | null
  readonly readAtMs: number | null
  readonly failedAtMs: number | null
  readonly heldSinceMs: number | null
  readonly validUntilMs: number | null
  readonly editedAtMs: number | null
  readonly deletedAtMs: number | null
  readonly errorCode: MessageErrorCode | null
  readonly errorMessage: string | null
}

const SAID = `seq, id, engine_message_id AS engineMessageId, direction, chat, sender, push_name AS pushName, type, text,
  media, content, view_once AS viewOnce, forwarded, is_group AS isGroup, status, source, quoted_message_id AS quotedMessageId, created_at AS createdAtMs,
  sent_at AS sentAtMs, delivered_at AS deliveredAtMs, read_at AS readAtMs, failed_at AS failedAtMs, held_since AS heldSinceMs,
  valid_until AS validUntilMs,
  edited_at AS editedAtMs, deleted_at AS deletedAtMs, error_code AS errorCode, error_message AS errorMessage`

export const threadMessageBySeq = sql<{ seq: number }, ThreadMessageRow>(
  `SELECT ${SAID} FROM messages WHERE seq = :seq`,
)

export const threadMessageById = sql<{ instanceId: string; id: string }, ThreadMessageRow>(
  `SELECT ${SAID} FROM messages WHERE id = :id AND instance_id = :instanceId`,
)

/** Newest first. */
export const threadMessagesBefore = sql<OfChat & { before: number; rows: number }, ThreadMessageRow>(
  `SELECT ${SAID} FROM messages WHERE instance_id = :instanceId AND chat = :chat AND seq < :before
   ORDER BY seq DESC LIMIT :rows`,
)

/** Those of a page, which is a stretch of the chat. */
export const reactionsBetween = sql<
  OfChat & { from: number; to: number },
  { seq: number; sender: string; emoji: string }
>(
  `SELECT r.message_seq AS seq, r.sender, r.emoji FROM messages m JOIN message_reactions r ON r.message_seq = m.seq
   WHERE m.instance_id = :instanceId AND m.chat = :chat AND m.seq BETWEEN :from AND :to AND r.emoji <> ''
   ORDER BY m.seq, r.sender`,
)

/** Votes in the polls of a page. */
export const votesBetween = sql<
  OfChat & { from: number; to: number },
  { seq: number; voter: string; options: string; atMs: number }
>(
  `SELECT m.seq, v.voter, v.options, v.at AS atMs FROM messages m JOIN poll_votes v
     ON v.instance_id = m.instance_id AND v.engine_message_id = m.engine_message_id
   WHERE m.instance_id = :instanceId AND m.chat = :chat AND m.seq BETWEEN :from AND :to AND m.type = 'poll'
   ORDER BY m.seq, v.voter`,
)
