import type { SendBody } from '../../../main/capabilities/messages/contract.ts'
import type { ChatMessage } from './records.ts'
import { isOurs } from './thread.ts'

/** Whether a message can be quoted: the network has it, and it was not deleted. */
export const canReplyTo = (message: Pick<ChatMessage, 'engine_message_id' | 'deleted_at'>): boolean =>
  message.engine_message_id !== null && message.deleted_at === null

export const withQuote = (body: SendBody, quoted: Pick<ChatMessage, 'message_id'> | undefined): SendBody =>
  quoted === undefined ? body : { ...body, quoted_message_id: quoted.message_id }

/** Who wrote a message, as a quote says it. */
export function authorOf(
  message: Pick<ChatMessage, 'direction' | 'push_name' | 'sender'>,
): { readonly isOwn: true } | { readonly isOwn: false; readonly name: string | null; readonly number: string | null } {
  if (isOurs(message)) return { isOwn: true }
  return { isOwn: false, name: message.push_name, number: message.sender }
}
