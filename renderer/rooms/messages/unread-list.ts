import type { Conversation } from './records.ts'

export const isUnread = (one: Pick<Conversation, 'unread_messages' | 'marked_unread'>): boolean =>
  one.unread_messages > 0 || one.marked_unread

/**
 * A page of unread conversations that still contains the open one. Opening it marked it as read, but it stays in its
 * place until another conversation is opened.
 */
export function keepOpen(
  page: readonly Conversation[],
  before: readonly Conversation[] | undefined,
  openChat: string,
): Conversation[] {
  const kept = before?.find(({ chat }) => chat === openChat)
  if (kept === undefined || page.some(({ chat }) => chat === openChat)) return [...page]
  const read = { ...kept, unread_messages: 0, marked_unread: false }
  return [...page, read].sort((one, other) => Date.parse(other.last.at) - Date.parse(one.last.at))
}
