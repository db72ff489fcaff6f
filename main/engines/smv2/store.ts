import type { AccountId, InstanceId, MessageId } from '../../kernel/ids.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'

type Id = { instanceId: string }

// The session.

export interface SessionRow {
  readonly instanceId: InstanceId
  readonly format: number
  readonly credsSealed: Uint8Array
  readonly up: 0 | 1
  readonly ended: 0 | 1
  readonly restrictedAtMs: number | null
  readonly restrictedUntilMs: number | null
}

const SESSION = `instance_id AS instanceId, format, creds_sealed AS credsSealed, up, ended,
  restricted_at AS restrictedAtMs, restricted_until AS restrictedUntilMs`

export const sessionOf = sql<Id, SessionRow>(`SELECT ${SESSION} FROM smv2_sessions WHERE instance_id = :instanceId`)

export const saveCreds = sql<Id & { accountId: string; format: number; credsSealed: Uint8Array }>(
  `INSERT INTO smv2_sessions (instance_id, account_id, format, creds_sealed, up, ended)
   VALUES (:instanceId, :accountId, :format, :credsSealed, 1, 0)
   ON CONFLICT (instance_id) DO UPDATE SET format = excluded.format, creds_sealed = excluded.creds_sealed`,
)

export const rehomeSession = sql<Id & { accountId: string }>(
  'UPDATE smv2_sessions SET account_id = :accountId WHERE instance_id = :instanceId',
)
export const setUp = sql<Id & { up: 0 | 1 }>('UPDATE smv2_sessions SET up = :up WHERE instance_id = :instanceId')
export const endSession = sql<Id>('UPDATE smv2_sessions SET ended = 1, up = 0 WHERE instance_id = :instanceId')
export const restrict = sql<Id & { at: number | null; until: number | null }>(
  'UPDATE smv2_sessions SET restricted_at = :at, restricted_until = :until WHERE instance_id = :instanceId',
)

// Its keys.

interface KeyRow {
  readonly id: string
  readonly sealed: Uint8Array
}

export const keysOf = sqlOfList<string, Id & { type: string }, KeyRow>(
  (ids) => `SELECT id, sealed FROM smv2_keys WHERE instance_id = :instanceId AND type = :type AND id IN (${ids})`,
)

export const allKeysPage = sql<Id & { type: string; id: string; limit: number }, KeyRow & { readonly type: string }>(
  `SELECT type, id, sealed FROM smv2_keys WHERE instance_id = :instanceId AND (type, id) > (:type, :id)
   ORDER BY type, id LIMIT :limit`,
)

export const saveKey = sql<Id & { type: string; id: string; sealed: Uint8Array }>(
  `INSERT INTO smv2_keys (instance_id, type, id, sealed) VALUES (:instanceId, :type, :id, :sealed)
   ON CONFLICT (instance_id, type, id) DO UPDATE SET sealed = excluded.sealed`,
)
export const removeKey = sql<Id & { type: string; id: string }>(
  'DELETE FROM smv2_keys WHERE instance_id = :instanceId AND type = :type AND id = :id',
)

// Received messages.

export interface InboundRow {
  readonly seq: number
  readonly instanceId: InstanceId
  readonly digest: string
  readonly sealed: Uint8Array
  readonly receivedAtMs: number
}

const INBOUND_COLUMNS = 'seq, instance_id AS instanceId, digest, sealed, received_at AS receivedAtMs'

export const insertInbound = sql<
  Id & { seq: number; digest: string; engineId: string | null; sealed: Uint8Array; now: number }
>(
  `INSERT INTO smv2_inbound (seq, instance_id, digest, engine_id, sealed, received_at, told)
   VALUES (:seq, :instanceId, :digest, :engineId, :sealed, :now, 0) ON CONFLICT (instance_id, digest) DO NOTHING`,
)
export const inboundByDigest = sql<Id & { digest: string }, InboundRow>(
  `SELECT ${INBOUND_COLUMNS} FROM smv2_inbound WHERE instance_id = :instanceId AND digest = :digest`,
)
/** More than one if a message was decrypted twice, or somebody gave another one the same id. */
export const inboundByEngineId = sql<Id & { engineId: string; limit: number }, InboundRow>(
  `SELECT ${INBOUND_COLUMNS} FROM smv2_inbound WHERE instance_id = :instanceId AND engine_id = :engineId
   ORDER BY seq LIMIT :limit`,
)
export const unpublishedPage = sql<Id & { after: number; limit: number }, InboundRow>(
  `SELECT ${INBOUND_COLUMNS} FROM smv2_inbound WHERE instance_id = :instanceId AND told = 0 AND seq > :after ORDER BY seq LIMIT :limit`,
)
export const unpublishedRows = sqlOfList<number, Record<never, never>, InboundRow>(
  (seqs) => `SELECT ${INBOUND_COLUMNS} FROM smv2_inbound WHERE seq IN (${seqs}) AND told = 0 ORDER BY seq`,
)
/** Instances with unpublished messages, one after the other. */
export const nextInstanceWithUnpublished = sql<{ after: string }, { instanceId: InstanceId; accountId: AccountId }>(
  `SELECT s.instance_id AS instanceId, s.account_id AS accountId FROM smv2_sessions s
   WHERE s.instance_id > :after AND EXISTS (SELECT 1 FROM smv2_inbound i WHERE i.instance_id = s.instance_id AND i.told = 0)
   ORDER BY s.instance_id LIMIT 1`,
)
export const markPublished = sql<{ seq: number }>('UPDATE smv2_inbound SET told = 1 WHERE seq = :seq')

// What was sent.

export const insertSent = sql<
  Id & { seq: number; engineId: string; messageId: string | null; sealed: Uint8Array; now: number }
>(
  `INSERT INTO smv2_sent (seq, instance_id, engine_id, message_id, sealed, sent_at)
   VALUES (:seq, :instanceId, :engineId, :messageId, :sealed, :now)
   ON CONFLICT DO NOTHING`,
)
export const sentByEngineId = sql<Id & { engineId: string }, { messageId: MessageId | null; sealed: Uint8Array }>(
  `SELECT message_id AS messageId, sealed FROM smv2_sent WHERE instance_id = :instanceId AND engine_id = :engineId`,
)
export const removeSent = sql<Id & { engineId: string }>(
  'DELETE FROM smv2_sent WHERE instance_id = :instanceId AND engine_id = :engineId',
)

// Polls and votes.

export const insertPoll = sql<Id & { seq: number; engineId: string; sealed: Uint8Array; now: number }>(
  `INSERT INTO smv2_polls (seq, instance_id, engine_id, sealed, kept_at)
   VALUES (:seq, :instanceId, :engineId, :sealed, :now) ON CONFLICT (instance_id, engine_id) DO NOTHING`,
)
export const pollByEngineId = sql<Id & { engineId: string }, { sealed: Uint8Array }>(
  'SELECT sealed FROM smv2_polls WHERE instance_id = :instanceId AND engine_id = :engineId',
)
export const insertWaitingVote = sql<
  Id & { seq: number; engineId: string; digest: string; sealed: Uint8Array; now: number }
>(
  `INSERT INTO smv2_waiting_votes (seq, instance_id, poll_engine_id, digest, sealed, received_at)
   VALUES (:seq, :instanceId, :engineId, :digest, :sealed, :now) ON CONFLICT (instance_id, digest) DO NOTHING`,
)
export const waitingVotes = sql<
  Id & { engineId: string; limit: number },
  { seq: number; digest: string; sealed: Uint8Array }
>(
  `SELECT seq, digest, sealed FROM smv2_waiting_votes WHERE instance_id = :instanceId AND poll_engine_id = :engineId
   ORDER BY seq LIMIT :limit`,
)
export const removeWaitingVote = sql<{ seq: number }>('DELETE FROM smv2_waiting_votes WHERE seq = :seq')

// Identities of people.

export interface PersonRow {
  readonly id: string
  readonly hidden: 0 | 1
  readonly number: string | null
  readonly checkedAtMs: number | null
  readonly heardAtMs: number | null
}

export const personOf = sql<Id & { id: string }, PersonRow>(
  `SELECT id, hidden, number, checked_at AS checkedAtMs, heard_at AS heardAtMs FROM smv2_people
   WHERE instance_id = :instanceId AND id = :id`,
)
export const upsertCheckedNumber = sql<Id & { id: string; number: string | null; now: number }>(
  `INSERT INTO smv2_people (instance_id, id, hidden, number, checked_at) VALUES (:instanceId, :id, 0, :number, :now)
   ON CONFLICT (instance_id, id) DO UPDATE SET hidden = 0, number = excluded.number, checked_at = excluded.checked_at`,
)
/** @returns a row only where that is news. */
export const upsertSeenPerson = sql<
  Id & { id: string; hidden: 0 | 1; number: string | null; now: number; before: number }
>(
  `INSERT INTO smv2_people (instance_id, id, hidden, number, checked_at, heard_at)
   VALUES (:instanceId, :id, :hidden, :number, :now, :now)
   ON CONFLICT (instance_id, id) DO UPDATE SET hidden = excluded.hidden, number = excluded.number,
     checked_at = excluded.checked_at, heard_at = excluded.heard_at
   WHERE smv2_people.heard_at IS NULL OR smv2_people.heard_at < :before OR smv2_people.hidden <> excluded.hidden`,
)
/** Remembers whom a hidden id stood for before, unless that is stored already. */
export const rememberNumber = sql<Id & { id: string; number: string }>(
  `INSERT INTO smv2_people (instance_id, id, hidden, number) VALUES (:instanceId, :id, 1, :number)
   ON CONFLICT (instance_id, id) DO UPDATE SET number = excluded.number WHERE smv2_people.number IS NULL`,
)
/** A number that changed hands is asked about again. */
export const removePerson = sql<Id & { id: string }>(
  'DELETE FROM smv2_people WHERE instance_id = :instanceId AND id = :id AND hidden = 0',
)
/** The number is no longer that of other hidden ids. */
export const takeNumber = sql<Id & { id: string; number: string }>(
  `UPDATE smv2_people SET number = NULL
   WHERE instance_id = :instanceId AND number = :number AND hidden = 1 AND id <> :id`,
)
/** Somebody known by a hidden id has shown their number. */
export const setPersonNumber = sql<Id & { id: string; number: string }>(
  'UPDATE smv2_people SET number = :number WHERE instance_id = :instanceId AND id = :id AND hidden = 1',
)

// Files.

export interface MediaRow {
  readonly hash: string
  /** Of its file: the account that had the instance when it came; null: in the older layout. */
  readonly accountId: AccountId | null
  readonly mimeType: string
  readonly filename: string | null
  readonly size: number
  /** null: in the older layout, or not there yet. */
  readonly fileId: string | null
  readonly pending: Uint8Array | null
}

/** A row that is to be removed. */
export interface OldMediaRow {
  readonly seq: number
  readonly hash: string
  readonly accountId: AccountId | null
  readonly fileId: string | null
}

/** @returns no row if it has its file already. */
export const insertMedia = sql<
  Id & {
    seq: number
    accountId: string
    mediaId: string
    fileId: string
    hash: string
    mimeType: string
    filename: string | null
    size: number
    message: Uint8Array
    now: number
  }
>(
  `INSERT INTO smv2_media (seq, instance_id, account_id, media_id, file_id, hash, mime_type, filename, size, message,
     received_at)
   VALUES (:seq, :instanceId, :accountId, :mediaId, :fileId, :hash, :mimeType, :filename, :size, :message, :now)
   ON CONFLICT (instance_id, media_id) DO UPDATE SET file_id = excluded.file_id, hash = excluded.hash,
     size = excluded.size, pending = NULL, message = excluded.message
   WHERE smv2_media.pending IS NOT NULL`,
)
/** A file that is not there yet. */
export const insertPendingMedia = sql<
  Id & {
    seq: number
    accountId: string
    mediaId: string
    hash: string
    mimeType: string
    filename: string | null
    size: number
    pending: Uint8Array
    /** 1: fetched only when somebody asks for it. */
    onRequest: 0 | 1
    now: number
  }
>(
  `INSERT INTO smv2_media (seq, instance_id, account_id, media_id, hash, mime_type, filename, size, pending, on_request,
     received_at)
   VALUES (:seq, :instanceId, :accountId, :mediaId, :hash, :mimeType, :filename, :size, :pending, :onRequest, :now)
   ON CONFLICT (instance_id, media_id) DO NOTHING`,
)
/** Oldest first. */
export const pendingMediaPage = sql<
  { after: number; limit: number },
  { seq: number; instanceId: InstanceId; accountId: AccountId; mediaId: string }
>(
  `SELECT seq, instance_id AS instanceId, account_id AS accountId, media_id AS mediaId FROM smv2_media
   WHERE pending IS NOT NULL AND on_request = 0 AND seq > :after ORDER BY seq LIMIT :limit`,
)
export const mediaOf = sql<Id & { mediaId: string }, MediaRow>(
  `SELECT hash, account_id AS accountId, mime_type AS mimeType, filename, size, file_id AS fileId, pending
   FROM smv2_media
   WHERE instance_id = :instanceId AND media_id = :mediaId`,
)
/** The message it came with, sealed; null for what was received before these were kept. */
export const messageOfMedia = sql<Id & { mediaId: string }, { message: Uint8Array | null }>(
  `SELECT COALESCE(pending, message) AS message FROM smv2_media
   WHERE instance_id = :instanceId AND media_id = :mediaId`,
)
export const fileWithHash = sql<{ accountId: string; hash: string }, { fileId: string }>(
  `SELECT file_id AS fileId FROM smv2_media
   WHERE hash = :hash AND account_id = :accountId AND file_id IS NOT NULL ORDER BY seq LIMIT 1`,
)

const OLD_MEDIA = 'seq, hash, account_id AS accountId, file_id AS fileId'

export const oldestMedia = sql<{ before: number; limit: number }, OldMediaRow>(
  `SELECT ${OLD_MEDIA} FROM (SELECT seq, hash, account_id, file_id, received_at FROM smv2_media ORDER BY seq LIMIT :limit)
   AS oldest WHERE received_at < :before`,
)
export const mediaPageOf = sql<Id & { limit: number }, OldMediaRow>(
  `SELECT ${OLD_MEDIA} FROM smv2_media WHERE instance_id = :instanceId ORDER BY media_id LIMIT :limit`,
)
export const removeMedia = sql<{ seq: number }>('DELETE FROM smv2_media WHERE seq = :seq')
export const mediaWithFile = sql<{ fileId: string }, { seq: number }>(
  'SELECT seq FROM smv2_media WHERE file_id = :fileId ORDER BY seq LIMIT 1',
)
/** In the older layout. */
export const mediaWithHash = sql<{ hash: string }, { seq: number }>(
  'SELECT seq FROM smv2_media WHERE hash = :hash AND account_id IS NULL ORDER BY seq LIMIT 1',
)

// What is old. Rows are numbered in their order, so a pass that finds nothing old looks at `limit` rows and no more.

/**
 * Published rows stay a day, because the acknowledgement may not have reached the network. Unpublished ones stay longer.
 */
export const pruneInbound = sql<{ toldBefore: number; before: number; limit: number }>(
  `DELETE FROM smv2_inbound WHERE seq IN (
     SELECT seq FROM (SELECT seq, told, received_at FROM smv2_inbound ORDER BY seq LIMIT :limit) AS oldest
     WHERE (told = 1 AND received_at < :toldBefore) OR received_at < :before)`,
)
export const pruneSent = sql<{ before: number; limit: number }>(
  `DELETE FROM smv2_sent WHERE seq IN (
     SELECT seq FROM (SELECT seq, sent_at FROM smv2_sent ORDER BY seq LIMIT :limit) AS oldest WHERE sent_at < :before)`,
)
export const prunePolls = sql<{ before: number; limit: number }>(
  `DELETE FROM smv2_polls WHERE seq IN (
     SELECT seq FROM (SELECT seq, kept_at FROM smv2_polls ORDER BY seq LIMIT :limit) AS oldest WHERE kept_at < :before)`,
)
export const pruneWaitingVotes = sql<{ before: number; limit: number }>(
  `DELETE FROM smv2_waiting_votes WHERE seq IN (
     SELECT seq FROM (SELECT seq, received_at FROM smv2_waiting_votes ORDER BY seq LIMIT :limit) AS oldest
     WHERE received_at < :before)`,
)

// Chats the phone named when it was linked.

export interface HistoryChatRow {
  readonly jid: string
  readonly name: string | null
  /** The newest message then. */
  readonly sealed: Uint8Array | null
}
export const historyChatsAfter = sql<Id & { after: string; limit: number }, HistoryChatRow>(
  `SELECT jid, name, sealed FROM smv2_history_chats WHERE instance_id = :instanceId AND jid > :after
   ORDER BY jid LIMIT :limit`,
)
/** Parts come in any order: the newest message stays. */
export const upsertHistoryChat = sql<
  Id & { jid: string; name: string | null; at: number | null; sealed: Uint8Array | null }
>(
  `INSERT INTO smv2_history_chats (instance_id, jid, name, at, sealed) VALUES (:instanceId, :jid, :name, :at, :sealed)
   ON CONFLICT (instance_id, jid) DO UPDATE SET name = COALESCE(excluded.name, smv2_history_chats.name),
     sealed = CASE WHEN COALESCE(excluded.at, -1) > COALESCE(smv2_history_chats.at, -1) THEN excluded.sealed
       ELSE smv2_history_chats.sealed END,
     at = CASE WHEN COALESCE(excluded.at, -1) > COALESCE(smv2_history_chats.at, -1) THEN excluded.at
       ELSE smv2_history_chats.at END`,
)

// Labels of business accounts.

type LabelRow = { id: string; name: string; color: number }
const LABEL = 'label_id AS id, name, color'
export const labelsOf = sql<Id & { limit: number }, LabelRow>(
  `SELECT ${LABEL} FROM smv2_labels WHERE instance_id = :instanceId AND deleted = 0 ORDER BY label_id LIMIT :limit`,
)
export const labelOf = sql<Id & { labelId: string }, LabelRow>(
  `SELECT ${LABEL} FROM smv2_labels WHERE instance_id = :instanceId AND label_id = :labelId AND deleted = 0`,
)
export const upsertLabel = sql<Id & { labelId: string; name: string; color: number; deleted: 0 | 1 }>(
  `INSERT INTO smv2_labels (instance_id, label_id, name, color, deleted)
   VALUES (:instanceId, :labelId, :name, :color, :deleted)
   ON CONFLICT (instance_id, label_id) DO UPDATE SET name = excluded.name, color = excluded.color,
     deleted = excluded.deleted`,
)

// All of an instance, but for its files.

export const WIPE = [
  sql<Id>('DELETE FROM smv2_sessions WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_keys WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_inbound WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_sent WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_polls WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_waiting_votes WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_people WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_labels WHERE instance_id = :instanceId'),
  sql<Id>('DELETE FROM smv2_history_chats WHERE instance_id = :instanceId'),
] as const

// The version of the protocol.

export const protocolVersion = sql<Record<never, never>, { version: string; learnedAtMs: number }>(
  'SELECT version, learned_at AS learnedAtMs FROM smv2_protocol WHERE id = 1',
)
export const saveProtocolVersion = sql<{ version: string; now: number }>(
  `INSERT INTO smv2_protocol (id, version, learned_at) VALUES (1, :version, :now)
   ON CONFLICT (id) DO UPDATE SET version = excluded.version, learned_at = excluded.learned_at`,
)
