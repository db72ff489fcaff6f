import type { EngineSignal } from '../../engines/engine.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { Unread } from './unread.ts'

type Contact = Extract<EngineSignal, { kind: 'contact' }>
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

/** Of two votes in one poll the later one stands. */
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

interface ChatMergeDeps {
  readonly db: Db
  readonly unread: Pick<Unread, 'of' | 'move'>
  /** Told after each commit of both chats. */
  readonly onMoved: (instanceId: string, chat: string) => void
}

/**
 * Somebody who wrote under a hidden id has shown their number: what was said under the one belongs to the other.
 * Events that were sent keep the id they had. Repeating it changes nothing.
 */
export function createChatMerge({ db, unread, onMoved }: ChatMergeDeps) {
  /** Unread messages among those that are moved next. */
  const unreadOfPage = async (tx: Tx, named: MergeParams & { instanceId: InstanceId }): Promise<number> => {
    const { instanceId, hiddenId } = named
    const { messages } = await unread.of(tx, instanceId, hiddenId)
    if (messages === 0) return 0
    const first = await tx.one(firstUnread, { instanceId, hiddenId, skipped: messages - 1 })
    return first === undefined ? 0 : ((await tx.one(movedSince, { ...named, from: first.seq }))?.messages ?? 0)
  }

  return async (instanceId: InstanceId, { hiddenId, number }: Contact): Promise<void> => {
    const named = { instanceId, hiddenId, number, rows: ROWS_AT_ONCE }
    await db.commit(async (tx) => {
      const votes = { instanceId, hiddenId, number }
      if ((await tx.run(copyVotes, votes)) > 0) await tx.run(removeVotes, votes)
    })
    for (let moved = ROWS_AT_ONCE; moved === ROWS_AT_ONCE;) {
      moved = await db.commit(async (tx) => {
        await tx.run(moveReactions, named)
        const messages = await unreadOfPage(tx, named)
        const rows = await tx.run(moveMessages, named)
        if (rows > 0) await unread.move(tx, instanceId, { from: hiddenId, to: number, messages })
        if (rows > 0) tx.afterCommit(() => [hiddenId, number].forEach((chat) => onMoved(instanceId, chat)))
        return rows
      })
    }
  }
}
