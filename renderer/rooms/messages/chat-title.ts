import type { ChatMessage, Conversation } from './records.ts'

/**
 * The name of the person or group of a conversation. A group is never named after a person who wrote in it.
 * @param known the name in the contacts, which takes precedence over the person's own name.
 * @returns undefined if no name is known.
 */
export function chatTitle(
  conversation: Pick<Conversation, 'name'> | undefined,
  isGroup: boolean,
  messages: readonly Pick<ChatMessage, 'direction' | 'push_name'>[] = [],
  known?: string,
): string | undefined {
  if (isGroup) return conversation?.name ?? undefined
  return (
    known ??
    (conversation?.name || undefined) ??
    messages.findLast(({ direction, push_name }) => direction === 'in' && push_name)?.push_name ??
    undefined
  )
}

/** `120363041234567890@g.us` → `7890`, which is enough to tell unnamed groups apart. */
export const groupEnding = (chat: string): string => chat.split('@', 1)[0]?.slice(-4) ?? ''
