import { createHash, randomBytes } from 'node:crypto'
import { proto } from 'baileys'
import type { Phone } from '../whatsapp/index.ts'
import { hmac, sealGcm } from './bytes.ts'
import type { Files } from './files.ts'

type Content = proto.IMessage
type Arrived = ReturnType<Phone['received']>[number]
type FileToSend = Parameters<Phone['sendFile']>[1]
type Advertisement = Parameters<Phone['clickAd']>[2]

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

/** Removes wrappers, such as the one around a document with a caption. */
export function unwrap(content: Content): Content {
  const inner =
    content.documentWithCaptionMessage ??
    content.ephemeralMessage ??
    content.viewOnceMessage ??
    content.viewOnceMessageV2 ??
    content.viewOnceMessageV2Extension ??
    content.editedMessage
  return inner?.message ? unwrap(inner.message) : content
}

const MEDIA = {
  image: 'imageMessage',
  video: 'videoMessage',
  audio: 'audioMessage',
  document: 'documentMessage',
  sticker: 'stickerMessage',
} as const

type MediaKind = keyof typeof MEDIA
const MEDIA_KINDS = Object.keys(MEDIA) as MediaKind[]

const mediaIn = (content: Content) => MEDIA_KINDS.find((kind) => content[MEDIA[kind]])

/** The reference to the file in a message. */
export function mediaOf(
  whole: Content,
): { mediaKey?: Uint8Array | null; directPath?: string | null } | null | undefined {
  const content = unwrap(whole)
  const kind = mediaIn(content)
  return kind && content[MEDIA[kind]]
}

const pollIn = ({ pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3 }: Content) =>
  pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3

/** What a person sees of a message. @throws if its file cannot be read. */
export function see(whole: Content, files: Files): Pick<Arrived, 'type' | 'text' | 'about' | 'file'> {
  const content = unwrap(whole)
  const nothing = { text: null, about: null, file: null }
  const { protocolMessage, reactionMessage, pollUpdateMessage, pinInChatMessage } = content
  if (protocolMessage) return seeProtocol(protocolMessage)
  if (reactionMessage)
    return { ...nothing, type: 'reaction', text: reactionMessage.text ?? '', about: reactionMessage.key?.id ?? null }
  if (pollUpdateMessage)
    return { ...nothing, type: 'vote', about: pollUpdateMessage.pollCreationMessageKey?.id ?? null }
  if (pinInChatMessage) return { ...nothing, type: 'pin', about: pinInChatMessage.key?.id ?? null }
  const about = contextOf(content)?.stanzaId ?? null
  const kind = mediaIn(content)
  if (kind) {
    const media = content[MEDIA[kind]] ?? {}
    const text = 'caption' in media ? (media.caption ?? null) : null
    return { type: kind, text, about, file: files.fetch(kind, media) }
  }
  if (content.locationMessage) return { ...nothing, type: 'location', about }
  if (content.contactMessage || content.contactsArrayMessage) return { ...nothing, type: 'contact', about }
  const poll = pollIn(content)
  if (poll) return { ...nothing, type: 'poll', text: poll.name ?? null, about }
  const text = textIn(content)
  return text === null ? { ...nothing, type: 'other' } : { ...nothing, type: 'text', text, about }
}

const textIn = ({ conversation, extendedTextMessage }: Content): string | null =>
  extendedTextMessage?.text ?? (conversation === '' ? null : (conversation ?? null))

function seeProtocol({ type, key, editedMessage }: proto.Message.IProtocolMessage): ReturnType<typeof see> {
  const about = { about: key?.id ?? null, file: null }
  if (type === MESSAGE_EDIT) return { ...about, type: 'edit', text: textIn(editedMessage ?? {}) }
  return { ...about, type: type === REVOKE ? 'delete' : 'protocol', text: null }
}

function contextOf(content: Content): proto.IContextInfo | null | undefined {
  for (const part of Object.values(content) as unknown[])
    if (typeof part === 'object' && part !== null && 'contextInfo' in part && part.contextInfo) return part.contextInfo
  return undefined
}

/** The type that the stanza of a message must have; a server can check it without reading the message. */
export function stanzaTypeOf(whole: Content): string {
  const content = unwrap(whole)
  if (content.reactionMessage) return 'reaction'
  if (pollIn(content) || content.pollUpdateMessage) return 'poll'
  return mediaTypeOf(content) === undefined ? 'text' : 'media'
}

export function mediaTypeOf(content: Content): string | undefined {
  if (content.videoMessage?.gifPlayback) return 'gif'
  if (content.audioMessage?.ptt) return 'ptt'
  if (content.contactMessage) return 'vcard'
  if (content.contactsArrayMessage) return 'contact_array'
  return mediaIn(content)
}

/** The attribute with which a server recognizes edits and deletions. */
export function editOf({ protocolMessage }: Content, isOwn: boolean): string | undefined {
  if (protocolMessage?.type === MESSAGE_EDIT) return '1'
  if (protocolMessage?.type !== REVOKE) return undefined
  return isOwn ? '7' : '8'
}

/** A message that other messages can refer to, from one person's view. */
export interface Known {
  readonly id: string
  /** The address of the chat, from this person's view. */
  readonly chat: string
  readonly isOwn: boolean
  /** The address of the author, as the chat names people. */
  readonly author: string
  /** Whether the message key contains the author, which is so only in groups. */
  readonly isInGroup: boolean
  readonly content: Content
  readonly atSeconds: number
}

export const keyOf = ({ id, chat, isOwn, author, isInGroup }: Known): proto.IMessageKey => ({
  ...{ remoteJid: chat, fromMe: isOwn, id },
  ...(isInGroup && !isOwn && { participant: author }),
})

export function textOf(words: string, quoted: Known | undefined): Content {
  if (!quoted) return { conversation: words }
  const contextInfo = { stanzaId: quoted.id, participant: quoted.author, quotedMessage: quoted.content }
  return { extendedTextMessage: { text: words, contextInfo } }
}

export const adClick = (words: string, ad: Advertisement): Content => ({
  extendedTextMessage: {
    text: words,
    contextInfo: {
      conversionSource: 'FB_Ads',
      entryPointConversionSource: 'ctwa_ad',
      externalAdReply: { ...ad, sourceType: 'ad', showAdAttribution: true },
    },
  },
})

export const editTo = (known: Known, words: string): Content => ({
  protocolMessage: {
    ...{ type: MESSAGE_EDIT, key: keyOf(known), timestampMs: Date.now() },
    editedMessage: { conversation: words },
  },
})

export const deletionOf = (known: Known): Content => ({ protocolMessage: { type: REVOKE, key: keyOf(known) } })

export const reactionTo = (known: Known, emoji: string): Content => ({
  reactionMessage: { key: keyOf(known), text: emoji, senderTimestampMs: Date.now() },
})

/** @throws if the message is not a poll, or has no such option. */
export function voteIn(poll: Known, voter: string, choices: readonly string[]): Content {
  const { options } = pollIn(unwrap(poll.content)) ?? {}
  if (!options) throw new Error(`${poll.id} is no poll`)
  for (const choice of choices)
    if (!options.some(({ optionName }) => optionName === choice)) throw new Error(`the poll has no option ${choice}`)
  const selectedOptions = choices.map((choice) => createHash('sha256').update(choice).digest())
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const secret = poll.content.messageContextInfo?.messageSecret ?? Buffer.alloc(32)
  const use = Buffer.concat([Buffer.from(`${poll.id}${poll.author}${voter}Poll Vote`), Buffer.from([1])])
  const key = hmac(hmac(Buffer.alloc(32), secret), use)
  const encIv = randomBytes(12)
  const vote = { encIv, encPayload: sealGcm(key, encIv, plain, Buffer.from(`${poll.id}\0${voter}`)) }
  return {
    pollUpdateMessage: { pollCreationMessageKey: keyOf(poll), vote, senderTimestampMs: Date.now() },
  }
}

export function fileOf(files: Files, sent: FileToSend, quoted: Known | undefined): Content {
  const { kind, bytes, mimeType, caption, fileName, isVoice, about = {} } = sent
  const placed = files.publish(kind, bytes)
  const contextInfo = quoted && {
    contextInfo: { stanzaId: quoted.id, participant: quoted.author, quotedMessage: quoted.content },
  }
  const media = {
    ...placed,
    ...{ mimetype: mimeType, mediaKeyTimestamp: Math.floor(Date.now() / 1_000), ...contextInfo },
    ...(caption !== undefined && { caption }),
    ...(fileName !== undefined && { fileName }),
    ...(kind === 'audio' && { ptt: isVoice ?? false, seconds: 1 }),
    ...about,
  }
  const content = { [MEDIA[kind]]: media } as Content
  return kind === 'document' && caption !== undefined ? { documentWithCaptionMessage: { message: content } } : content
}
