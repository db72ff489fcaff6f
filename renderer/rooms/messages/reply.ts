import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { ChatMessage } from './records.ts'

/** Whether a message can be quoted: it must have an id on the network, and must not be deleted. */
export const canReplyTo = (message: Pick<ChatMessage, 'engine_message_id' | 'deleted_at'>): boolean =>
  message.engine_message_id !== null && message.deleted_at === null

export const withQuote = (body: SendBody, quoted: Pick<ChatMessage, 'message_id'> | undefined): SendBody =>
  quoted === undefined ? body : { ...body, quoted_message_id: quoted.message_id }

/**
 * The author of a received message, as shown in its bubble and in quotes of it.
 * @param people the names in the contacts, which take precedence over the author's own name.
 */
export function authorName(
  { push_name: own, sender }: Pick<ChatMessage, 'push_name' | 'sender'>,
  people: { readonly nameOf: (phone: string) => string | undefined; readonly addressOf: (phone: string) => string },
): string | undefined {
  const known = sender === null ? undefined : people.nameOf(sender)
  return known ?? own ?? (sender === null ? undefined : people.addressOf(sender))
}
