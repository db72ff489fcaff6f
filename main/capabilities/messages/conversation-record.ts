import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { heldSince, validUntil } from './record.ts'
import type { Forwarded, MediaPreview } from '../../engines/received.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { ConversationRecord, ThreadMessageRecord } from './contract/chats.ts'
import type { ThreadMessageRow } from './conversation-store.ts'
import type { Conversation, ThreadMessage } from './conversations.ts'
import { parseContent, toPoll } from './polls.ts'

/** Opt-out state of a contact. */
export interface Consent {
  readonly isOptedOut: boolean
  /** A message of theirs that may be an opt-out. */
  readonly question: { readonly messageId: string; readonly text: string } | undefined
}

/** A list shows the beginning. */
const PREVIEW_LENGTH = 200

export function toConversation(
  { chat, last, isGroup, name, messages, lastInboundAtMs, unread }: Conversation,
  consent: Consent | undefined,
): ConversationRecord {
  const question = consent?.question
  return {
    chat,
    name,
    is_group: isGroup,
    last: {
      message_id: last.id,
      direction: last.direction,
      type: last.type,
      text: Array.from(visibleText(last)).slice(0, PREVIEW_LENGTH).join(''),
      status: last.status,
      at: isoTime(last.createdAtMs),
    },
    messages,
    last_inbound_at: isoTimeOrNull(lastInboundAtMs),
    unread_messages: unread.messages,
    marked_unread: unread.marked === 1,
    opted_out: consent?.isOptedOut ?? false,
    opt_out_question: question === undefined ? null : { message_id: question.messageId, text: question.text },
  }
}

export function toThreadMessage(instanceId: InstanceId, said: ThreadMessage): ThreadMessageRecord {
  return {
    message_id: said.id,
    engine_message_id: said.engineMessageId,
    direction: said.direction,
    type: said.type,
    text: visibleText(said),
    media: mediaOf(instanceId, said),
    ...contentOf(said),
    sender: said.sender,
    push_name: said.pushName,
    status: said.status,
    error: said.errorCode === null ? null : { code: said.errorCode, message: said.errorMessage ?? '' },
    source: said.source,
    quoted_message_id: said.quotedMessageId,
    reactions: said.reactions.map(({ sender, emoji }) => ({ sender, emoji })),
    created_at: isoTime(said.createdAtMs),
    sent_at: isoTimeOrNull(said.sentAtMs),
    delivered_at: isoTimeOrNull(said.deliveredAtMs),
    read_at: isoTimeOrNull(said.readAtMs),
    failed_at: isoTimeOrNull(said.failedAtMs),
    held_since: heldSince(said),
    valid_until: validUntil(said),
    edited_at: isoTimeOrNull(said.editedAtMs),
    deleted_at: isoTimeOrNull(said.deletedAtMs),
  }
}

/** In the words of the wire. */
export const forwardedFields = (forwarded: Forwarded | null | undefined) => ({
  forwarded: forwarded === 'forwarded' || forwarded === 'frequently',
  frequently_forwarded: forwarded === 'frequently',
})

function contentOf({ type, text, content, viewOnce, forwarded, votes, deletedAtMs }: ThreadMessage) {
  const isDeleted = deletedAtMs !== null
  const known = isDeleted ? null : parseContent(content)
  const options = known?.type === 'poll' ? known.options : []
  return {
    content: known,
    poll: type === 'poll' && !isDeleted ? toPoll(text, options, votes) : null,
    view_once: viewOnce === 1,
    ...forwardedFields(forwarded),
  }
}

/** A message that its author deleted is shown without its text. */
const visibleText = ({ text, deletedAtMs }: ThreadMessageRow): string => (deletedAtMs === null ? text : '')

/** Written by send.ts and inbound.ts. Only received media has an id to download it with. */
interface StoredMedia {
  readonly id?: string
  readonly mime_type: string
  readonly size: number
  readonly filename: string | null
  readonly pending?: boolean
  readonly preview?: MediaPreview
}

const toPreview = ({ seconds, waveform, thumbnail }: MediaPreview) => ({
  seconds,
  waveform: waveform && [...waveform],
  thumbnail: thumbnail && `data:image/jpeg;base64,${thumbnail}`,
})

function mediaOf(instanceId: InstanceId, { media, deletedAtMs }: ThreadMessageRow): ThreadMessageRecord['media'] {
  if (media === null || deletedAtMs !== null) return null
  const { id, mime_type, size, filename, pending = false, preview } = JSON.parse(media) as StoredMedia
  const url = id === undefined ? null : `/panel/v1/instances/${instanceId}/media/${encodeURIComponent(id)}`
  return { mime_type, size, filename, pending, url, ...(preview && { preview: toPreview(preview) }) }
}
