import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { Unread } from './unread.ts'

type MergeParams = { instanceId: string; hiddenId: string; number: string; rows: number }

/** The newest rows of the hidden chat that the other one does not have as well. */
const PAGE = `SELECT m.seq FROM messages m WHERE m.instance_id = :instanceId AND m.chat = :hiddenId AND NOT EXISTS (
    SELECT 1 FROM messages o WHERE o.instance_id = :instanceId AND o.engine_message_id = m.engine_message_id
      AND o.chat = :number AND o.direction <> 'out')
  ORDER BY m.seq DESC LIMIT :rows`

const moveReactions = sql<MergeParams>(
  `UPDATE message_reactions SET sender = :number WHERE sender = :hiddenId AND message_seq IN (${PAGE})
   AND NOT EXISTS (SELECT 1 FROM message_reactions r
     WHERE r.message_seq = message_reactions.message_seq AND r.sender = :number)`,
)

const moveMessages = sql<MergeParams>(
  `UPDATE messages SET chat = :number, sender = CASE WHEN sender = :hiddenId THEN :number ELSE sender END
   WHERE seq IN (${PAGE})`,
)

type VotesParams = Omit<MergeParams, 'rows'>

/** Of two votes in one poll the later one counts. */
const copyVotes = sql<VotesParams>(
  `INSERT INTO poll_votes (instance_id, engine_message_id, voter, options, at)
   SELECT instance_id, engine_message_id, :number, options, at FROM poll_votes
   WHERE instance_id = :instanceId AND voter = :hiddenId
   ON CONFLICT (instance_id, engine_message_id, voter) DO UPDATE SET options = excluded.options, at = excluded.at
   WHERE excluded.at > poll_votes.at`,
)
const removeVotes = sql<VotesParams>('DELETE FROM poll_votes WHERE instance_id = :instanceId AND voter = :hiddenId')

/** Where the unread messages of the hidden chat begin: they are its newest received ones. */
const firstUnread = sql<Omit<VotesParams, 'number'> & { skipped: number }, { seq: number }>(
  `SELECT seq FROM messages WHERE instance_id = :instanceId AND chat = :hiddenId AND direction = 'in'
   ORDER BY seq DESC LIMIT 1 OFFSET :skipped`,
)
const movedSince = sql<MergeParams & { from: number }, { messages: number }>(
  `SELECT count(*) AS messages FROM messages WHERE seq IN (${PAGE}) AND seq >= :from AND direction = 'in'`,
)

/** Bulk work shares the thread with everything else (kernel/db.ts). */
const ROWS_AT_ONCE = 500

type ChatMove = { readonly instanceId: InstanceId; readonly from: string; readonly to: string }

/** Rows are removed after the last portion, so an interrupted move continues at the next start. */
const insertChatMove = sql<ChatMove & { seq: number }>(
  `INSERT INTO chat_moves (seq, instance_id, from_chat, to_chat) VALUES (:seq, :instanceId, :from, :to)
   ON CONFLICT (instance_id, from_chat, to_chat) DO NOTHING`,
)
const nextChatMove = sql<{ after: number }, ChatMove & { seq: number }>(
  `SELECT seq, instance_id AS instanceId, from_chat AS "from", to_chat AS "to" FROM chat_moves
   WHERE seq > :after ORDER BY seq LIMIT 1`,
)
const removeChatMove = sql<{ seq: number }>('DELETE FROM chat_moves WHERE seq = :seq')
const removeChatMovesOf = sql<{ instanceId: string }>('DELETE FROM chat_moves WHERE instance_id = :instanceId')

const copyName = sql<ChatMove>(
  `INSERT INTO chat_names (instance_id, chat, name)
   SELECT instance_id, :to, name FROM chat_names WHERE instance_id = :instanceId AND chat = :from
   ON CONFLICT (instance_id, chat) DO NOTHING`,
)
const removeName = sql<Pick<ChatMove, 'instanceId' | 'from'>>(
  'DELETE FROM chat_names WHERE instance_id = :instanceId AND chat = :from',
)

interface ChatMergeDeps {
  readonly db: Db
  readonly unread: Pick<Unread, 'of' | 'move'>
  /** Called for both chats after each commit. */
  readonly onMoved: (instanceId: string, chat: string) => void
}

/**
 * Moves the messages of a chat when its person is known by another name. Events that were sent keep the old id. Repeating
 * it changes nothing.
 */
export function createChatMerge({ db, unread, onMoved }: ChatMergeDeps) {
  let running: Promise<void> = Promise.resolve()
  let isStopped = false

  /** Unread messages among those that are moved next. */
  const unreadOfPage = async (tx: Tx, named: MergeParams & { instanceId: InstanceId }): Promise<number> => {
    const { instanceId, hiddenId } = named
    const { messages } = await unread.of(tx, instanceId, hiddenId)
    if (messages === 0) return 0
    const first = await tx.one(firstUnread, { instanceId, hiddenId, skipped: messages - 1 })
    return first === undefined ? 0 : ((await tx.one(movedSince, { ...named, from: first.seq }))?.messages ?? 0)
  }

  async function moveAll({ seq, instanceId, from, to }: ChatMove & { seq: number }): Promise<void> {
    const named = { instanceId, hiddenId: from, number: to, rows: ROWS_AT_ONCE }
    for (let moved = ROWS_AT_ONCE; moved === ROWS_AT_ONCE && !isStopped;) {
      moved = await db.commit(async (tx) => {
        await tx.run(moveReactions, named)
        const messages = await unreadOfPage(tx, named)
        const rows = await tx.run(moveMessages, named)
        if (rows > 0) await unread.move(tx, instanceId, { from, to, messages })
        if (rows > 0) tx.afterCommit(() => [from, to].forEach((chat) => onMoved(instanceId, chat)))
        if (rows < ROWS_AT_ONCE) await tx.run(removeChatMove, { seq })
        return rows
      })
    }
  }

  async function moveDue(): Promise<void> {
    for (let after = 0; ;) {
      const move = await db.readOne(nextChatMove, { after })
      if (move === undefined || isStopped) return
      await moveAll(move)
      after = move.seq
    }
  }

  return {
    /** Call it in the commit that learns that two names are one person. `finish` moves the messages. */
    async begin(tx: Tx, { instanceId, from, to }: ChatMove): Promise<void> {
      if (from === to) return
      const votes = { instanceId, hiddenId: from, number: to }
      if ((await tx.run(copyVotes, votes)) > 0) await tx.run(removeVotes, votes)
      await tx.run(copyName, { instanceId, from, to })
      await tx.run(removeName, { instanceId, from })
      await tx.run(insertChatMove, { seq: await tx.next('chat_moves'), instanceId, from, to })
    },
    /** Moves all messages that are still to be moved. */
    finish(): Promise<void> {
      const mine = running.then(moveDue)
      running = mine.catch(() => {})
      return mine
    },
    /** What is left is moved after the next start. */
    async stop(): Promise<void> {
      isStopped = true
      await running
    },
    async end(tx: Tx, instanceId: InstanceId): Promise<void> {
      await tx.run(removeChatMovesOf, { instanceId })
    },
  }
}
