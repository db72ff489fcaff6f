import { ApiError } from '../../contract/errors.ts'
import type { Quoted } from '../../engines/engine.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { personKey } from '../../kernel/phone-number.ts'
import { getReferenced, toMessageRef } from './message-ref.ts'

/**
 * The message that one to `to` answers.
 * @throws ApiError not_found for one of another instance, validation_error for one of another conversation, invalid_state
 * for one that was deleted or that the network does not have.
 */
export async function getQuoted(
  db: Pick<Db, 'readOne'>,
  instanceId: InstanceId,
  to: string,
  messageId: string,
): Promise<Quoted> {
  const found = await getReferenced(db, instanceId, messageId, 'quoted_message_id')
  const { chat, type, text, deletedAtMs } = found
  // A number can have two spellings, which belong to the same chat.
  if (personKey(chat) !== personKey(to)) throw wrongChat(chat, to)
  // Deleted text must not reappear in a quote.
  if (deletedAtMs !== null) throw deleted()
  return { ...toMessageRef(found, 'quoted_message_id'), type, text }
}

const wrongChat = (chat: string, to: string) =>
  new ApiError(
    'validation_error',
    `You can only quote a message from the same chat: quoted_message_id belongs to ${chat}, and to is ${to}.`,
  ).because('quote_other_chat')

const deleted = () =>
  new ApiError('invalid_state', 'The quoted message was deleted. Send the message without quoted_message_id.').because(
    'quote_deleted',
  )
