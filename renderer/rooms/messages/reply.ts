import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { ChatMessage } from './records.ts'

/** Whether a message can be quoted: the network has it, and it was not deleted. */
export const canReplyTo = (message: Pick<ChatMessage, 'engine_message_id' | 'deleted_at'>): boolean =>
  message.engine_message_id !== null && message.deleted_at === null

export const withQuote = (body: SendBody, quoted: Pick<ChatMessage, 'message_id'> | undefined): SendBody =>
  quoted === undefined ? body : { ...body, quoted_message_id: quoted.message_id }

/**
 * Who wrote a message that is not ours, as their bubble and quotes of it say.
 * @param people names that the contacts have: they come before the one that the person gave themselves.
 */
export function authorName(
  { push_name: own, sender }: Pick<ChatMessage, 'push_name' | 'sender'>,
  people: { readonly nameOf: (phone: string) => string | undefined; readonly addressOf: (phone: string) => string },
): string | undefined {
  const known = sender === null ? undefined : people.nameOf(sender)
  return known ?? own ?? (sender === null ? undefined : people.addressOf(sender))
}
