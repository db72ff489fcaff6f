import { getContentType, proto } from 'baileys'
import type { Cdn, MediaKind, MediaReference } from './media.ts'

/** A message as a person sees it on a phone. */
export interface Arrived {
  readonly id: string
  /** The author's phone number. */
  readonly from: string
  /** The phone number of the other person, or the id of the group. */
  readonly chat: string
  /** The sending device of the author's account; 0 is the phone. */
  readonly device: number
  readonly type: ArrivedType
  /** The text, caption, emoji of a reaction or question of a poll; null if there is none. */
  readonly text: string | null
  /** The id of the message that is edited, deleted, reacted to or quoted. */
  readonly about: string | null
  /** The decrypted file. Its hashes were compared with those in the message. */
  readonly file: Buffer | null
  readonly content: proto.IMessage
  /** How many times this message arrived. A phone shows it once. */
  times: number
}

type ArrivedType =
  | 'text'
  | MediaKind
  | 'location'
  | 'contact'
  | 'poll'
  | 'vote'
  | 'reaction'
  | 'edit'
  | 'delete'
  | 'pin'
  | 'protocol'
  | 'other'

const MEDIA: Readonly<Record<string, MediaKind>> = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  documentWithCaptionMessage: 'document',
  stickerMessage: 'sticker',
}

const KINDS: Readonly<Record<string, ArrivedType>> = {
  ...MEDIA,
  conversation: 'text',
  extendedTextMessage: 'text',
  locationMessage: 'location',
  contactMessage: 'contact',
  contactsArrayMessage: 'contact',
  pollCreationMessage: 'poll',
  pollCreationMessageV2: 'poll',
  pollCreationMessageV3: 'poll',
  pollUpdateMessage: 'vote',
  reactionMessage: 'reaction',
  pinInChatMessage: 'pin',
}

type Seen = Pick<Arrived, 'type' | 'text' | 'about' | 'file'>
/** The fields that one or more kinds of content have. */
interface AnyContent extends Partial<MediaReference> {
  readonly text?: string | null
  readonly caption?: string | null
  readonly name?: string | null
  readonly displayName?: string | null
  readonly key?: proto.IMessageKey | null
  readonly pollCreationMessageKey?: proto.IMessageKey | null
  readonly contextInfo?: proto.IContextInfo | null
}

/** What a person sees of a message. @throws if its file is missing or does not match its hashes. */
export function see(content: proto.IMessage, cdn: Cdn): Seen {
  const plain = unwrap(content)
  if (plain.protocolMessage) return seeProtocol(plain.protocolMessage)
  const name = getContentType(plain) ?? ''
  const type = KINDS[name] ?? 'other'
  if (typeof plain.conversation === 'string' && name === 'conversation')
    return { type, text: plain.conversation, about: null, file: null }
  const found = ((plain as Record<string, unknown>)[name] ?? {}) as AnyContent
  const media = MEDIA[name]
  return {
    type,
    text: found.text ?? found.caption ?? found.name ?? found.displayName ?? null,
    about: found.key?.id ?? found.pollCreationMessageKey?.id ?? found.contextInfo?.stanzaId ?? null,
    file: media ? cdn.fetch(media, found) : null,
  }
}

function seeProtocol({ type, key, editedMessage }: proto.Message.IProtocolMessage): Seen {
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  const about = key?.id ?? null
  if (type === REVOKE || type === null || type === undefined) return { type: 'delete', text: null, about, file: null }
  if (type !== MESSAGE_EDIT) return { type: 'protocol', text: null, about, file: null }
  const edited = editedMessage ?? {}
  const text = edited.conversation ?? edited.extendedTextMessage?.text ?? edited.imageMessage?.caption ?? null
  return { type: 'edit', text, about, file: null }
}

/** Removes wrappers around the content. */
function unwrap(content: proto.IMessage): proto.IMessage {
  const inner =
    content.documentWithCaptionMessage?.message ??
    content.ephemeralMessage?.message ??
    content.viewOnceMessage?.message ??
    content.editedMessage?.message
  return inner ? unwrap(inner) : content
}
