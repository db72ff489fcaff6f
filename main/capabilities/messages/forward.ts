import { ApiError } from '../../contract/errors.ts'
import type { MessageContent } from '../../contract/message-content.ts'
import type { ForwardedMessage } from '../../engines/engine.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { ForwardDraft } from './draft.ts'
import { toMessageRef } from './message-ref.ts'
import { forwardableById } from './store.ts'

/** A message to pass on, and what a conversation shows of its file. */
interface Forwardable {
  readonly out: ForwardedMessage
  readonly media: string | null
}

/**
 * The message to pass on, from whichever chat of the instance.
 * @throws ApiError not_found; invalid_state for one that was deleted, that may be seen only once, that is of a kind which
 * cannot be forwarded, or that the network does not have.
 */
export async function getForwardable(
  db: Pick<Db, 'readOne'>,
  instanceId: InstanceId,
  { to, messageId }: ForwardDraft,
): Promise<Forwardable> {
  const found = await db.readOne(forwardableById, { id: messageId, instanceId })
  if (!found) throw new ApiError('not_found', 'message_id is not a message of this instance.')
  const original = toMessageRef(found, 'message_id')
  const { type, text, deletedAtMs, viewOnce, forwarded } = found
  if (deletedAtMs !== null) throw refused('message_id was deleted, so it cannot be forwarded.', 'forward_deleted')
  if (viewOnce === 1 || !FORWARDABLE.has(type))
    throw refused('Messages of this kind cannot be forwarded.', 'forward_kind')
  // Both are JSON that this room wrote.
  const details = found.content === null ? null : (JSON.parse(found.content) as MessageContent)
  const { pending: _, ...media } = JSON.parse(found.media ?? '{}') as { readonly id?: string; readonly pending?: true }
  const shown = found.media === null ? null : JSON.stringify(media)
  const marks = { isFrequent: forwarded === 'frequently' }
  return {
    out: { kind: 'forward', to, original, type, text, mediaId: media.id ?? null, details, ...marks },
    media: shown,
  }
}

const FORWARDABLE: ReadonlySet<string> = new Set([
  ...['text', 'image', 'video', 'audio', 'document', 'sticker'],
  ...['location', 'contact', 'poll'],
])

const refused = (message: string, reason: 'forward_deleted' | 'forward_kind') =>
  new ApiError('invalid_state', message).because(reason)
