import type { ChatMessage, Page } from './records.ts'

/** The loaded end of a conversation, oldest first, and where the rest of it begins. */
export interface Thread {
  readonly messages: readonly ChatMessage[]
  readonly older: string | null
}

const oldestFirst = (page: Page<ChatMessage>): ChatMessage[] => page.data.toReversed()

export const firstPage = (page: Page<ChatMessage>): Thread => ({
  messages: oldestFirst(page),
  older: page.next_cursor,
})

/** Adds a page of older messages in front; one that is loaded already is not repeated. */
export function withOlder(thread: Thread, page: Page<ChatMessage>): Thread {
  const known = new Set(thread.messages.map(({ message_id }) => message_id))
  const added = oldestFirst(page).filter(({ message_id }) => !known.has(message_id))
  return { messages: [...added, ...thread.messages], older: page.next_cursor }
}

/**
 * Puts the newest page, read again, over what is loaded: what changed is replaced, what is new is added at the end.
 * When more was said in between than a page holds, there would be a hole; then the newest page stands alone.
 */
export function withNewest(thread: Thread, page: Page<ChatMessage>): Thread {
  const fresh = oldestFirst(page)
  const isKnown = new Set(thread.messages.map(({ message_id }) => message_id))
  const touches = fresh.length === 0 || !page.has_more || fresh.some(({ message_id }) => isKnown.has(message_id))
  if (!touches) return firstPage(page)
  const changed = new Map(fresh.map((message) => [message.message_id, message]))
  const kept = thread.messages.filter(({ message_id }) => !changed.has(message_id))
  const from = fresh[0]?.created_at
  // What the service does not name any more among the newest is gone; older messages are not part of that page.
  const before = from === undefined ? kept : kept.filter(({ created_at }) => created_at <= from)
  return { messages: [...before, ...fresh], older: page.has_more ? thread.older : page.next_cursor }
}

/**
 * Puts a stretch of older messages, read again, over what is loaded: edits, deletions, reactions and receipts of each.
 * What came newer than the stretch, and what is older, stays as it is.
 */
export function withReread(thread: Thread, page: Page<ChatMessage>): Thread {
  const fresh = new Map(page.data.map((message) => [message.message_id, message]))
  const messages = thread.messages.map((message) => fresh.get(message.message_id) ?? message)
  return { ...thread, messages }
}

export type Row =
  | { readonly kind: 'day'; readonly id: string; readonly at: string }
  | { readonly kind: 'message'; readonly id: string; readonly message: ChatMessage; readonly isFirst: boolean }

/** Local day of a time, for comparing. */
const dayOf = (at: string): string => new Date(at).toDateString()

/** What is laid out one under another: messages, and a line where a day begins. */
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

/** Emojis with how often each was given, most first. */
export function reactionsOf({ reactions }: Pick<ChatMessage, 'reactions'>): { emoji: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { emoji } of reactions) if (emoji !== '') counts.set(emoji, (counts.get(emoji) ?? 0) + 1)
  return [...counts].map(([emoji, count]) => ({ emoji, count })).sort((one, other) => other.count - one.count)
}
