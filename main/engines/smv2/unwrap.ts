import type { proto } from 'baileys'
import type { Library } from './library.ts'

/** Messages around a message: the inner one is what was said. */
const WRAPPERS = [
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'ephemeralMessage',
  'documentWithCaptionMessage',
  'editedMessage',
  'groupMentionedMessage',
  'botInvokeMessage',
  'botForwardedMessage',
  'botTaskMessage',
  'lottieStickerMessage',
  'eventCoverImage',
  'pollCreationMessageV4',
  'pollCreationOptionImageMessage',
  'associatedChildMessage',
  'statusMentionMessage',
  'statusAddYours',
  'groupStatusMentionMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
  'limitSharingMessage',
  'questionMessage',
  'questionReplyMessage',
] as const satisfies readonly (keyof proto.IMessage)[]

const VIEW_ONCE: ReadonlySet<string> = new Set([
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
] satisfies (typeof WRAPPERS)[number][])

/** Wrappers around wrappers are seldom more than two; a sender could nest them without end. */
const MAX_DEPTH = 8

interface Unwrapped {
  readonly content: proto.IMessage | undefined
  /** It came in a wrapper that says so; a file may say it too. */
  readonly isViewOnce: boolean
}

/** The message inside of its wrappers. The library knows some of them and would report the others as unreadable. */
export function unwrap({ extractMessageContent }: Library, message: proto.IMessage): Unwrapped {
  let content: proto.IMessage = message.deviceSentMessage?.message ?? message
  let isViewOnce = false
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const name = WRAPPERS.find((each) => content[each]?.message)
    const inner = name && content[name]?.message
    if (!name || !inner) break
    isViewOnce ||= VIEW_ONCE.has(name)
    content = inner
  }
  return { content: withHeader(extractMessageContent(content)), isViewOnce }
}

/** The file above an interactive message is what people see of it first. */
function withHeader(content: proto.IMessage | undefined): proto.IMessage | undefined {
  const { header, body } = content?.interactiveMessage ?? {}
  const caption = body?.text ?? ''
  if (header?.imageMessage) return { imageMessage: { ...header.imageMessage, caption } }
  if (header?.videoMessage) return { videoMessage: { ...header.videoMessage, caption } }
  if (header?.documentMessage) return { documentMessage: { ...header.documentMessage, caption } }
  return content
}

/** The secret that what refers to this message, such as a vote, is encrypted with. */
export function secretOf(message: proto.IMessage): Uint8Array | undefined {
  for (let inner: proto.IMessage | null | undefined = message, depth = 0; inner && depth < MAX_DEPTH; depth++) {
    const secret = inner.messageContextInfo?.messageSecret
    if (secret?.length) return secret
    const current: proto.IMessage = inner
    const name = WRAPPERS.find((each) => current[each]?.message)
    inner = inner.deviceSentMessage?.message ?? (name && inner[name]?.message)
  }
  return undefined
}

/** Beside what was said; a key for a group comes in a message of its own. */
const NOT_SAID: ReadonlySet<string> = new Set(['messageContextInfo', 'deviceSentMessage'])

/**
 * A kind of message that is newer than the library: it decodes to nothing, and what it had is missing when that is
 * encoded again.
 */
export function isUnknownKind(library: Library, message: proto.IMessage, bytes: Uint8Array): boolean {
  const { content } = unwrap(library, message)
  const isEmpty = Object.keys(content ?? {}).every((name) => NOT_SAID.has(name))
  return isEmpty && library.proto.Message.encode(message).finish().length < bytes.length
}
