import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { chatNameOf, chatSummary, chatsAfter, lastReceived } from './conversation-store.ts'

/** What is needed to sort a chat into the list. */
export interface Chat {
  readonly chat: string
  /** Of its newest message. */
  readonly lastSeq: number
  readonly messages: number
}

interface ChatsWish {
  readonly beforeSeq: number
  readonly rows: number
  readonly q: string | undefined
  readonly named?: ReadonlySet<string> | undefined
  /** No others. */
  readonly only?: ReadonlySet<string> | undefined
}

export interface ChatIndex {
  /** Call when a chat gains or loses a message. Free for instances whose list is not in memory. */
  touch(instanceId: string, chat: string): void
  /** Chats with their newest message before `beforeSeq`, the most recent first, at most `rows`. */
  page(instanceId: InstanceId, wish: ChatsWish): Promise<Chat[]>
}

interface CachedList {
  chats: Map<string, Chat>
  /** The same, the most recent first. */
  order: readonly Chat[]
  /** Chats whose data in memory is out of date. */
  readonly stale: Set<string>
  /** Profile names, loaded on the first search. */
  names: Map<string, string> | undefined
  /** Reading and refreshing take turns. */
  turn: Promise<unknown>
}

const CHATS_AT_ONCE = 500
/** Lists kept in memory; the least recently used one is evicted. */
const MAX_LISTS = 8
/** Beyond this, reloading the list is cheaper. */
const MAX_STALE = 10_000
/** Chats to search before the event loop gets a turn. */
const LOOKED_AT_ONCE = 5_000

/**
 * Which chats an instance has, by their newest message. Kept in memory for the instances somebody looks at: an index
 * that sorts them would have to be moved with every message of everybody (measured: a tenth to a quarter of what a
 * message costs to store), while reading all chats of 100,000 messages again takes 40 ms each time. Only this process
 * writes messages, and it says so here.
 */
export function createChatIndex({ db }: { db: Pick<Db, 'read' | 'readOne'> }): ChatIndex {
  const lists = new Map<string, CachedList>()

  const open = (instanceId: string): CachedList => {
    const known = lists.get(instanceId)
    const list = known ?? { chats: new Map(), order: [], stale: new Set(), names: undefined, turn: Promise.resolve() }
    lists.delete(instanceId)
    lists.set(instanceId, list)
    const [oldest] = lists.keys()
    if (lists.size > MAX_LISTS && oldest !== undefined) lists.delete(oldest)
    if (known === undefined) void runInTurn(instanceId, list, () => readAll(instanceId, list))
    return list
  }

  /** After a failure, no incomplete list is kept. */
  const runInTurn = (instanceId: string, list: CachedList, act: () => Promise<void>): Promise<void> => {
    const mine = list.turn.then(act)
    list.turn = mine
    mine.catch(() => void lists.delete(instanceId))
    return mine
  }

  /** In portions, so that the event loop is not blocked. */
  const readAll = async (instanceId: string, list: CachedList) => {
    for (let after = ''; ;) {
      const found = await db.read(chatsAfter, { instanceId, after, rows: CHATS_AT_ONCE })
      for (const chat of found) list.chats.set(chat.chat, chat)
      const last = found.at(-1)
      if (last === undefined || found.length < CHATS_AT_ONCE) break
      after = last.chat
      await yieldToEventLoop()
    }
    list.order = newestFirst([...list.chats.values()])
  }

  const refresh = async (instanceId: string, list: CachedList) => {
    const touched = [...list.stale]
    if (touched.length === 0) return
    list.stale.clear()
    for (const [i, chat] of touched.entries()) {
      const now = await db.readOne(chatSummary, { instanceId, chat })
      const lastSeq = now?.lastSeq ?? null
      if (now === undefined || lastSeq === null) list.chats.delete(chat)
      else list.chats.set(chat, { chat, lastSeq, messages: now.messages })
      if (list.names) await readName(instanceId, chat, list.names)
      if (i % CHATS_AT_ONCE === CHATS_AT_ONCE - 1) await yieldToEventLoop()
    }
    list.order = withMoved(list, new Set(touched))
  }

  const readName = async (instanceId: string, chat: string, names: Map<string, string>) => {
    const name =
      (await db.readOne(lastReceived, { instanceId, chat }))?.pushName ??
      (await db.readOne(chatNameOf, { instanceId, chat }))?.name
    if (name) names.set(chat, name.toLocaleLowerCase())
  }

  const readNames = async (instanceId: string, list: CachedList) => {
    if (list.names !== undefined) return
    const names = new Map<string, string>()
    for (const [i, { chat }] of list.order.entries()) {
      await readName(instanceId, chat, names)
      if (i % CHATS_AT_ONCE === CHATS_AT_ONCE - 1) await yieldToEventLoop()
    }
    list.names = names
  }

  return {
    touch(instanceId, chat) {
      const list = lists.get(instanceId)
      if (list === undefined) return
      if (list.stale.size >= MAX_STALE) lists.delete(instanceId)
      else list.stale.add(chat)
    },
    async page(instanceId, { beforeSeq, rows, q, named, only }) {
      const list = open(instanceId)
      await runInTurn(instanceId, list, async () => {
        await refresh(instanceId, list)
        if (q !== undefined) await readNames(instanceId, list)
      })
      const wanted = q === undefined ? undefined : chatFilter(q, list.names, named)
      const found: Chat[] = []
      for (const [i, chat] of list.order.entries()) {
        if (found.length === rows) break
        if (i % LOOKED_AT_ONCE === LOOKED_AT_ONCE - 1) await yieldToEventLoop()
        if (chat.lastSeq >= beforeSeq || only?.has(chat.chat) === false) continue
        if (wanted === undefined || wanted(chat.chat)) found.push(chat)
      }
      return found
    },
  }
}

const newestFirst = (chats: Chat[]): Chat[] => chats.sort((a, b) => b.lastSeq - a.lastSeq)

/**
 * The order with the chats that were touched in their new places. The others keep theirs, so that nothing is sorted again.
 */
function withMoved({ chats, order }: CachedList, touched: ReadonlySet<string>): Chat[] {
  const moved = newestFirst([...touched].flatMap((chat) => chats.get(chat) ?? []))
  const merged: Chat[] = []
  let next = 0
  for (const chat of order) {
    if (touched.has(chat.chat)) continue
    for (let first = moved[next]; first !== undefined && first.lastSeq > chat.lastSeq; first = moved[++next])
      merged.push(first)
    merged.push(chat)
  }
  return [...merged, ...moved.slice(next)]
}

function chatFilter(
  q: string,
  names: ReadonlyMap<string, string> | undefined,
  named: ReadonlySet<string> = new Set(),
): (chat: string) => boolean {
  const words = q.trim().toLocaleLowerCase()
  // As people write numbers: +1 (202) 555-0123.
  const digits = /^[\d\s()+-]+$/.test(words) ? words.replaceAll(/\D/g, '') : ''
  return (chat) =>
    (digits !== '' && chat.includes(digits)) ||
    names?.get(chat)?.includes(words) === true ||
    (named.size > 0 && named.has(personKey(chat)))
}
