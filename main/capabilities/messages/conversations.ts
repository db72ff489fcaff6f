import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { readLongPage } from '../../kernel/long-rows.ts'
import type { Cursors } from '../../kernel/page.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import {
  chatNameOf,
  lastReceived,
  reactionsBetween,
  threadMessagesBefore,
  threadMessageById,
  threadMessageBySeq,
  votesBetween,
  type ThreadMessageRow,
} from './conversation-store.ts'
import type { Chat, ChatIndex } from './chat-index.ts'
import { isGroupChat } from './draft.ts'
import { parseVote, type Vote } from './polls.ts'
import type { UnreadRow } from './unread-store.ts'
import type { Unread } from './unread.ts'

interface Reaction {
  readonly sender: string
  readonly emoji: string
}

/** A chat with what a list shows of it. */
export interface Conversation extends Chat {
  readonly last: ThreadMessageRow
  readonly isGroup: boolean
  /** The contact's profile name, else what the phone calls the chat; null where neither is known. */
  readonly name: string | null
  readonly lastInboundAtMs: number | null
  readonly unread: UnreadRow
}

export interface ThreadMessage extends ThreadMessageRow {
  readonly reactions: readonly Reaction[]
  /** In a poll. */
  readonly votes: readonly Vote[]
}

interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}

interface PageOptions {
  readonly limit?: number
  readonly cursor?: string
}

interface ConversationsWish extends PageOptions {
  readonly q?: string
  /** The `personKey` of people whose name in the contacts matches `q`. */
  readonly named?: ReadonlySet<string> | undefined
  readonly filter?: 'all' | 'unread'
}

export interface Conversations {
  /** The most recent first. @throws ApiError invalid_cursor */
  conversations(instanceId: InstanceId, wish: ConversationsWish): Promise<Page<Conversation>>
  /** The messages of one conversation, newest first. @throws ApiError invalid_cursor */
  thread(instanceId: InstanceId, chat: string, wish: PageOptions): Promise<Page<ThreadMessage>>
  /** @throws ApiError not_found */
  threadMessage(instanceId: InstanceId, messageId: string): Promise<ThreadMessage>
}

interface ConversationsDeps {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly cursors: Cursors
  readonly chatIndex: ChatIndex
  readonly unread: Pick<Unread, 'find' | 'chats'>
}

const NEWEST = Number.MAX_SAFE_INTEGER
/** Chats whose last messages are read at once. */
const FEW_CHATS = 8

/** The conversations and messages the console shows. */
export function createConversations({ db, cursors, chatIndex, unread }: ConversationsDeps): Conversations {
  const before = (list: string, cursor: string | undefined) =>
    cursor === undefined ? NEWEST : Number(cursors.decode(list, cursor)[0])

  const describe = async (instanceId: InstanceId, chat: Chat): Promise<Conversation[]> => {
    const last = await db.readOne(threadMessageBySeq, { seq: chat.lastSeq })
    // The row was removed between two reads, because the message was not sent.
    if (last === undefined) return []
    const received = await db.readOne(lastReceived, { instanceId, chat: chat.chat })
    // Messages sent to groups by earlier versions do not say that it is one.
    const isGroup = last.isGroup === 1 || isGroupChat(chat.chat)
    const own = isGroup ? null : (received?.pushName ?? null)
    const name = own ?? (await db.readOne(chatNameOf, { instanceId, chat: chat.chat }))?.name ?? null
    const state = await unread.find(instanceId, chat.chat)
    return [{ ...chat, last, isGroup, name, lastInboundAtMs: received?.createdAtMs ?? null, unread: state }]
  }

  return {
    async conversations(instanceId, { limit = LIMITS.pageSizeDefault, cursor, q, named, filter = 'all' }) {
      const list = `conversations:${instanceId}:${filter}:${q ?? ''}`
      const only = filter === 'unread' ? await unread.chats(instanceId) : undefined
      const found = await chatIndex.page(instanceId, {
        beforeSeq: before(list, cursor),
        rows: limit + 1,
        q,
        named,
        only,
      })
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      const data: Conversation[] = []
      for (const [at, chat] of shown.entries()) {
        // The last message of each is read, which can be long.
        if (at > 0 && at % FEW_CHATS === 0) await yieldToEventLoop()
        data.push(...(await describe(instanceId, chat)))
      }
      return { data, nextCursor: last === undefined ? null : cursors.encode(list, [last.lastSeq]) }
    },

    async thread(instanceId, chat, { limit = LIMITS.pageSizeDefault, cursor }) {
      const list = `thread:${instanceId}:${chat}`
      const newest = before(list, cursor)
      const { shown, hasMore } = await readLongPage<ThreadMessageRow>(limit, (rows, after) =>
        db.read(threadMessagesBefore, { instanceId, chat, before: after?.seq ?? newest, rows }),
      )
      const last = shown.at(-1)
      return {
        data: await withAnswers(instanceId, chat, shown),
        nextCursor: last !== undefined && hasMore ? cursors.encode(list, [last.seq]) : null,
      }
    },

    async threadMessage(instanceId, messageId) {
      const row = await db.readOne(threadMessageById, { instanceId, id: messageId })
      const [found] = row === undefined ? [] : await withAnswers(instanceId, row.chat, [row])
      if (found === undefined) throw new ApiError('not_found', 'This instance has no message with this id.')
      return found
    },
  }

  /** A part of a chat, newest first, each message with its reactions and votes. */
  async function withAnswers(
    instanceId: InstanceId,
    chat: string,
    rows: readonly ThreadMessageRow[],
  ): Promise<ThreadMessage[]> {
    const [first, last] = [rows.at(0), rows.at(-1)]
    if (first === undefined || last === undefined) return []
    const stretch = { from: last.seq, to: first.seq }
    const reactions = await reactionsOf(instanceId, chat, stretch)
    const votes = rows.some(({ type }) => type === 'poll') ? await votesOf(instanceId, chat, stretch) : undefined
    return rows.map((row) => ({
      ...row,
      reactions: reactions.get(row.seq) ?? [],
      votes: votes?.get(row.seq)?.map(parseVote) ?? [],
    }))
  }

  async function reactionsOf(instanceId: InstanceId, chat: string, stretch: { from: number; to: number }) {
    const found = await db.read(reactionsBetween, { instanceId, chat, ...stretch })
    return Map.groupBy(found, ({ seq }) => seq)
  }

  async function votesOf(instanceId: InstanceId, chat: string, stretch: { from: number; to: number }) {
    const found = await db.read(votesBetween, { instanceId, chat, ...stretch })
    return Map.groupBy(found, ({ seq }) => seq)
  }
}
