import type { proto } from 'baileys'
import type { MessageContent, UnavailableReason } from '../../contract/message-content.ts'
import type { EngineSignal } from '../engine.ts'
import type { Forwarded, MediaPreview } from '../received.ts'
import type { FileKeys } from './media-cipher.ts'
import { wordsOf } from '../content-words.ts'
import { safeFilename } from '../safe-filename.ts'
import type { Library } from './library.ts'
import { contentOf } from './parse-content.ts'
import { unwrap } from './unwrap.ts'
import { previewOf } from './parse-preview.ts'

type Received = Extract<EngineSignal, { kind: 'received' }>

/** A file in the network's store, as a message describes it. */
export interface FileRef extends Pick<FileKeys, 'type' | 'sha256'> {
  /** null: it lies there as it is, as in channels. */
  readonly encryption: Pick<FileKeys, 'mediaKey' | 'encryptedSha256'> | null
  /** Under which the store has it. */
  readonly path: string
  /** As the sender says. */
  readonly size: number
  readonly mimeType: string
  readonly filename: string | null
  readonly caption: string | null
  readonly preview: MediaPreview | null
}

/** What a decrypted message is, in words of ours; who said it where is not in it. */
export type ParsedMessage =
  | {
      readonly kind: 'received'
      readonly type: Received['type']
      readonly text: string
      readonly file: FileRef | null
      readonly quoted: string | null
      readonly referral: Record<string, unknown> | null
      readonly content: MessageContent | null
      readonly viewOnce: boolean
      readonly forwarded: Forwarded | null
    }
  | { readonly kind: 'vote'; readonly target: string; readonly vote: SealedContent; readonly atMs: number | null }
  | { readonly kind: 'edited'; readonly target: string; readonly text: string }
  /** Encrypted with the secret of the message that it changes. */
  | { readonly kind: 'sealed_edit'; readonly target: string; readonly sealed: SealedContent }
  | { readonly kind: 'deleted'; readonly target: string }
  | { readonly kind: 'reaction'; readonly target: string; readonly emoji: string }
  /** What the phone sends again of a message that came without content. */
  | { readonly kind: 'resent'; readonly messages: readonly Uint8Array[] }
  /** Between devices, or about the conversation: nobody said anything. */
  | { readonly kind: 'nothing' }

/** Encrypted with the secret of the message that it is about. */
export interface SealedContent {
  readonly payload: Uint8Array
  readonly iv: Uint8Array
}

const NOTHING: ParsedMessage = { kind: 'nothing' }

/** A message that arrived and cannot be read. @param kind the network's own name of it. */
export const unavailable = (
  reason: UnavailableReason,
  kind: string | null = null,
): Extract<ParsedMessage, { kind: 'received' }> => ({
  ...{ kind: 'received', type: 'unavailable', text: '', file: null, quoted: null, referral: null },
  content: { type: 'unavailable', reason, kind },
  viewOnce: reason === 'view_once',
  forwarded: null,
})

/** @param message as it was decrypted. */
export function parseMessage(library: Library, message: proto.IMessage): ParsedMessage {
  const { content, isViewOnce } = unwrap(library, message)
  if (!content) return NOTHING
  if (content.protocolMessage) return ofProtocol(library, content.protocolMessage)
  const { reactionMessage, pollUpdateMessage, commentMessage, secretEncryptedMessage } = content
  if (reactionMessage?.key?.id) {
    return { kind: 'reaction', target: reactionMessage.key.id, emoji: reactionMessage.text ?? '' }
  }
  if (pollUpdateMessage) return voteIn(pollUpdateMessage)
  if (secretEncryptedMessage) return sealedEdit(library, secretEncryptedMessage)
  if (commentMessage?.message) return commented(library, commentMessage)
  const type = library.getContentType(content)
  if (type === undefined || SILENT.has(type)) return NOTHING
  return said(content, type, isViewOnce)
}

function voteIn({
  pollCreationMessageKey: key,
  vote,
  senderTimestampMs,
}: proto.Message.IPollUpdateMessage): ParsedMessage {
  if (!key?.id || !vote?.encPayload?.length || !vote.encIv?.length) return NOTHING
  const atMs = Number(String(senderTimestampMs ?? 0))
  return {
    kind: 'vote',
    target: key.id,
    vote: { payload: vote.encPayload, iv: vote.encIv },
    atMs: Number.isSafeInteger(atMs) && atMs > 0 ? atMs : null,
  }
}

/** Of words only. A poll or an event is shown as it was announced. */
function sealedEdit(
  { proto: { Message } }: Library,
  { targetMessageKey: key, secretEncType, encPayload, encIv }: proto.Message.ISecretEncryptedMessage,
): ParsedMessage {
  const isOfWords = secretEncType === Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT
  if (!isOfWords || !key?.id || !encPayload?.length || !encIv?.length) return NOTHING
  return { kind: 'sealed_edit', target: key.id, sealed: { payload: encPayload, iv: encIv } }
}

/** A comment answers the message it is about. */
function commented(library: Library, { message, targetMessageKey }: proto.Message.ICommentMessage): ParsedMessage {
  const words = message ? parseMessage(library, message) : NOTHING
  return words.kind === 'received' ? { ...words, quoted: words.quoted ?? (targetMessageKey?.id || null) } : words
}

/**
 * What is done to something that was said before, and what is only for devices. An album announces pictures that follow
 * as messages of their own.
 */
const SILENT: ReadonlySet<string> = new Set([
  'encReactionMessage',
  'encEventResponseMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'messageHistoryNotice',
  'messageHistoryBundle',
  'albumMessage',
  'callLogMesssage',
  'scheduledCallEditMessage',
  'stickerSyncRmrMessage',
  'placeholderMessage',
  'statusNotificationMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
])

function ofProtocol(
  library: Library,
  { type, key, editedMessage, ...more }: proto.Message.IProtocolMessage,
): ParsedMessage {
  const { Type } = library.proto.Message.ProtocolMessage
  const target = key?.id ?? ''
  switch (type) {
    // The first of the list, which is left out on the wire.
    case null:
    case undefined:
    case Type.REVOKE:
      return target === '' ? NOTHING : { kind: 'deleted', target }
    case Type.MESSAGE_EDIT: {
      const now = editedMessage ? parseMessage(library, editedMessage) : NOTHING
      return now.kind === 'received' && target !== '' ? { kind: 'edited', target, text: now.text } : NOTHING
    }
    case Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE: {
      const results = more.peerDataOperationRequestResponseMessage?.peerDataOperationResult ?? []
      const messages = results.flatMap((each) => each.placeholderMessageResendResponse?.webMessageInfoBytes ?? [])
      return { kind: 'resent', messages }
    }
    default:
      return NOTHING
  }
}

function said(message: proto.IMessage, name: keyof proto.IMessage, isInViewOnce: boolean): ParsedMessage {
  const context = contextOf(message[name])
  const content = contentOf(message)
  const text = textOf(message) || (content ? wordsOf(content) : '')
  const file = fileOf(message)
  const viewOnce = isInViewOnce || isViewOnceFile(message)
  const referral = referralOf(context?.externalAdReply)
  const rest = { text, quoted: context?.stanzaId || null, referral, forwarded: forwardedIn(context) }
  const media = mediaIn(message)
  if (!file && media) return { ...unavailable(viewOnce ? 'view_once' : whyNoFile(media), name), ...rest, viewOnce }
  const type = file?.type ?? typeOf(message, content)
  if (type === 'text' && text === '' && content === null)
    return { ...unavailable('unsupported', name), ...rest, viewOnce }
  return { kind: 'received', type, file, ...rest, content, viewOnce }
}

/** Files of channels have no key. Without a hash they cannot be verified. */
const whyNoFile = (media: NonNullable<ReturnType<typeof mediaIn>>): UnavailableReason =>
  pathOf(media) !== null && !media.mediaKey?.length ? 'unsupported' : 'file_missing'

/** A kind without a word of its own, such as an order, is a text: its content says what it is. */
function typeOf(message: proto.IMessage, content: MessageContent | null): Received['type'] {
  if (message.locationMessage || message.liveLocationMessage) return 'location'
  if (message.contactMessage || message.contactsArrayMessage) return 'contact'
  return content?.type === 'poll' ? 'poll' : 'text'
}

const mediaIn = (message: proto.IMessage) => MEDIA.map((name) => message[name]).find((each) => each)

function isViewOnceFile(message: proto.IMessage): boolean {
  const media = mediaIn(message)
  return !!media && 'viewOnce' in media && media.viewOnce === true
}

function textOf(content: proto.IMessage): string {
  const media = mediaIn(content)
  if (media) return ('caption' in media && media.caption) || ''
  const texts = [
    content.conversation,
    content.extendedTextMessage?.text,
    content.contactMessage?.displayName,
    content.contactsArrayMessage?.displayName,
    // What another program sent, and what somebody chose from it, in words.
    content.interactiveMessage?.body?.text,
    content.listMessage?.description,
    content.listMessage?.title,
    content.buttonsResponseMessage?.selectedDisplayText,
    content.templateButtonReplyMessage?.selectedDisplayText,
    content.listResponseMessage?.title,
    content.interactiveResponseMessage?.body?.text,
    content.orderMessage?.message,
    content.productMessage?.body,
    content.groupInviteMessage?.caption,
    content.newsletterAdminInviteMessage?.caption,
    content.newsletterFollowerInviteMessageV2?.caption,
    content.questionResponseMessage?.text,
    content.statusQuestionAnswerMessage?.text,
    content.stickerPackMessage?.name,
    content.richResponseMessage?.submessages?.map(({ messageText }) => messageText ?? '').join('\n'),
  ]
  return texts.find((text) => text) ?? ''
}

const MEDIA = [
  'imageMessage',
  'videoMessage',
  'ptvMessage',
  'audioMessage',
  'documentMessage',
  'stickerMessage',
] as const
const TYPES: Readonly<Record<(typeof MEDIA)[number], FileKeys['type']>> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}

/** @returns null where there is no file, or too little is said of it to fetch it. */
function fileOf(content: proto.IMessage): FileRef | null {
  const name = MEDIA.find((each) => content[each])
  const media = name && content[name]
  if (!name || !media) return null
  const { mediaKey, fileSha256, fileEncSha256, mimetype } = media
  const path = pathOf(media)
  if (!fileSha256?.length || path === null) return null
  const isEncrypted = mediaKey?.length && fileEncSha256?.length
  return {
    type: TYPES[name],
    ...{ sha256: fileSha256, path },
    encryption: isEncrypted ? { mediaKey, encryptedSha256: fileEncSha256 } : null,
    size: sizeOf(media.fileLength),
    mimeType: mimetype || 'application/octet-stream',
    filename: safeFilename('fileName' in media ? media.fileName : null),
    caption: ('caption' in media && media.caption) || null,
    preview: previewOf(media),
  }
}

/** @param said the library's number of 64 bits. */
function sizeOf(said: unknown): number {
  const size = Number(said ?? 0)
  return Number.isSafeInteger(size) && size > 0 ? size : 0
}

/** Only the path is used: the sender chooses the host of an address in a message. */
function pathOf({ directPath, url }: { directPath?: string | null; url?: string | null }): string | null {
  const path = directPath || (url && URL.parse(url)?.pathname)
  return path?.startsWith('/') && !path.startsWith('//') ? path : null
}

function contextOf(part: unknown): proto.IContextInfo | undefined {
  if (typeof part !== 'object' || part === null || !('contextInfo' in part)) return undefined
  return (part.contextInfo as proto.IContextInfo | null) ?? undefined
}

/** Phones show two arrows from here on. Some write 127 instead of counting further. */
export const FREQUENTLY_FORWARDED = 5

function forwardedIn({ isForwarded, forwardingScore }: proto.IContextInfo = {}): Forwarded | null {
  const score = forwardingScore ?? 0
  if (score >= FREQUENTLY_FORWARDED) return 'frequently'
  return isForwarded === true || score > 0 ? 'forwarded' : null
}

/** Which advertisement led somebody here, in the words the official engine has for it. */
function referralOf(ad: proto.ContextInfo.IExternalAdReplyInfo | null | undefined): Record<string, unknown> | null {
  if (!ad || (!ad.sourceUrl && !ad.ctwaClid)) return null
  return {
    source_url: ad.sourceUrl ?? null,
    source_id: ad.sourceId ?? null,
    source_type: ad.sourceType ?? null,
    headline: ad.title ?? null,
    body: ad.body ?? null,
    ctwa_clid: ad.ctwaClid ?? null,
  }
}
