import { chatText } from './number.ts'
import type { ChatMessage, Conversation } from './records.ts'

/**
 * The name of whom a conversation is with, or their number. A group is never named after somebody who wrote in it.
 * @param known the name that the contacts have.
 * @returns undefined for a group without a name.
 */
export function chatTitle(
  chat: string,
  conversation: Pick<Conversation, 'name'> | undefined,
  isGroup: boolean,
  messages: readonly Pick<ChatMessage, 'direction' | 'push_name'>[] = [],
  known?: string,
): string | undefined {
  if (conversation?.name) return conversation.name
  if (isGroup) return undefined
  return (
    messages.findLast(({ direction, push_name }) => direction === 'in' && push_name)?.push_name ??
    known ??
    chatText(chat)
  )
}

/** `120363041234567890@g.us` → `7890`: enough to tell groups without a name apart. */
export const groupEnding = (chat: string): string => chat.split('@', 1)[0]?.slice(-4) ?? ''
