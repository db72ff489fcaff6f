import type { SendOrigin } from '../../contract/send-origin.ts'
import type {
  Engine,
  MessageErrorCode,
  MessageErrorShape,
  MessageStatus,
  Network,
  Source,
} from '../../contract/shapes.ts'
import type { Forwarded } from '../../engines/received.ts'
import type { AccountId, InstanceId, MessageId } from '../../kernel/ids.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'
import type { ClientCount } from '../client-attention.ts'

/** A message that has a status: sent through this service, or typed on the line's own phone. */
export interface Message {
  readonly seq: number
  readonly id: MessageId
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  /** null for what was typed on the phone. */
  readonly engine: Engine | null
  readonly direction: 'out' | 'phone'
  /** The number it goes to, or the id of a group. */
  readonly chat: string
  readonly type: string
  readonly status: MessageStatus
  readonly source: Source
  readonly idempotencyKey: string | null
  readonly campaignId: string | null
  /** What another room sent it for. */
  readonly origin: SendOrigin | null
  readonly engineMessageId: string | null
  readonly createdAtMs: number
  /** null: it is certain that no byte of it has left. */
  readonly dispatchStartedAtMs: number | null
  readonly sentAtMs: number | null
  readonly deliveredAtMs: number | null
  readonly readAtMs: number | null
  readonly failedAtMs: number | null
  /** Since when its network has held it back; also after that is over. */
  readonly heldSinceMs: number | null
  /** Until when its network tries to deliver it. */
  readonly validUntilMs: number | null
  readonly error: MessageErrorShape | null
}

export interface MessageRow extends Omit<Message, 'id' | 'accountId' | 'instanceId' | 'origin' | 'error'> {
  id: string
  accountId: string
  instanceId: string
  /** JSON. */
  origin: string | null
  errorCode: MessageErrorCode | null
  errorMessage: string | null
  errorProviderCode: number | null
}

const COLUMNS = `seq, id, account_id AS accountId, instance_id AS instanceId, engine, direction, chat, type, status,
  source, idem_key AS idempotencyKey, campaign_id AS campaignId, origin, engine_message_id AS engineMessageId,
  created_at AS createdAtMs, dispatch_started_at AS dispatchStartedAtMs, sent_at AS sentAtMs,
  delivered_at AS deliveredAtMs, read_at AS readAtMs, failed_at AS failedAtMs, held_since AS heldSinceMs,
  valid_until AS validUntilMs,
  error_code AS errorCode, error_message AS errorMessage, error_provider_code AS errorProviderCode`

export function toMessage({ origin, errorCode, errorMessage, errorProviderCode, ...row }: MessageRow): Message {
  const error =
    errorCode === null ? null : { code: errorCode, message: errorMessage ?? '', provider_code: errorProviderCode }
  // The ids were made by ids.ts before they were stored.
  return {
    ...row,
    id: row.id as MessageId,
    accountId: row.accountId as AccountId,
    instanceId: row.instanceId as InstanceId,
    origin: origin === null ? null : (JSON.parse(origin) as SendOrigin),
    error,
  }
}

// Messages on their way out.

export const insertOutgoing = sql<{
  seq: number
  id: string
  accountId: string
  instanceId: string
  engine: string
  chat: string
  type: string
  text: string
  media: string | null
  content: string | null
  source: string
  idempotencyKey: string | null
  campaignId: string | null
  origin: string | null
  quotedMessageId: string | null
  isGroup: 0 | 1
  forwarded: Forwarded | null
  now: number
}>(`INSERT INTO messages (seq, id, account_id, instance_id, engine, direction, chat, type, text, media, content, status, source,
      idem_key, campaign_id, origin, quoted_message_id, is_group, forwarded, created_at, dispatch_started_at)
    VALUES (:seq, :id, :accountId, :instanceId, :engine, 'out', :chat, :type, :text, :media, :content, 'queued', :source,
      :idempotencyKey, :campaignId, :origin, :quotedMessageId, :isGroup, :forwarded, :now, NULL)`)

/** From now on the message may have been sent. */
export const markLeaving = sql<{ seq: number; now: number }>(
  'UPDATE messages SET dispatch_started_at = :now WHERE seq = :seq AND dispatch_started_at IS NULL',
)

/** The engine confirmed the send: the one statement of the usual case. */
export const markSent = sql<{ seq: number; engineMessageId: string; now: number }>(
  `UPDATE messages SET status = 'sent', sent_at = :now, engine_message_id = :engineMessageId
   WHERE seq = :seq AND status = 'queued'`,
)

/** The engine accepted the message; its status comes from receipts. */
export const markAccepted = sql<{ seq: number; engineMessageId: string; heldSinceMs: number | null }>(
  'UPDATE messages SET engine_message_id = :engineMessageId, held_since = :heldSinceMs WHERE seq = :seq',
)

export const setValidUntil = sql<{ seq: number; validUntilMs: number }>(
  'UPDATE messages SET valid_until = :validUntilMs WHERE seq = :seq',
)

/** Times and error columns that are null stay as they are. */
export const moveStatus = sql<{
  seq: number
  status: MessageStatus
  engineMessageId: string | null
  sentAt: number | null
  deliveredAt: number | null
  readAt: number | null
  failedAt: number | null
  errorCode: string | null
  errorMessage: string | null
  errorProviderCode: number | null
}>(`UPDATE messages SET status = :status, engine_message_id = COALESCE(engine_message_id, :engineMessageId),
      sent_at = COALESCE(sent_at, :sentAt), delivered_at = COALESCE(delivered_at, :deliveredAt),
      read_at = COALESCE(read_at, :readAt), failed_at = COALESCE(failed_at, :failedAt), error_code = :errorCode,
      error_message = :errorMessage, error_provider_code = :errorProviderCode
    WHERE seq = :seq`)

/** The message was certainly not sent, so its row is removed. */
export const removeMessage = sql<{ seq: number }, RemovedMessage>(
  `DELETE FROM messages WHERE seq = :seq AND status = 'queued'
   RETURNING account_id AS accountId, instance_id AS instanceId, media, created_at AS createdAtMs`,
)

export interface RemovedMessage {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  readonly media: string | null
  readonly createdAtMs: number
}

// Reading.

/** Received messages have no status and are not found here. */
export const messageById = sql<{ id: string; instanceId: string }, MessageRow>(
  `SELECT ${COLUMNS} FROM messages WHERE id = :id AND instance_id = :instanceId AND direction <> 'in'`,
)

/** Of ours, by the id the network gave it. */
export const messageByEngineId = sql<{ instanceId: string; engineMessageId: string }, MessageRow>(
  `SELECT ${COLUMNS} FROM messages WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId
   AND direction = 'out'`,
)

/** The next instance with something queued. Two statements, because no index serves (instance_id, seq) > (…) whole. */
export const nextQueue = sql<{ after: string }, { instanceId: string | null }>(
  `SELECT min(instance_id) AS instanceId FROM messages WHERE status = 'queued' AND instance_id > :after`,
)

export const queuedPage = sql<{ instanceId: string; after: number; limit: number }, MessageRow>(
  `SELECT ${COLUMNS} FROM messages WHERE status = 'queued' AND instance_id = :instanceId AND seq > :after
   ORDER BY seq LIMIT :limit`,
)

export const queueGauge = sql<{ instanceId: string }, { pending: number; oldestAtMs: number | null }>(
  `SELECT count(*) AS pending, min(created_at) AS oldestAtMs FROM messages
   WHERE instance_id = :instanceId AND status = 'queued'`,
)

export const queuedOfAccount = sql<{ accountId: string }, { queued: number }>(
  `SELECT COUNT(*) AS queued FROM messages m JOIN instances i ON i.id = m.instance_id
    WHERE m.status = 'queued' AND i.account_id = :accountId`,
)

/** Instances whose oldest unconfirmed message was accepted before that. */
export const stuckQueues = sql<
  { accountId: string; network: Network | null; before: number },
  { id: string; name: string; sinceMs: number }
>(
  `SELECT i.id, i.name, min(m.created_at) AS sinceMs FROM messages m JOIN instances i ON i.id = m.instance_id
   WHERE m.status = 'queued' AND m.created_at <= :before AND i.account_id = :accountId AND i.deleted_at IS NULL
     AND (i.network = :network OR :network IS NULL)
   GROUP BY i.id, i.name`,
)

/** The clients of an agency with such instances. Those that are suspended send nothing. */
export const stuckQueuesOfClients = sql<{ accountId: string; network: Network | null; before: number }, ClientCount>(
  `SELECT a.id, a.name, count(*) AS count,
     min((SELECT min(m.created_at) FROM messages m WHERE m.instance_id = i.id AND m.status = 'queued')) AS sinceMs
   FROM accounts a JOIN instances i ON i.account_id = a.id
   WHERE a.parent_account_id = :accountId AND a.deleted_at IS NULL AND a.status = 'active' AND i.deleted_at IS NULL
     AND (i.network = :network OR :network IS NULL) AND EXISTS (
       SELECT 1 FROM messages m WHERE m.instance_id = i.id AND m.status = 'queued' AND m.created_at <= :before)
   GROUP BY a.id`,
)

/** Reads through the instance's part of an index; asked once for each instance after a start, then remembered. */
export const lastMessage = sql<{ instanceId: string }, { createdAtMs: number }>(
  `SELECT created_at AS createdAtMs FROM messages
   WHERE seq = (SELECT max(seq) FROM messages WHERE instance_id = :instanceId)`,
)

/** When each of the instances last wrote to this number. */
export const lastWritten = sqlOfList<string, { chat: string }, { atMs: number | null }>(
  (ids) =>
    `SELECT MAX(created_at) AS atMs FROM messages
     WHERE instance_id IN (${ids}) AND chat = :chat AND direction <> 'in' AND status <> 'failed'`,
)

/** What it takes to reference or quote a message on the network. */
export interface ReferencedMessage {
  /** null until the network accepts the message. */
  readonly engineMessageId: string | null
  readonly chat: string
  readonly direction: 'out' | 'phone' | 'in'
  /** The author, in a group. */
  readonly participant: string | null
  readonly type: string
  readonly text: string
  readonly deletedAtMs: number | null
}

export const referencedById = sql<{ id: string; instanceId: string }, ReferencedMessage>(
  `SELECT engine_message_id AS engineMessageId, chat, direction, participant, type, text, deleted_at AS deletedAtMs
   FROM messages WHERE id = :id AND instance_id = :instanceId`,
)

/** What it takes to pass a message on. */
export interface ForwardableMessage extends ReferencedMessage {
  readonly media: string | null
  readonly content: string | null
  readonly viewOnce: 0 | 1
  readonly forwarded: Forwarded | null
}

export const forwardableById = sql<{ id: string; instanceId: string }, ForwardableMessage>(
  `SELECT engine_message_id AS engineMessageId, chat, direction, participant, type, text, deleted_at AS deletedAtMs,
     media, content, view_once AS viewOnce, forwarded
   FROM messages WHERE id = :id AND instance_id = :instanceId`,
)

/** The newest message of a chat that the network has. */
export const lastReferenced = sql<{ instanceId: string; chat: string }, ReferencedMessage & { createdAtMs: number }>(
  `SELECT engine_message_id AS engineMessageId, chat, direction, participant, type, text, deleted_at AS deletedAtMs,
     created_at AS createdAtMs
   FROM messages WHERE instance_id = :instanceId AND chat = :chat AND engine_message_id IS NOT NULL
   ORDER BY seq DESC LIMIT 1`,
)

/** The newest message that somebody else said in a chat. */
export const lastReceivedReferenced = sql<{ instanceId: string; chat: string }, ReferencedMessage>(
  `SELECT engine_message_id AS engineMessageId, chat, direction, participant, type, text, deleted_at AS deletedAtMs
   FROM (SELECT seq, engine_message_id, chat, direction, participant, type, text, deleted_at FROM messages
         WHERE instance_id = :instanceId AND chat = :chat ORDER BY seq DESC LIMIT 1000) AS newest
   WHERE direction = 'in' AND engine_message_id IS NOT NULL
   ORDER BY seq DESC LIMIT 1`,
)

// What the network reports.

export const receivedByEngineId = sql<
  { instanceId: string; engineMessageId: string; chat: string },
  { seq: number; id: string; type: string; createdAtMs: number; deletedAtMs: number | null }
>(
  `SELECT seq, id, type, created_at AS createdAtMs, deleted_at AS deletedAtMs FROM messages WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId AND chat = :chat
   AND direction <> 'out'`,
)

/** A message whose content the network has not handed out. */
export const unavailableByEngineId = sql<
  { instanceId: string; engineMessageId: string },
  { seq: number; chat: string; quotedMessageId: string | null }
>(
  `SELECT seq, chat, quoted_message_id AS quotedMessageId FROM messages WHERE seq = (
     SELECT min(seq) FROM messages WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId
       AND direction <> 'out' AND type = 'unavailable')`,
)

export const receivedMedia = sql<
  { instanceId: string; engineMessageId: string },
  { seq: number; accountId: AccountId; instanceId: InstanceId; media: string; createdAtMs: number }
>(
  `SELECT seq, account_id AS accountId, instance_id AS instanceId, media, created_at AS createdAtMs FROM messages
   WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId AND direction <> 'out' AND media IS NOT NULL`,
)
export const setMedia = sql<{ seq: number; media: string }>('UPDATE messages SET media = :media WHERE seq = :seq')

/** A message by the id the network gave it, whichever way it went: of two the one we sent. */
export const anyByEngineId = sql<
  { instanceId: string; engineMessageId: string },
  { seq: number; id: string; direction: 'out' | 'phone' | 'in' }
>(`SELECT seq, id, direction FROM messages WHERE seq = COALESCE(
     (SELECT min(seq) FROM messages
       WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId AND direction = 'out'),
     (SELECT min(seq) FROM messages
       WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId AND direction <> 'out'))`)

export const insertReceived = sql<{
  seq: number
  id: string
  accountId: string
  instanceId: string
  direction: 'phone' | 'in'
  chat: string
  sender: string
  type: string
  text: string
  media: string | null
  status: 'sent' | null
  source: 'phone' | null
  engineMessageId: string
  pushName: string | null
  participant: string | null
  quotedMessageId: string | null
  isGroup: 0 | 1
  content: string | null
  viewOnce: 0 | 1
  forwarded: Forwarded | null
  createdAt: number
  sentAt: number | null
}>(`INSERT INTO messages (seq, id, account_id, instance_id, direction, chat, sender, type, text, media, status, source,
      engine_message_id, push_name, participant, quoted_message_id, is_group, content, view_once, forwarded,
      created_at, sent_at)
    VALUES (:seq, :id, :accountId, :instanceId, :direction, :chat, :sender, :type, :text, :media, :status, :source,
      :engineMessageId, :pushName, :participant, :quotedMessageId, :isGroup, :content, :viewOnce, :forwarded,
      :createdAt, :sentAt)`)

// Messages from before the number was connected.

export interface OldestInChat {
  readonly chat: string
  /** null: the network does not have it. */
  readonly engineMessageId: string | null
  readonly own: 0 | 1
  readonly createdAtMs: number
}
/** In no order. */
export const oldestInChats = sql<{ instanceId: string; after: string; limit: number }, OldestInChat>(
  `SELECT m.chat, m.engine_message_id AS engineMessageId, CASE m.direction WHEN 'in' THEN 0 ELSE 1 END AS own,
     m.created_at AS createdAtMs
   FROM (SELECT chat, min(seq) AS first FROM messages
         WHERE instance_id = :instanceId AND chat > :after GROUP BY chat ORDER BY chat LIMIT :limit) AS chats
   JOIN messages m ON m.seq = chats.first`,
)

export const highestSeqBetween = sql<{ first: number; end: number }, { seq: number | null }>(
  'SELECT max(seq) AS seq FROM messages WHERE seq >= :first AND seq < :end',
)
export const nameChat = sql<{ instanceId: string; chat: string; name: string }>(
  `INSERT INTO chat_names (instance_id, chat, name) VALUES (:instanceId, :chat, :name)
   ON CONFLICT (instance_id, chat) DO UPDATE SET name = excluded.name WHERE chat_names.name <> excluded.name`,
)

/** Adds the content to a message that arrived without it. */
export const fillReceived = sql<{
  seq: number
  type: string
  text: string
  media: string | null
  content: string | null
  viewOnce: 0 | 1
  forwarded: Forwarded | null
  quotedMessageId: string | null
}>(`UPDATE messages SET type = :type, text = :text, media = :media, content = :content, view_once = :viewOnce,
      forwarded = :forwarded, quoted_message_id = :quotedMessageId WHERE seq = :seq AND type = 'unavailable'`)

/** Ignores an edit that is already known or older than the known one. */
export const editText = sql<{ seq: number; text: string; at: number }>(
  `UPDATE messages SET text = :text, edited_at = :at
   WHERE seq = :seq AND (edited_at IS NULL OR edited_at < :at OR (edited_at = :at AND text <> :text))`,
)

export const markDeleted = sql<{ seq: number; at: number }>(
  'UPDATE messages SET deleted_at = :at WHERE seq = :seq AND deleted_at IS NULL',
)

/** Ignores a reaction that is already known or older than the known one. */
export const upsertReaction = sql<{ seq: number; sender: string; emoji: string; at: number }>(
  `INSERT INTO message_reactions (message_seq, sender, emoji, at) VALUES (:seq, :sender, :emoji, :at)
   ON CONFLICT (message_seq, sender) DO UPDATE SET emoji = excluded.emoji, at = excluded.at
   WHERE excluded.at >= message_reactions.at AND excluded.emoji <> message_reactions.emoji`,
)

// Polls.

export interface PollRow {
  readonly engineMessageId: string | null
  readonly type: string
  readonly text: string
  readonly content: string | null
  readonly deletedAtMs: number | null
}

export const pollById = sql<{ id: string; instanceId: string }, PollRow>(
  `SELECT engine_message_id AS engineMessageId, type, text, content, deleted_at AS deletedAtMs
   FROM messages WHERE id = :id AND instance_id = :instanceId`,
)

/** Ignores a vote that is already known or older than the known one. */
export const upsertVote = sql<{
  instanceId: string
  engineMessageId: string
  voter: string
  options: string
  at: number
}>(
  `INSERT INTO poll_votes (instance_id, engine_message_id, voter, options, at)
   VALUES (:instanceId, :engineMessageId, :voter, :options, :at)
   ON CONFLICT (instance_id, engine_message_id, voter) DO UPDATE SET options = excluded.options, at = excluded.at
   WHERE excluded.at >= poll_votes.at AND excluded.options <> poll_votes.options`,
)

export interface VoteRow {
  readonly voter: string
  /** JSON: every option chosen. */
  readonly options: string
  readonly atMs: number
}

export const votesOf = sql<{ instanceId: string; engineMessageId: string }, VoteRow>(
  `SELECT voter, options, at AS atMs FROM poll_votes
   WHERE instance_id = :instanceId AND engine_message_id = :engineMessageId ORDER BY voter`,
)
