import type { ChatMessage, Page } from './records.ts'

/** The loaded end of a conversation, oldest message first, and the cursor of the older messages. */
export interface Thread {
  readonly messages: readonly ChatMessage[]
  readonly older: string | null
}

const oldestFirst = (page: Page<ChatMessage>): ChatMessage[] => page.data.toReversed()

export const firstPage = (page: Page<ChatMessage>): Thread => ({
  messages: oldestFirst(page),
  older: page.next_cursor,
})

/** Adds a page of older messages in front, without messages that are already loaded. */
export function withOlder(thread: Thread, page: Page<ChatMessage>): Thread {
  const known = new Set(thread.messages.map(({ message_id }) => message_id))
  const added = oldestFirst(page).filter(({ message_id }) => !known.has(message_id))
  return { messages: [...added, ...thread.messages], older: page.next_cursor }
}

/**
 * Merges the newest page into the loaded messages: changed messages are replaced, and new ones are added at the end.
 * If messages between the two are missing, only the newest page is kept.
 */
export function withNewest(thread: Thread, page: Page<ChatMessage>): Thread {
  const fresh = oldestFirst(page)
  const isKnown = new Set(thread.messages.map(({ message_id }) => message_id))
  const touches = fresh.length === 0 || !page.has_more || fresh.some(({ message_id }) => isKnown.has(message_id))
  if (!touches) return firstPage(page)
  const changed = new Map(fresh.map((message) => [message.message_id, message]))
  const kept = thread.messages.filter(({ message_id }) => !changed.has(message_id))
  const from = fresh[0]?.created_at
  // A loaded message that is missing from the newest page was deleted, unless it is older than that page.
  const before = from === undefined ? kept : kept.filter(({ created_at }) => created_at <= from)
  return { messages: [...before, ...fresh], older: page.has_more ? thread.older : page.next_cursor }
}

/**
 * Merges a page of older messages into the loaded ones: replaces each message that the page contains, and keeps all
 * others.
 */
export function withReread(thread: Thread, page: Page<ChatMessage>): Thread {
  const fresh = new Map(page.data.map((message) => [message.message_id, message]))
  const messages = thread.messages.map((message) => fresh.get(message.message_id) ?? message)
  return { ...thread, messages }
}

export type Row =
  | { readonly kind: 'day'; readonly id: string; readonly at: string }
  | { readonly kind: 'message'; readonly id: string; readonly message: ChatMessage; readonly isFirst: boolean }

/** The local day of a time, for comparisons. */
const dayOf = (at: string): string => new Date(at).toDateString()

/** The rows of the list: messages, and a row where a new day begins. */
export function rowsOf(messages: readonly ChatMessage[]): Row[] {
  const rows: Row[] = []
  let last: ChatMessage | undefined
  for (const message of messages) {
    const isNewDay = last === undefined || dayOf(last.created_at) !== dayOf(message.created_at)
    if (isNewDay) rows.push({ kind: 'day', id: `day ${message.created_at}`, at: message.created_at })
    rows.push({
      kind: 'message',
      id: message.message_id,
      message,
      isFirst: isNewDay || isOurs(last) !== isOurs(message) || last?.sender !== message.sender,
    })
    last = message
  }
  return rows
}

export const isOurs = (message: Pick<ChatMessage, 'direction'> | undefined): boolean =>
  message !== undefined && message.direction !== 'in'

/** The emojis with their counts, most frequent first. */
export function reactionsOf({ reactions }: Pick<ChatMessage, 'reactions'>): { emoji: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { emoji } of reactions) if (emoji !== '') counts.set(emoji, (counts.get(emoji) ?? 0) + 1)
  return [...counts].map(([emoji, count]) => ({ emoji, count })).sort((one, other) => other.count - one.count)
}
