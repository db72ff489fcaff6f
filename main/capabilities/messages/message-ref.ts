import { chatTypeOf } from '../../contract/addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import type { MessageRef } from '../../engines/direct.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { referencedById, type ReferencedMessage } from './store.ts'

/** The field by which a caller names a message. */
type Field = 'message_id' | 'quoted_message_id'

/** Any message of the instance, those of other people too. @throws ApiError not_found */
export async function getReferenced(
  db: Pick<Db, 'readOne'>,
  instanceId: InstanceId,
  messageId: string,
  field: Field,
): Promise<ReferencedMessage> {
  const found = await db.readOne(referencedById, { id: messageId, instanceId })
  if (found) return found
  throw new ApiError('not_found', `${field} is not a message of this instance.`)
}

/** The same as its engine knows it. @throws ApiError invalid_state when the network does not have it. */
export function toMessageRef(
  { engineMessageId, chat, direction, participant }: ReferencedMessage,
  field: Field,
): MessageRef {
  if (chatTypeOf(chat) === 'channel')
    throw new ApiError(
      'invalid_state',
      `${field} is a post in a channel, and nothing can be done with those from here.`,
    ).because('channel_post')
  if (engineMessageId !== null) return { engineMessageId, chat, isOwn: direction !== 'in', participant }
  throw new ApiError(
    'invalid_state',
    `The network has not accepted the message in ${field}. Check its status record.`,
  ).because('message_not_accepted')
}
