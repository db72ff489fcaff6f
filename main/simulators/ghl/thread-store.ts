import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

/** A contact with its single conversation. */
export interface Contact {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly locationId: string
  readonly conversationId: string
  /** With plus sign. */
  readonly phone: string | null
  readonly email: string | null
  readonly name: string | null
  readonly dnd: 0 | 1
  /** JSON. */
  readonly tags: string
  /** JSON: the custom and standard fields that are set. */
  readonly fields: string
  readonly unread: number
  readonly createdAtMs: number
  /** Increases with every message; 0 without one. */
  readonly lastMessageSeq: number
}

const CONTACT = `seq, id, account_id AS accountId, location_id AS locationId, conversation_id AS conversationId, phone, email,
  name, dnd, tags, fields, unread, created_at AS createdAtMs, last_message_seq AS lastMessageSeq`

export const insertContact = sql<Contact>(
  `INSERT INTO sandbox_ghl_contacts (seq, id, account_id, location_id, conversation_id, phone, email, name, dnd, tags,
     fields, unread, created_at, last_message_seq)
   VALUES (:seq, :id, :accountId, :locationId, :conversationId, :phone, :email, :name, :dnd, :tags, :fields,
     :unread, :createdAtMs, :lastMessageSeq)`,
)
export const contactById = sql<{ id: string }, Contact>(`SELECT ${CONTACT} FROM sandbox_ghl_contacts WHERE id = :id`)
export const contactByConversation = sql<{ conversationId: string }, Contact>(
  `SELECT ${CONTACT} FROM sandbox_ghl_contacts WHERE conversation_id = :conversationId`,
)
export const contactByPhone = sql<{ locationId: string; phone: string }, Contact>(
  `SELECT ${CONTACT} FROM sandbox_ghl_contacts WHERE location_id = :locationId AND phone = :phone`,
)
export const contactByEmail = sql<{ locationId: string; email: string }, Contact>(
  `SELECT ${CONTACT} FROM sandbox_ghl_contacts WHERE location_id = :locationId AND email = :email`,
)
export const updateContact = sql<Pick<Contact, 'id' | 'phone' | 'email' | 'name' | 'dnd' | 'tags' | 'fields'>>(
  `UPDATE sandbox_ghl_contacts SET phone = :phone, email = :email, name = :name, dnd = :dnd, tags = :tags,
     fields = :fields WHERE id = :id`,
)
export const contactsOfLocation = sql<{ locationId: string; rows: number }, Contact>(
  `SELECT ${CONTACT} FROM sandbox_ghl_contacts WHERE location_id = :locationId
   ORDER BY last_message_seq DESC, seq DESC LIMIT :rows`,
)
/** Of all locations of an account, the most recent first. */
export const contactsOfAccount = sql<
  { accountId: string; beforeMessage: number; before: number; rows: number },
  Contact
>(
  `SELECT ${CONTACT} FROM sandbox_ghl_contacts
   WHERE account_id = :accountId AND (last_message_seq, seq) < (:beforeMessage, :before)
   ORDER BY last_message_seq DESC, seq DESC LIMIT :rows`,
)
export const noteMessage = sql<{ id: string; seq: number; unread: number }>(
  'UPDATE sandbox_ghl_contacts SET last_message_seq = :seq, unread = unread + :unread WHERE id = :id',
)
export const markRead = sql<{ id: string }>('UPDATE sandbox_ghl_contacts SET unread = 0 WHERE id = :id AND unread > 0')

export interface Message {
  readonly seq: number
  readonly id: string
  readonly conversationId: string
  readonly direction: 'inbound' | 'outbound'
  readonly type: 'SMS' | 'Call'
  readonly text: string
  /** JSON: URLs. */
  readonly attachments: string
  readonly source: 'app' | 'api'
  readonly status: 'pending' | 'sent' | 'delivered' | 'read' | 'failed'
  readonly error: string | null
  /** Date set by the sender; messages are shown in the order of their dates. */
  readonly dateMs: number
}

const MESSAGE = `seq, id, conversation_id AS conversationId, direction, type, text, attachments, source, status, error,
  date AS dateMs`

export const insertMessage = sql<Message>(
  `INSERT INTO sandbox_ghl_messages (seq, id, conversation_id, direction, type, text, attachments, source, status, error,
     date)
   VALUES (:seq, :id, :conversationId, :direction, :type, :text, :attachments, :source, :status, :error, :dateMs)`,
)
export const messageById = sql<{ id: string }, Message>(`SELECT ${MESSAGE} FROM sandbox_ghl_messages WHERE id = :id`)
export const messageBySeq = sql<{ seq: number }, Message>(
  `SELECT ${MESSAGE} FROM sandbox_ghl_messages WHERE seq = :seq`,
)
export const setStatus = sql<Pick<Message, 'id' | 'status' | 'error'>>(
  'UPDATE sandbox_ghl_messages SET status = :status, error = :error WHERE id = :id',
)
/** Newest first. */
export const messagesBefore = sql<{ conversationId: string; date: number; before: number; rows: number }, Message>(
  `SELECT ${MESSAGE} FROM sandbox_ghl_messages
   WHERE conversation_id = :conversationId AND (date, seq) < (:date, :before) ORDER BY date DESC, seq DESC LIMIT :rows`,
)
