import type { Notice } from '../../contract/notice.ts'
import type { Network } from '../../contract/shapes.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import {
  addToInstance,
  addUnread,
  removeChatsOfInstance,
  rehomeInstance,
  removeInstance,
  removeUnread,
  setUnread,
  takeFromInstance,
  unreadChats,
  unreadInstances,
  unreadOf,
  type UnreadRow,
} from './unread-store.ts'

/** How many chats of an account are unread. */
export interface UnreadCounts extends Record<Network, number> {
  /** Instances with unread chats, most first. */
  readonly instances: { readonly id: string; readonly chats: number }[]
}

/** Call each in the commit of the change. */
export interface Unread {
  /** Somebody wrote. */
  received(tx: Tx, instanceId: InstanceId, chat: string): Promise<void>
  /** A person read the chat, or wrote in it. */
  read(tx: Tx, instanceId: InstanceId, chat: string): Promise<void>
  markUnread(tx: Tx, instanceId: InstanceId, chat: string): Promise<void>
  of(tx: Tx, instanceId: InstanceId, chat: string): Promise<UnreadRow>
  /** `messages` unread ones of a chat belong to another from now on. */
  move(tx: Tx, instanceId: InstanceId, chats: { from: string; to: string; messages: number }): Promise<void>
  /** The instance was deleted. */
  end(tx: Tx, instanceId: InstanceId): Promise<void>
  /** The instance belongs to another account. */
  rehome(tx: Tx, instanceId: InstanceId): Promise<void>
  count(accountId: AccountId): Promise<UnreadCounts>
  find(instanceId: InstanceId, chat: string): Promise<UnreadRow>
  chats(instanceId: InstanceId): Promise<ReadonlySet<string>>
}

interface UnreadDeps {
  readonly db: Pick<Db, 'read' | 'readOne'>
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

/** Read before others have their turn. */
const CHATS_AT_ONCE = 2_000
const NONE: UnreadRow = { messages: 0, marked: 0 }

/** Counts unread messages as phones do: each received one adds to its chat, an answer or a look ends the count. */
export function createUnread({ db, live }: UnreadDeps): Unread {
  /** Windows refetch how many chats are unread. */
  const publish = (tx: Tx, instanceId: string, of: { accountId: string } | undefined) => {
    if (of === undefined) return
    // Written by ids.ts before it was stored.
    const accountId = of.accountId as AccountId
    tx.afterCommit(() => live.publish(accountId, { topic: 'conversations', instance_id: instanceId }))
  }

  const begin = async (tx: Tx, instanceId: InstanceId) =>
    publish(tx, instanceId, await tx.one(addToInstance, { instanceId }))

  const received = async (tx: Tx, instanceId: InstanceId, chat: string) => {
    const after = await tx.one(addUnread, { instanceId, chat, messages: 1, marked: 0 })
    if (after?.messages === 1 && after.marked === 0) await begin(tx, instanceId)
  }

  const add = async (tx: Tx, instanceId: InstanceId, chat: string, { messages, marked }: UnreadRow) => {
    const before = await tx.one(unreadOf, { instanceId, chat })
    const after = await tx.one(addUnread, { instanceId, chat, messages, marked })
    if (before === undefined && after !== undefined) await begin(tx, instanceId)
  }

  const read = async (tx: Tx, instanceId: InstanceId, chat: string) => {
    if ((await tx.run(removeUnread, { instanceId, chat })) === 0) return
    publish(tx, instanceId, await tx.one(takeFromInstance, { instanceId }))
  }

  const of = async (tx: Tx, instanceId: InstanceId, chat: string) =>
    (await tx.one(unreadOf, { instanceId, chat })) ?? NONE

  return {
    received,
    markUnread: (tx, instanceId, chat) => add(tx, instanceId, chat, { messages: 0, marked: 1 }),
    read,
    of,
    async move(tx, instanceId, { from, to, messages }) {
      const { messages: all, marked } = await of(tx, instanceId, from)
      if (messages === 0 && marked === 0) return
      await add(tx, instanceId, to, { messages, marked })
      if (messages === all) await read(tx, instanceId, from)
      else await tx.run(setUnread, { instanceId, chat: from, messages: all - messages, marked: 0 })
    },
    async rehome(tx, instanceId) {
      await tx.run(rehomeInstance, { instanceId })
    },
    async end(tx, instanceId) {
      await tx.run(removeChatsOfInstance, { instanceId })
      publish(tx, instanceId, await tx.one(removeInstance, { instanceId }))
    },
    async count(accountId) {
      const rows = await db.read(unreadInstances, { accountId })
      const counts = { live: 0, sandbox: 0 }
      for (const { network, chats } of rows) counts[network] += chats
      const ordered = rows.toSorted((a, b) => b.chats - a.chats)
      return { ...counts, instances: ordered.map(({ id, chats }) => ({ id, chats })) }
    },
    find: async (instanceId, chat) => (await db.readOne(unreadOf, { instanceId, chat })) ?? NONE,
    async chats(instanceId) {
      const all = new Set<string>()
      for (let after = ''; ;) {
        const found = await db.read(unreadChats, { instanceId, after, rows: CHATS_AT_ONCE })
        for (const { chat } of found) all.add(chat)
        const last = found.at(-1)
        if (last === undefined || found.length < CHATS_AT_ONCE) return all
        after = last.chat
        await yieldToEventLoop()
      }
    },
  }
}
