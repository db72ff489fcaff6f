import type { MessageStatus } from '../../contract/shapes.ts'
import { sql } from '../../kernel/sql.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'

/** Due time of a paused connection or backfill: far in the future, and still an SQL integer. */
export const PAUSED = 9_000_000_000_000

export interface OutboxRow {
  readonly seq: number
  readonly linkSeq: number
  readonly queue: string
  readonly number: string
  readonly position: number
  readonly priority: 0 | 1
  readonly kind: 'message' | 'call'
  /** For a message, its id here. */
  readonly itemKey: string
  readonly payload: string | null
  readonly attempted: 0 | 1
  readonly tries: number
  readonly holdUntilMs: number
}

const ITEM = `seq, link_seq AS linkSeq, queue, number, position, priority, kind, item_key AS itemKey, payload, attempted,
  tries, hold_until AS holdUntilMs`

/** Changes nothing if the connection has an item with this key. */
export const insertItem = sql<Omit<OutboxRow, 'attempted' | 'tries'> & { now: number }>(
  `INSERT INTO crm_outbox (seq, link_seq, queue, number, position, priority, kind, item_key, payload, attempted, tries,
     hold_until, created_at)
   VALUES (:seq, :linkSeq, :queue, :number, :position, :priority, :kind, :itemKey, :payload, 0, 0, :holdUntilMs, :now)
   ON CONFLICT DO NOTHING`,
)

/**
 * Contacts ordered by their first items. `+ 0` keeps SQLite from choosing the index on hold_until, which would
 * require sorting.
 */
export const firstItems = sql<{ queue: string; priority: number; now: number; limit: number }, { number: string }>(
  `SELECT number FROM crm_outbox
   WHERE queue = :queue AND priority = :priority AND failed_at IS NULL AND hold_until + 0 <= :now
   ORDER BY position LIMIT :limit`,
)

/** Items of a contact in order, without paused ones. */
export const itemsOfContact = sql<{ queue: string; number: string; limit: number }, OutboxRow>(
  `SELECT ${ITEM} FROM crm_outbox
   WHERE queue = :queue AND number = :number AND failed_at IS NULL AND hold_until + 0 < ${PAUSED}
   ORDER BY position LIMIT :limit`,
)

export const nextHold = sql<{ queue: string }, { holdUntilMs: number | null }>(
  `SELECT min(hold_until) AS holdUntilMs FROM crm_outbox WHERE queue = :queue AND failed_at IS NULL`,
)

export const markAttempted = sqlOfList<number>((seqs) => `UPDATE crm_outbox SET attempted = 1 WHERE seq IN (${seqs})`)
export const unmarkAttempted = sqlOfList<number>((seqs) => `UPDATE crm_outbox SET attempted = 0 WHERE seq IN (${seqs})`)
export const removeItem = sql<{ seq: number }>('DELETE FROM crm_outbox WHERE seq = :seq')
export const countTry = sql<{ seq: number }>('UPDATE crm_outbox SET tries = tries + 1 WHERE seq = :seq')
/** Holds a contact's first item, and with it all later ones. */
export const holdContact = sql<{ queue: string; number: string; holdUntilMs: number }>(
  `UPDATE crm_outbox SET hold_until = :holdUntilMs
   WHERE queue = :queue AND number = :number AND failed_at IS NULL AND hold_until < ${PAUSED}`,
)
export const failItem = sql<{ seq: number; error: string; now: number }>(
  'UPDATE crm_outbox SET failed_at = :now, error = :error WHERE seq = :seq',
)
export const holdOfLink = sql<{ linkSeq: number; priority: number; from: number; to: number }>(
  `UPDATE crm_outbox SET hold_until = :to
   WHERE link_seq = :linkSeq AND priority = :priority AND failed_at IS NULL AND hold_until >= :from`,
)
export const dropOfLink = sql<{ linkSeq: number; priority: number }>(
  'DELETE FROM crm_outbox WHERE link_seq = :linkSeq AND priority = :priority AND failed_at IS NULL',
)

/** Dropped items can be copied again later. */
export const forgetDropped = sql<{ linkSeq: number }>(
  `DELETE FROM crm_messages WHERE link_seq = :linkSeq AND external_id IS NULL
     AND NOT EXISTS (SELECT 1 FROM crm_outbox o WHERE o.link_seq = :linkSeq AND o.item_key = crm_messages.message_id)`,
)

export const waitingOfLink = sql<{ linkSeq: number }, { priority: number; waiting: number; oldestAtMs: number | null }>(
  `SELECT priority, count(*) AS waiting, min(created_at) AS oldestAtMs FROM crm_outbox
   WHERE link_seq = :linkSeq AND failed_at IS NULL GROUP BY priority`,
)
export const failedOfLink = sql<{ linkSeq: number }, { failed: number }>(
  'SELECT count(*) AS failed FROM crm_outbox WHERE failed_at IS NOT NULL AND link_seq = :linkSeq',
)
export const pruneFailed = sql<{ before: number; limit: number }>(
  `DELETE FROM crm_outbox WHERE seq IN (
     SELECT seq FROM crm_outbox WHERE failed_at IS NOT NULL AND failed_at < :before ORDER BY failed_at LIMIT :limit)`,
)

/** Changes nothing if the connection knows the message. */
export const insertMessage = sql<{
  linkSeq: number
  messageId: string
  externalId: string | null
  status: MessageStatus | null
}>(
  `INSERT INTO crm_messages (link_seq, message_id, external_id, status)
   VALUES (:linkSeq, :messageId, :externalId, :status) ON CONFLICT DO NOTHING`,
)
export const messageOf = sql<
  { linkSeq: number; messageId: string },
  { externalId: string | null; status: MessageStatus | null; error: string | null }
>(
  `SELECT external_id AS externalId, status, error FROM crm_messages
   WHERE link_seq = :linkSeq AND message_id = :messageId`,
)
export const setExternalId = sql<{ linkSeq: number; messageId: string; externalId: string }>(
  'UPDATE crm_messages SET external_id = :externalId WHERE link_seq = :linkSeq AND message_id = :messageId',
)
export const setMessageStatus = sql<{ linkSeq: number; messageId: string; status: string; error: string | null }>(
  'UPDATE crm_messages SET status = :status, error = :error WHERE link_seq = :linkSeq AND message_id = :messageId',
)
/** Forgets a message that was never sent, because another one replaces it. */
export const forgetMessage = sql<{ linkSeq: number; messageId: string }>(
  'DELETE FROM crm_messages WHERE link_seq = :linkSeq AND message_id = :messageId',
)
/** The messages here that one CRM message became. */
export const partsOf = sql<
  { linkSeq: number; externalId: string },
  { status: MessageStatus | null; error: string | null }
>('SELECT status, error FROM crm_messages WHERE link_seq = :linkSeq AND external_id = :externalId')

/** Which of these CRM ids belong to known messages. */
export const knownExternalIds = sqlOfList<string, { linkSeq: number }, { externalId: string }>(
  (ids) => `SELECT external_id AS externalId FROM crm_messages WHERE link_seq = :linkSeq AND external_id IN (${ids})`,
)

export interface StatusRow {
  readonly linkSeq: number
  readonly externalId: string
  readonly status: MessageStatus
  readonly error: string | null
  readonly pushed: MessageStatus | null
  /** How often the CRM has postponed it. */
  readonly tries: number
  readonly holdUntilMs: number
}

export const statusOf = sql<{ linkSeq: number; externalId: string }, StatusRow>(
  `SELECT link_seq AS linkSeq, external_id AS externalId, status, error, pushed, tries,
     hold_until AS holdUntilMs FROM crm_statuses
   WHERE link_seq = :linkSeq AND external_id = :externalId`,
)
export const putStatus = sql<{
  linkSeq: number
  externalId: string
  queue: string
  status: MessageStatus
  error: string | null
  dirty: 0 | 1
  holdUntilMs: number
  now: number
}>(
  `INSERT INTO crm_statuses (link_seq, external_id, queue, status, error, pushed, dirty, hold_until, changed_at)
   VALUES (:linkSeq, :externalId, :queue, :status, :error, NULL, :dirty, :holdUntilMs, :now)
   ON CONFLICT (link_seq, external_id) DO UPDATE SET status = excluded.status, error = excluded.error,
     dirty = excluded.dirty, hold_until = excluded.hold_until, changed_at = excluded.changed_at`,
)
export const dirtyStatuses = sql<{ queue: string; now: number; limit: number }, StatusRow>(
  `SELECT link_seq AS linkSeq, external_id AS externalId, status, error, pushed, tries,
     hold_until AS holdUntilMs FROM crm_statuses
   WHERE dirty = 1 AND queue = :queue AND hold_until <= :now ORDER BY hold_until LIMIT :limit`,
)
export const nextStatusHold = sql<{ queue: string }, { holdUntilMs: number | null }>(
  'SELECT min(hold_until) AS holdUntilMs FROM crm_statuses WHERE dirty = 1 AND queue = :queue',
)
/** Marks a status as delivered, unless it has changed meanwhile. */
export const statusPushed = sql<{ linkSeq: number; externalId: string; status: MessageStatus }>(
  `UPDATE crm_statuses SET pushed = :status, tries = 0, dirty = CASE WHEN status = :status THEN 0 ELSE 1 END
   WHERE link_seq = :linkSeq AND external_id = :externalId`,
)
/** The CRM accepts it only later. */
export const holdStatus = sql<{ linkSeq: number; externalId: string; holdUntilMs: number }>(
  `UPDATE crm_statuses SET tries = tries + 1, hold_until = :holdUntilMs
   WHERE link_seq = :linkSeq AND external_id = :externalId AND hold_until < ${PAUSED}`,
)
/** The CRM refuses it. */
export const dropStatus = sql<{ linkSeq: number; externalId: string }>(
  'UPDATE crm_statuses SET dirty = 0, tries = 0 WHERE link_seq = :linkSeq AND external_id = :externalId',
)
export const holdStatuses = sql<{ linkSeq: number; from: number; to: number }>(
  'UPDATE crm_statuses SET hold_until = :to WHERE link_seq = :linkSeq AND dirty = 1 AND hold_until >= :from',
)
export const dirtyOfLink = sql<{ linkSeq: number }, { dirty: number }>(
  'SELECT count(*) AS dirty FROM crm_statuses WHERE link_seq = :linkSeq AND dirty = 1',
)
export const pruneStatuses = sql<{ before: number; limit: number }>(
  `DELETE FROM crm_statuses WHERE (link_seq, external_id) IN (
     SELECT link_seq, external_id FROM crm_statuses WHERE changed_at < :before ORDER BY changed_at LIMIT :limit)`,
)

export interface ContactRow {
  readonly queue: string
  readonly number: string
  readonly contactId: string | null
  readonly conversationId: string | null
  /** JSON of the last values of its fields. */
  readonly fields: string | null
  /** The chat under which the instance writes to them. */
  readonly chat: string | null
  readonly dnd: 0 | 1
  readonly dndPushed: 0 | 1
  readonly dndAtMs: number | null
}

const CONTACT = `queue, number, contact_id AS contactId, conversation_id AS conversationId, fields, chat, dnd,
  dnd_pushed AS dndPushed, dnd_at AS dndAtMs`

export const contactOf = sql<{ queue: string; number: string }, ContactRow>(
  `SELECT ${CONTACT} FROM crm_contacts WHERE queue = :queue AND number = :number`,
)
export const contactByExternal = sql<{ queue: string; contactId: string }, ContactRow>(
  `SELECT ${CONTACT} FROM crm_contacts WHERE queue = :queue AND contact_id = :contactId`,
)
export const insertContact = sql<{ queue: string; number: string; chat: string | null; dnd: 0 | 1 }>(
  `INSERT INTO crm_contacts (queue, number, chat, dnd, dnd_pushed) VALUES (:queue, :number, :chat, :dnd, :dnd)
   ON CONFLICT (queue, number) DO UPDATE SET chat = excluded.chat
   WHERE excluded.chat IS NOT NULL AND (crm_contacts.chat IS NULL OR crm_contacts.chat <> excluded.chat)`,
)
export const setContact = sql<Pick<ContactRow, 'queue' | 'number' | 'contactId' | 'conversationId' | 'fields'>>(
  `UPDATE crm_contacts SET contact_id = :contactId, conversation_id = COALESCE(:conversationId, conversation_id),
     fields = :fields WHERE queue = :queue AND number = :number`,
)
export const setConversation = sql<{ queue: string; number: string; conversationId: string }>(
  `UPDATE crm_contacts SET conversation_id = :conversationId WHERE queue = :queue AND number = :number
     AND (conversation_id IS NULL OR conversation_id <> :conversationId)`,
)
export const forgetContact = sql<{ queue: string; number: string }>(
  `UPDATE crm_contacts SET contact_id = NULL, conversation_id = NULL, fields = NULL
   WHERE queue = :queue AND number = :number`,
)
export const wantDnd = sql<{ queue: string; number: string; dnd: 0 | 1 }>(
  'UPDATE crm_contacts SET dnd = :dnd WHERE queue = :queue AND number = :number',
)
/** The CRM reported this state. */
export const dndThere = sql<{ queue: string; number: string; dnd: 0 | 1; dndPushed: 0 | 1; atMs: number }>(
  `UPDATE crm_contacts SET dnd = :dnd, dnd_pushed = :dndPushed, dnd_at = :atMs
   WHERE queue = :queue AND number = :number`,
)
export const dndPushed = sql<{ queue: string; number: string; dnd: 0 | 1 }>(
  'UPDATE crm_contacts SET dnd_pushed = :dnd WHERE queue = :queue AND number = :number',
)
export const dndToPush = sql<{ queue: string; limit: number }, ContactRow>(
  `SELECT ${CONTACT} FROM crm_contacts
   WHERE queue = :queue AND dnd <> dnd_pushed AND contact_id IS NOT NULL
   ORDER BY number LIMIT :limit`,
)

// Replaces the keys that earlier versions stored for people.

export const contactsAfter = sql<{ queue: string; number: string; rows: number }, ContactRow>(
  `SELECT ${CONTACT} FROM crm_contacts WHERE (queue, number) > (:queue, :number) ORDER BY queue, number LIMIT :rows`,
)
export const removeContact = sql<{ queue: string; number: string }>(
  'DELETE FROM crm_contacts WHERE queue = :queue AND number = :number',
)
export const putContact = sql<ContactRow>(
  `INSERT INTO crm_contacts (queue, number, contact_id, conversation_id, fields, chat, dnd, dnd_pushed, dnd_at)
   VALUES (:queue, :number, :contactId, :conversationId, :fields, :chat, :dnd, :dndPushed, :dndAtMs)`,
)
export const moveItems = sql<{ queue: string; from: string; to: string }>(
  'UPDATE crm_outbox SET number = :to WHERE queue = :queue AND number = :from AND failed_at IS NULL',
)
export type Numbered = { readonly seq: number; readonly number: string }
export const itemsAfter = sql<{ after: number; rows: number }, Numbered>(
  'SELECT seq, number FROM crm_outbox WHERE seq > :after ORDER BY seq LIMIT :rows',
)
export const setItemNumber = sql<Numbered>('UPDATE crm_outbox SET number = :number WHERE seq = :seq')
