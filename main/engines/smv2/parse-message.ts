import type { proto } from 'baileys'
import type { EngineSignal } from '../engine.ts'
import type { FileKeys } from './media-cipher.ts'
import { safeFilename } from '../safe-filename.ts'
import type { Library } from './library.ts'

type Received = Extract<EngineSignal, { kind: 'received' }>

/** A file in the network's store, as a message describes it. */
export interface FileRef extends FileKeys {
  /** Under which the store has it. */
  readonly path: string
  readonly mimeType: string
  readonly filename: string | null
  readonly caption: string | null
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
    }
  | { readonly kind: 'edited'; readonly target: string; readonly text: string }
  | { readonly kind: 'deleted'; readonly target: string }
  | { readonly kind: 'reaction'; readonly target: string; readonly emoji: string }
  /** What the phone sends again of a message that came without content. */
  | { readonly kind: 'resent'; readonly messages: readonly Uint8Array[] }
  /** Between devices, or about the conversation: nobody said anything. */
  | { readonly kind: 'nothing' }

const NOTHING: ParsedMessage = { kind: 'nothing' }

/** @param message as it was decrypted. */
export function parseMessage(library: Library, message: proto.IMessage): ParsedMessage {
  const content = library.extractMessageContent(message.deviceSentMessage?.message ?? message)
  if (!content) return NOTHING
  if (content.protocolMessage) return ofProtocol(library, content.protocolMessage)
  const { reactionMessage } = content
  if (reactionMessage?.key?.id) {
    return { kind: 'reaction', target: reactionMessage.key.id, emoji: reactionMessage.text ?? '' }
  }
  const type = library.getContentType(content)
  if (type === undefined || SILENT.has(type)) return NOTHING
  return said(content, type)
}

/** Votes and the like belong to something that was said before. */
const SILENT: ReadonlySet<string> = new Set([
  'pollUpdateMessage',
  'encReactionMessage',
  'encEventResponseMessage',
  'encCommentMessage',
  'keepInChatMessage',
  'pinInChatMessage',
  'messageHistoryNotice',
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

function said(content: proto.IMessage, type: keyof proto.IMessage): ParsedMessage {
  const context = contextOf(content[type])
  const text = textOf(content)
  const file = fileOf(content)
  return {
    kind: 'received',
    type: typeOf(content, file),
    text,
    file,
    quoted: context?.stanzaId || null,
    referral: referralOf(context?.externalAdReply),
  }
}

function typeOf(content: proto.IMessage, file: FileRef | null): Received['type'] {
  if (file) return file.type
  if (MEDIA.some((name) => content[name])) return 'unavailable'
  if (content.locationMessage || content.liveLocationMessage) return 'location'
  if (content.contactMessage || content.contactsArrayMessage) return 'contact'
  if (pollOf(content)) return 'poll'
  return textOf(content) === '' ? 'unavailable' : 'text'
}

function textOf(content: proto.IMessage): string {
  const place = content.locationMessage ?? content.liveLocationMessage
  if (place) return placeOf(place)
  const media = MEDIA.map((name) => content[name]).find((each) => each)
  if (media) return ('caption' in media && media.caption) || ''
  const texts = [
    content.conversation,
    content.extendedTextMessage?.text,
    content.contactMessage?.displayName,
    content.contactsArrayMessage?.displayName,
    pollOf(content)?.name,
    // What somebody chose from buttons or a list that another program had sent.
    content.buttonsResponseMessage?.selectedDisplayText,
    content.templateButtonReplyMessage?.selectedDisplayText,
    content.listResponseMessage?.title,
    content.interactiveResponseMessage?.body?.text,
    content.groupInviteMessage?.caption,
    content.eventMessage?.name,
  ]
  return texts.find((text) => text) ?? ''
}

const pollOf = (content: proto.IMessage) =>
  content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3

function placeOf(place: proto.Message.ILocationMessage | proto.Message.ILiveLocationMessage): string {
  const named = 'name' in place ? [place.name, place.address].filter((each) => each) : []
  return named.length > 0 ? named.join(', ') : `${place.degreesLatitude ?? 0}, ${place.degreesLongitude ?? 0}`
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
  if (!mediaKey?.length || !fileSha256?.length || !fileEncSha256?.length || path === null) return null
  return {
    type: TYPES[name],
    ...{ mediaKey, sha256: fileSha256, encryptedSha256: fileEncSha256, path },
    mimeType: mimetype || 'application/octet-stream',
    filename: safeFilename('fileName' in media ? media.fileName : null),
    caption: ('caption' in media && media.caption) || null,
  }
}

/** Only the path counts: the host of an address in a message is whatever its sender wrote. */
function pathOf({ directPath, url }: { directPath?: string | null; url?: string | null }): string | null {
  const path = directPath || (url && URL.parse(url)?.pathname)
  return path?.startsWith('/') && !path.startsWith('//') ? path : null
}

function contextOf(part: unknown): proto.IContextInfo | undefined {
  if (typeof part !== 'object' || part === null || !('contextInfo' in part)) return undefined
  return (part.contextInfo as proto.IContextInfo | null) ?? undefined
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
