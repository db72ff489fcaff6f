import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { ChatChange, Label } from '../direct.ts'

type Named = { accountId: string; number: string }
type Chat = Named & { chat: string }

interface Row {
  readonly chat: string
  readonly archived: number
  readonly pinned: number
  readonly unread: number
  readonly mutedUntilMs: number | null
  readonly labels: string
}

/** How a phone lists a chat. */
interface ListedChat {
  readonly chat: string
  readonly isArchived: boolean
  readonly isPinned: boolean
  readonly isUnread: boolean
  /** null: not muted. Infinity: muted without an end. */
  readonly mutedUntilMs: number | null
  readonly labelIds: readonly string[]
}

/** A phone's chat list, and what its owner has marked. */
export interface ChatList {
  readonly chats: readonly ListedChat[]
  readonly labels: readonly Label[]
  readonly starred: readonly string[]
  readonly labeled: readonly { readonly messageId: string; readonly labelId: string }[]
}

const COLUMNS = 'chat, archived, pinned, unread, muted_until AS mutedUntilMs, labels'
const chatNamed = sql<Chat, Row>(
  `SELECT ${COLUMNS} FROM sandbox_chats WHERE account_id = :accountId AND number = :number AND chat = :chat`,
)
const chatsOf = sql<Named & { limit: number }, Row>(
  `SELECT ${COLUMNS} FROM sandbox_chats WHERE account_id = :accountId AND number = :number ORDER BY chat LIMIT :limit`,
)
const save = sql<Chat & Row>(
  `INSERT INTO sandbox_chats (account_id, number, chat, archived, pinned, unread, muted_until, labels)
   VALUES (:accountId, :number, :chat, :archived, :pinned, :unread, :mutedUntilMs, :labels)
   ON CONFLICT (account_id, number, chat) DO UPDATE SET archived = excluded.archived, pinned = excluded.pinned,
     unread = excluded.unread, muted_until = excluded.muted_until, labels = excluded.labels`,
)
const labelsOf = sql<Named & { limit: number }, { id: number; name: string; color: number }>(
  `SELECT id, name, color FROM sandbox_labels WHERE account_id = :accountId AND number = :number ORDER BY id LIMIT :limit`,
)
const saveLabel = sql<Named & { id: number; name: string; color: number }>(
  `INSERT INTO sandbox_labels (account_id, number, id, name, color) VALUES (:accountId, :number, :id, :name, :color)
   ON CONFLICT (account_id, number, id) DO UPDATE SET name = excluded.name, color = excluded.color`,
)
const removeLabel = sql<Named & { id: number }>(
  'DELETE FROM sandbox_labels WHERE account_id = :accountId AND number = :number AND id = :id',
)
const unlabel = sql<Named & { id: number }>(
  'DELETE FROM sandbox_marks WHERE account_id = :accountId AND number = :number AND label = :id',
)

type Mark = Named & { messageId: string; label: number }
const mark = sql<Mark>(
  `INSERT INTO sandbox_marks (account_id, number, message_id, label) VALUES (:accountId, :number, :messageId, :label)
   ON CONFLICT (account_id, number, message_id, label) DO NOTHING`,
)
const unmark = sql<Mark>(
  `DELETE FROM sandbox_marks
   WHERE account_id = :accountId AND number = :number AND message_id = :messageId AND label = :label`,
)
const marksOf = sql<Named & { limit: number }, { messageId: string; label: number }>(
  `SELECT message_id AS messageId, label FROM sandbox_marks
   WHERE account_id = :accountId AND number = :number ORDER BY message_id, label LIMIT :limit`,
)

/** Number of the mark for starred messages; labels are numbered from 1. */
const STAR = 0
const ALWAYS = -1
/** As on the live network. */
const MAX_LABELS = 20
/** Limit of listed chats; tests need fewer. */
const MAX_LISTED = 500

const NEW: Omit<Row, 'chat'> = { archived: 0, pinned: 0, unread: 0, mutedUntilMs: null, labels: '[]' }

export type ChatLists = ReturnType<typeof createChatLists>

/** The chat lists of the phones. A list belongs to the number and is shared by its linked devices. */
export function createChatLists(db: Db) {
  async function change(tx: Tx, at: Chat, changes: Partial<Row>): Promise<void> {
    const row = (await tx.one(chatNamed, at)) ?? { ...NEW, chat: at.chat }
    await tx.run(save, { ...at, ...row, ...changes })
  }

  async function labelIn(tx: Tx, at: Named, labelId: string): Promise<number> {
    const labels = await tx.all(labelsOf, { ...at, limit: MAX_LABELS })
    const found = labels.find(({ id }) => String(id) === labelId)
    if (found) return found.id
    throw new ApiError('not_found', 'This instance has no label with this id. label/list has their ids.')
  }

  const setMark = (tx: Tx, at: Mark, isSet: boolean) => tx.run(isSet ? mark : unmark, at)

  return {
    changeChat: (accountId: AccountId, number: string, chat: string, changed: ChatChange): Promise<void> =>
      db.commit((tx) => change(tx, { accountId, number, chat }, toColumns(changed))),
    star: (accountId: AccountId, number: string, messageId: string, isStarred: boolean) =>
      db.commit((tx) => setMark(tx, { accountId, number, messageId, label: STAR }, isStarred)),

    labels: async (accountId: AccountId, number: string): Promise<Label[]> =>
      (await db.read(labelsOf, { accountId, number, limit: MAX_LABELS })).map(toLabel),
    saveLabel: (accountId: AccountId, number: string, { id, name, color }: Omit<Label, 'id'> & { id: string | null }) =>
      db.commit(async (tx) => {
        const at = { accountId, number }
        const known = await tx.all(labelsOf, { ...at, limit: MAX_LABELS })
        if (id === null && known.length >= MAX_LABELS)
          throw new ApiError('invalid_state', `WhatsApp allows ${MAX_LABELS} labels. Delete one first.`)
        const label = id === null ? Math.max(STAR, ...known.map((each) => each.id)) + 1 : await labelIn(tx, at, id)
        await tx.run(saveLabel, { ...at, id: label, name, color })
        return toLabel({ id: label, name, color })
      }),
    removeLabel: (accountId: AccountId, number: string, labelId: string): Promise<void> =>
      db.commit(async (tx) => {
        const at = { accountId, number }
        const id = await labelIn(tx, at, labelId)
        await tx.run(removeLabel, { ...at, id })
        await tx.run(unlabel, { ...at, id })
        for (const row of await tx.all(chatsOf, { ...at, limit: MAX_LISTED })) {
          const left = labelIdsOf(row).filter((each) => each !== labelId)
          if (left.length < labelIdsOf(row).length)
            await change(tx, { ...at, chat: row.chat }, { labels: JSON.stringify(left) })
        }
      }),
    labelChat: (accountId: AccountId, number: string, chat: string, labelId: string, isLabeled: boolean) =>
      db.commit(async (tx) => {
        const at = { accountId, number, chat }
        await labelIn(tx, at, labelId)
        const row = await tx.one(chatNamed, at)
        const others = row ? labelIdsOf(row).filter((each) => each !== labelId) : []
        await change(tx, at, { labels: JSON.stringify(isLabeled ? [...others, labelId] : others) })
      }),
    labelMessage: (accountId: AccountId, number: string, messageId: string, labelId: string, isLabeled: boolean) =>
      db.commit(async (tx) => {
        const label = await labelIn(tx, { accountId, number }, labelId)
        await setMark(tx, { accountId, number, messageId, label }, isLabeled)
      }),

    async read(accountId: AccountId, number: string): Promise<ChatList> {
      const at = { accountId, number, limit: MAX_LISTED }
      const marks = await db.read(marksOf, at)
      return {
        chats: (await db.read(chatsOf, at)).map(toChat),
        labels: (await db.read(labelsOf, at)).map(toLabel),
        starred: marks.filter(({ label }) => label === STAR).map(({ messageId }) => messageId),
        labeled: marks.flatMap(({ messageId, label }) =>
          label === STAR ? [] : [{ messageId, labelId: String(label) }],
        ),
      }
    },
  }
}

function toColumns(changed: ChatChange): Partial<Row> {
  if (changed.kind === 'mute') return { mutedUntilMs: changed.untilMs === Infinity ? ALWAYS : changed.untilMs }
  const isSet = changed.isSet ? 1 : 0
  if (changed.kind === 'read') return { unread: changed.isSet ? 0 : 1 }
  return changed.kind === 'archive' ? { archived: isSet } : { pinned: isSet }
}

const labelIdsOf = ({ labels }: Row) => JSON.parse(labels) as string[]

const toLabel = ({ id, name, color }: { id: number; name: string; color: number }): Label => ({
  id: String(id),
  name,
  color,
})

const toChat = (row: Row): ListedChat => ({
  chat: row.chat,
  isArchived: row.archived === 1,
  isPinned: row.pinned === 1,
  isUnread: row.unread === 1,
  mutedUntilMs: row.mutedUntilMs === ALWAYS ? Infinity : row.mutedUntilMs,
  labelIds: labelIdsOf(row),
})
