import type { MessageContent } from '../../contract/message-content.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import { copyRange, idOfCopy, memberCopyId, networkIds } from './network-ids.ts'

interface Media {
  readonly mimeType: string
  readonly size: number
  readonly filename: string | null
  readonly caption: string | null
}

/** The stored content of a message. */
export interface Content {
  readonly type: 'text' | MediaType | (string & {})
  readonly text: string | null
  readonly media?: Media
  /** Content of a location, contact, poll or link, which is not text. */
  readonly details?: Record<string, unknown>
  /** The structured content besides text and file, as instances receive it. */
  readonly content?: MessageContent
  readonly viewOnce?: boolean
  /** The raw payload of the Cloud API, if the message was sent as one. */
  readonly payload?: object
  readonly quoted?: string
  readonly referral?: Record<string, unknown>
}

/** A message a phone has received. */
export interface PhoneMessage {
  readonly seq: number
  /** The network's id, known to both sides. */
  readonly id: string
  readonly phone: number
  readonly author: string
  readonly recipient: string
  /** The instance that sent it; null: another phone sent it. */
  readonly instanceId: InstanceId | null
  readonly group: string | null
  readonly content: Content
  readonly sentAtMs: number
  readonly receivedAtMs: number | null
  readonly editedAtMs: number | null
  readonly deletedAtMs: number | null
  /** When the message disappears from the phone; null: never. */
  readonly disappearsAtMs: number | null
  /** Emoji by the number that reacted. */
  readonly reactions: Readonly<Record<string, string>>
}

export interface NewMessage {
  readonly id: string
  readonly phone: number
  readonly author: string
  readonly instanceId: InstanceId | null
  readonly group: string | null
  readonly content: Content
  readonly sentAtMs: number
  /** null: not received, or not yet. */
  readonly receivedAtMs: number | null
  /** Delivered when the phone comes online. */
  readonly waits: boolean
  /** null: never. */
  readonly disappearsAtMs: number | null
  /** The network drops the message at this time if the phone has not come online. */
  readonly expiresAtMs?: number | null
}

interface Row {
  seq: number
  id: string
  phone: number
  author: string
  recipient: string
  instanceId: InstanceId | null
  group: string | null
  content: string
  sentAtMs: number
  receivedAtMs: number | null
  editedAtMs: number | null
  deletedAtMs: number | null
  disappearsAtMs: number | null
  reactions: string | null
}

const SELECT = `SELECT m.seq, m.id, m.phone, m.author, p.number AS recipient, m.instance_id AS instanceId,
    m.chat_group AS "group", m.content, m.sent_at AS sentAtMs, m.received_at AS receivedAtMs,
    m.edited_at AS editedAtMs, m.deleted_at AS deletedAtMs, m.disappears_at AS disappearsAtMs,
    m.reactions
  FROM sandbox_messages m JOIN sandbox_phones p ON p.seq = m.phone`

const insert = sql<{
  seq: number
  id: string
  phone: number
  author: string
  instanceId: string | null
  group: string | null
  content: string
  sentAt: number
  receivedAt: number | null
  waits: number
  disappearsAt: number | null
  expiresAt: number | null
}>(
  `INSERT INTO sandbox_messages (seq, id, phone, author, instance_id, chat_group, content, sent_at, received_at, waits,
     disappears_at, expires_at)
   VALUES (:seq, :id, :phone, :author, :instanceId, :group, :content, :sentAt, :receivedAt, :waits, :disappearsAt,
     :expiresAt)
   ON CONFLICT (id) DO NOTHING`,
)

const known = sql<{ id: string }, { seq: number }>('SELECT seq FROM sandbox_messages WHERE id = :id')

const byId = sql<{ accountId: string; id: string; other: string; copy: string; otherCopy: string }, Row>(
  `${SELECT} WHERE m.id IN (:id, :other, :copy, :otherCopy) AND p.account_id = :accountId`,
)
const copiesOf = sql<Copies, { recipient: string }>(
  `SELECT p.number AS recipient FROM sandbox_messages m JOIN sandbox_phones p ON p.seq = m.phone
    WHERE m.id = :id OR m.id BETWEEN :from AND :to`,
)

const received = sql<{ accountId: string; number: string; now: number; before: number; limit: number }, Row>(
  `${SELECT} WHERE p.account_id = :accountId AND p.number = :number AND m.seq < :before AND m.received_at <= :now
     AND (m.disappears_at IS NULL OR m.disappears_at > :now)
   ORDER BY m.seq DESC LIMIT :limit`,
)

const lastFrom = sql<{ accountId: string; number: string; author: string }, { sentAtMs: number }>(
  `SELECT m.sent_at AS sentAtMs FROM sandbox_messages m JOIN sandbox_phones p ON p.seq = m.phone
   WHERE p.account_id = :accountId AND p.number = :number AND m.author = :author AND m.chat_group IS NULL
   ORDER BY m.seq DESC LIMIT 1`,
)

const arrive = sql<{ phone: number; at: number }>(
  'UPDATE sandbox_messages SET received_at = :at, waits = 0 WHERE phone = :phone AND waits = 1',
)
const drop = sql<{ phone: number; now: number }>(
  'UPDATE sandbox_messages SET waits = 0 WHERE phone = :phone AND waits = 1 AND expires_at <= :now',
)
const wait = sql<{ phone: number; now: number }>(
  'UPDATE sandbox_messages SET received_at = NULL, waits = 1 WHERE phone = :phone AND received_at > :now',
)

type Copies = { id: string; from: string; to: string }
const COPIES = 'WHERE id = :id OR id BETWEEN :from AND :to'

const edit = sql<Copies & { content: string; now: number }>(
  `UPDATE sandbox_messages SET content = :content, edited_at = :now ${COPIES}`,
)
const setContent = sql<Copies & { content: string }>(`UPDATE sandbox_messages SET content = :content ${COPIES}`)
const erase = sql<Copies & { content: string; now: number }>(
  `UPDATE sandbox_messages SET content = :content, deleted_at = :now ${COPIES}`,
)
const react = sql<Copies & { reactions: string }>(`UPDATE sandbox_messages SET reactions = :reactions ${COPIES}`)

/** The oldest rows come first in the key, so a pass that finds nothing old reads at most `limit` rows. */
const prune = sql<{ before: number; limit: number }>(
  `DELETE FROM sandbox_messages WHERE seq IN (
     SELECT seq FROM (SELECT seq, sent_at FROM sandbox_messages ORDER BY seq LIMIT :limit) AS oldest
     WHERE sent_at < :before)`,
)

export type Inbox = ReturnType<typeof createInbox>

/** What the phones of the network have received. */
export function createInbox(db: Db) {
  return {
    /** @returns false if the message already exists, so storing it twice is harmless. */
    async add(tx: Tx, message: NewMessage): Promise<boolean> {
      const { sentAtMs: sentAt, receivedAtMs: receivedAt, disappearsAtMs: disappearsAt, ...more } = message
      const { expiresAtMs: expiresAt = null, ...rest } = more
      const seq = await tx.next('sandbox')
      const content = JSON.stringify(message.content)
      const times = { sentAt, receivedAt, disappearsAt, expiresAt }
      const added = await tx.run(insert, { ...rest, ...times, seq, content, waits: message.waits ? 1 : 0 })
      return added === 1
    },
    /** Whether the network has accepted a message with this id. */
    has: async (id: string): Promise<boolean> => (await db.readOne(known, { id })) !== undefined,
    /**
     * The message, preferably this number's own copy.
     * @param id the network's id, or ours.
     */
    async find(tx: Tx, accountId: AccountId, number: string, id: string): Promise<PhoneMessage | undefined> {
      return copyOf(await tx.all(byId, copyQuery(accountId, number, id)), number)
    },
    /** The same, outside a commit. */
    async read(accountId: AccountId, number: string, id: string): Promise<PhoneMessage | undefined> {
      return copyOf(await db.read(byId, copyQuery(accountId, number, id)), number)
    },
    /** The numbers whose phones received it. */
    async recipientsOf(tx: Tx, { id }: PhoneMessage): Promise<string[]> {
      return (await tx.all(copiesOf, { id, ...copyRange(id) })).map(({ recipient }) => recipient)
    },
    /** Newest first; only messages that have arrived by now. */
    async received(accountId: AccountId, number: string, nowMs: number, beforeSeq: number, limit: number) {
      const rows = await db.read(received, { accountId, number, now: nowMs, before: beforeSeq, limit })
      return rows.map(toMessage)
    },
    /** When this sender last wrote to this number; null: never, as far as messages are kept. */
    async lastWroteAtMs(accountId: AccountId, number: string, author: string): Promise<number | null> {
      return (await db.readOne(lastFrom, { accountId, number, author }))?.sentAtMs ?? null
    },
    async wentOffline(tx: Tx, phone: number, nowMs: number): Promise<void> {
      await tx.run(wait, { phone, now: nowMs })
    },
    async cameOnline(tx: Tx, phone: number, nowMs: number, atMs: number): Promise<void> {
      await tx.run(drop, { phone, now: nowMs })
      await tx.run(arrive, { phone, at: atMs })
    },
    async edit(tx: Tx, { id, content }: PhoneMessage, text: string, nowMs: number): Promise<void> {
      await tx.run(edit, { id, ...copyRange(id), content: JSON.stringify({ ...content, text }), now: nowMs })
    },
    /** Merges details into the existing ones; null removes one. */
    async setDetails(tx: Tx, { id, content }: PhoneMessage, changes: Readonly<Record<string, string | null>>) {
      const kept = Object.entries({ ...content.details, ...changes }).filter(([, value]) => value !== null)
      const { details: _, ...words } = content
      const changed = { ...words, ...(kept.length > 0 && { details: Object.fromEntries(kept) }) }
      await tx.run(setContent, { id, ...copyRange(id), content: JSON.stringify(changed) })
    },
    async erase(tx: Tx, { id, content }: PhoneMessage, nowMs: number): Promise<void> {
      const erased = JSON.stringify({ type: content.type, text: null })
      await tx.run(erase, { id, ...copyRange(id), content: erased, now: nowMs })
    },
    async react(tx: Tx, { id, reactions }: PhoneMessage, number: string, emoji: string): Promise<void> {
      const { [number]: _former, ...others } = reactions
      const now = emoji === '' ? others : { ...others, [number]: emoji }
      await tx.run(react, { id, ...copyRange(id), reactions: JSON.stringify(now) })
    },
    /** @returns how many were removed. */
    prune: (beforeMs: number, limit: number) => db.commit((tx) => tx.run(prune, { before: beforeMs, limit })),
  }
}

function copyQuery(accountId: AccountId, number: string, wanted: string) {
  const [id = wanted, other = id] = networkIds(wanted)
  return { accountId, id, other, copy: memberCopyId(id, number), otherCopy: memberCopyId(other, number) }
}

function copyOf(rows: readonly Row[], number: string): PhoneMessage | undefined {
  const row = rows.find(({ recipient }) => recipient === number) ?? rows[0]
  return row && toMessage(row)
}

/** Content and reactions are JSON that this code wrote. */
function toMessage(row: Row): PhoneMessage {
  return {
    ...row,
    id: idOfCopy(row.id),
    content: JSON.parse(row.content) as Content,
    reactions: row.reactions === null ? {} : (JSON.parse(row.reactions) as Record<string, string>),
  }
}
