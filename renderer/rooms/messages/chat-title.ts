import type { ChatMessage, Conversation } from './records.ts'

/**
 * The name of whom a conversation is with. A group is never named after somebody who wrote in it.
 * @param known the name that the contacts have: a person may have given them another than their own.
 * @returns undefined if nobody knows one.
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

/** `120363041234567890@g.us` → `7890`: enough to tell groups without a name apart. */
export const groupEnding = (chat: string): string => chat.split('@', 1)[0]?.slice(-4) ?? ''
