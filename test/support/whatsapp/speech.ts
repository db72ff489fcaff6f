import { randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import type { Cdn, MediaKind } from './media.ts'
import { newSecret } from './message-secret.ts'

/** A file to send. */
export interface FileToSend {
  readonly kind: MediaKind
  readonly bytes: Buffer
  readonly mimeType: string
  readonly caption?: string
  readonly fileName?: string
  /** Whether it was recorded as a voice note. */
  readonly isVoice?: boolean
  /** Further details that the phone adds. */
  readonly about?: Pick<proto.Message.IAudioMessage, 'seconds' | 'waveform'> &
    Pick<proto.Message.IImageMessage, 'jpegThumbnail'>
}

/** A message that other messages can refer to. */
export interface Known {
  readonly key: proto.IMessageKey
  /** The address of its author. */
  readonly author: string
  readonly content: proto.IMessage
  readonly atSeconds: number
}

/** The advertisement that a person clicked before writing. */
export interface Advertisement {
  readonly title: string
  readonly body: string
  readonly sourceUrl: string
  readonly sourceId: string
}

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type

export function text(words: string, quoted?: Known): proto.IMessage {
  const messageContextInfo = newSecret()
  if (quoted === undefined) return { conversation: words, messageContextInfo }
  const contextInfo = { stanzaId: quoted.key.id ?? null, participant: quoted.author, quotedMessage: quoted.content }
  return { extendedTextMessage: { text: words, contextInfo }, messageContextInfo }
}

export function clickedAd(words: string, { title, body, sourceUrl, sourceId }: Advertisement): proto.IMessage {
  const externalAdReply = { title, body, sourceUrl, sourceId, sourceType: 'ad', sourceApp: 'facebook' }
  return { extendedTextMessage: { text: words, contextInfo: { conversionSource: 'FB_Ads', externalAdReply } } }
}

export const reaction = (to: Known, emoji: string): proto.IMessage => ({
  reactionMessage: { key: to.key, text: emoji, senderTimestampMs: Date.now() },
})

export const deletion = (of: Known): proto.IMessage => ({ protocolMessage: { type: REVOKE, key: of.key } })

export const edit = (of: Known, words: string): proto.IMessage => ({
  protocolMessage: {
    type: MESSAGE_EDIT,
    key: of.key,
    editedMessage: { conversation: words },
    timestampMs: Date.now(),
  },
})

export function file(cdn: Cdn, sent: FileToSend): proto.IMessage {
  const { kind, bytes, mimeType: mimetype, caption, fileName, isVoice, about = {} } = sent
  const common = { ...cdn.publish(kind, bytes), mimetype, mediaKeyTimestamp: Math.floor(Date.now() / 1_000) }
  const captioned = caption === undefined ? {} : { caption }
  switch (kind) {
    case 'image':
      return { imageMessage: { ...common, ...captioned, height: 10, width: 10, ...about } }
    case 'video':
      return { videoMessage: { ...common, ...captioned, seconds: 1, ...about } }
    case 'audio':
      return { audioMessage: { ...common, seconds: 1, ptt: isVoice ?? false, ...about } }
    case 'document':
      return { documentMessage: { ...common, ...captioned, fileName: fileName ?? 'file', title: fileName ?? 'file' } }
    case 'sticker':
      return { stickerMessage: { ...common, height: 512, width: 512 } }
  }
}

/** The type that the stanza of this content must have. */
export function stanzaType(content: proto.IMessage): 'text' | 'media' | 'reaction' | 'poll' {
  if (content.reactionMessage) return 'reaction'
  if (content.pollCreationMessage ?? content.pollCreationMessageV3 ?? content.pollUpdateMessage) return 'poll'
  const media =
    content.imageMessage ??
    content.videoMessage ??
    content.audioMessage ??
    content.documentMessage ??
    content.stickerMessage ??
    content.contactMessage
  return media ? 'media' : 'text'
}

/** The attribute with which a stanza marks an edit or a deletion. */
export function editAttribute(content: proto.IMessage): string | undefined {
  if (!content.protocolMessage) return undefined
  return content.protocolMessage.type === MESSAGE_EDIT ? '1' : '7'
}

/** A message id in the format of phones. */
export const newMessageId = (): string => `3A${randomBytes(9).toString('hex').toUpperCase()}`
