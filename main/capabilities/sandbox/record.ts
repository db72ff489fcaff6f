import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type {
  CatcherReply,
  CatcherView,
  SandboxCall,
  SandboxMessage,
  SandboxPhone,
  SandboxProfile,
  SpokenMessage,
} from '../../contract/sandbox.ts'
import type {
  Caught,
  KnownPhone,
  PhoneMessage,
  PhoneProfile,
  Reply,
  SpokenMessage as Spoken,
} from '../../engines/sandbox/index.ts'
import { messageIdOf, defaultName, MEDIA_HOST } from '../../engines/sandbox/index.ts'
import type { CallAtPhone } from './phone-calls.ts'

/** Converts the network's data to API fields. */

export const toPhone = (phone: KnownPhone): SandboxPhone => ({
  number: phone.number,
  name: phone.name ?? defaultName(phone.number),
  online: phone.online,
  receipts: phone.receipts,
  delay_ms: phone.delayMs,
  calls: phone.calls,
  passkey: phone.passkey,
  drop_receipts: phone.dropReceipts,
  duplicate_receipts: phone.duplicateReceipts,
  created_at: isoTime(phone.createdAtMs),
})

export function toProfile(number: string, profile: PhoneProfile): SandboxProfile {
  const { lastSeen, readReceipts, ...others } = profile.privacy
  return {
    number,
    name: profile.name,
    about: profile.about,
    picture_url: `https://${MEDIA_HOST}/${profile.pictureName ?? 'image.png'}`,
    privacy: { last_seen: lastSeen, read_receipts: readReceipts, ...others },
    chats: profile.chats.map(({ chat, isArchived, isPinned, isUnread, mutedUntilMs, labelIds }) => ({
      ...{ chat, archived: isArchived, pinned: isPinned, unread: isUnread, muted: mutedUntilMs !== null },
      muted_until: isoTimeOrNull(mutedUntilMs === Infinity ? null : mutedUntilMs),
      label_ids: [...labelIds],
    })),
    labels: profile.labels.map(({ id: label_id, name, color }) => ({ label_id, name, color })),
    starred: [...profile.starred],
    labeled_messages: profile.labeled.map(({ messageId: id, labelId: label_id }) => ({ id, label_id })),
  }
}

/** @param call from our number, ringing or answered. */
export const toCall = ({ id, instanceId, fromNumber, status, startedAtMs, createdAtMs }: CallAtPhone): SandboxCall => ({
  call_id: id,
  instance_id: instanceId,
  from: fromNumber,
  status: status === 'in_progress' ? 'in_progress' : 'ringing',
  started_at: isoTime(startedAtMs ?? createdAtMs),
})

export function toMessage({ content, ...message }: PhoneMessage): SandboxMessage {
  const { media } = content
  return {
    id: message.id,
    message_id: message.instanceId === null ? null : messageIdOf(message.id),
    instance_id: message.instanceId,
    from: message.author,
    to: message.recipient,
    group: message.group,
    type: content.type,
    text: content.text,
    media: media
      ? { mime_type: media.mimeType, size: media.size, filename: media.filename, caption: media.caption }
      : null,
    details: content.details ?? null,
    content: content.content ?? null,
    cloud_api: content.payload ? { ...content.payload } : null,
    quoted_message_id: content.quoted ?? null,
    sent_at: isoTime(message.sentAtMs),
    received_at: isoTimeOrNull(message.receivedAtMs),
    edited_at: isoTimeOrNull(message.editedAtMs),
    deleted_at: isoTimeOrNull(message.deletedAtMs),
    disappears_at: isoTimeOrNull(message.disappearsAtMs),
    reactions: Object.entries(message.reactions).map(([from, emoji]) => ({ from, emoji })),
  }
}

export const toSpoken = ({ message, instanceIds }: Spoken): SpokenMessage => ({
  ...toMessage(message),
  instance_ids: [...instanceIds],
})

export const toReply = ({ status, delayMs, hang }: Reply): CatcherReply => ({ status, delay_ms: delayMs, hang })

export const toCaught = ({ receivedAtMs, headers, body, signature }: Caught): CatcherView['data'][number] => ({
  received_at: isoTime(receivedAtMs),
  // The catcher wrote this JSON.
  headers: JSON.parse(headers) as Record<string, string>,
  body,
  signature,
})
