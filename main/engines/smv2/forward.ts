import type { proto } from 'baileys'
import type { MessageContent } from '../../contract/message-content.ts'
import { MEDIA_TYPES } from '../../contract/shapes.ts'
import type { EngineInstance, FileType, ForwardedMessage, Outgoing } from '../engine.ts'
import type { Library } from './library.ts'
import type { MediaStore } from './media-store.ts'
import { contactsOf, vcardOf } from './outgoing-content.ts'
import { FREQUENTLY_FORWARDED, parseMessage } from './parse-message.ts'
import type { Sent } from './sent.ts'

interface ForwardNeeds {
  readonly sent: Pick<Sent, 'messageOf'>
  readonly store: Pick<MediaStore, 'find' | 'messageOf'>
}

type Sendable = Exclude<Outgoing, { kind: 'cloud_api' } | ForwardedMessage>

/** What is passed on: as the network writes it, or to be written as a new message. */
type PassedOn =
  | { readonly kind: 'message'; readonly message: proto.IMessage; readonly context: proto.IContextInfo }
  | { readonly kind: 'content'; readonly out: Sendable; readonly context: proto.IContextInfo }

export type Forwards = (
  library: Library,
  instance: EngineInstance,
  wanted: ForwardedMessage,
) => Promise<PassedOn | undefined>

/**
 * Finds what a forwarded message consists of. A file is named by the keys it came or went with, so it is not uploaded
 * again; only where these are not kept, the stored file is.
 */
export function createForwards({ sent, store }: ForwardNeeds): Forwards {
  async function withFile(library: Library, instance: EngineInstance, wanted: ForwardedMessage, type: FileType) {
    const kept = (await ownMessage(instance, wanted)) ?? (await receivedMessage(library, instance, wanted))
    const found = kept && hasEncryptedFile(library, kept) ? contentOf(library, kept) : undefined
    if (found) return found
    const { to, text, mediaId, isFrequent } = wanted
    const stored = mediaId === null ? undefined : await store.find(instance, mediaId)
    if (stored?.kind !== 'file') return undefined
    const { mimeType, filename, content } = stored.file
    const caption = text === '' ? null : text
    return toWrite({ kind: 'media', to, mediaType: type, mimeType, filename, content, caption }, contextFor(isFrequent))
  }

  const ownMessage = async ({ id }: EngineInstance, { original }: ForwardedMessage) =>
    original.isOwn ? sent.messageOf(id, original.engineMessageId) : undefined

  async function receivedMessage({ proto }: Library, instance: EngineInstance, { mediaId }: ForwardedMessage) {
    const bytes = mediaId === null ? undefined : await store.messageOf(instance, mediaId)
    return bytes && proto.WebMessageInfo.decode(bytes).message
  }

  return async function find(library, instance, wanted) {
    const { type, to, text, details, isFrequent } = wanted
    const context = contextFor(isFrequent)
    const fileType = FILE_TYPES.find((each) => each === type)
    if (fileType !== undefined) return withFile(library, instance, wanted, fileType)
    switch (details?.type) {
      case 'contacts':
        return { kind: 'message', message: cardsOf(details), context }
      case 'location': {
        const { latitude, longitude, name, address } = details
        return toWrite({ kind: 'location', to, latitude, longitude, name, address }, context)
      }
      case 'poll': {
        const { question, options, max_choices: most } = details
        return toWrite({ kind: 'poll', to, question, options, maxChoices: most ?? options.length }, context)
      }
      case 'link': {
        const { url, title, description } = details
        return toWrite({ kind: 'text', to, text, preview: { url, title, description } }, context)
      }
      default:
        return text === '' ? undefined : toWrite({ kind: 'text', to, text }, context)
    }
  }
}

const FILE_TYPES: readonly FileType[] = [...MEDIA_TYPES, 'sticker']

/** How often it was forwarded is not kept, only that it was often. */
const contextFor = (isFrequent = false): proto.IContextInfo => ({
  isForwarded: true,
  forwardingScore: isFrequent ? FREQUENTLY_FORWARDED : 1,
})

const toWrite = (out: Sendable, context: proto.IContextInfo): PassedOn => ({ kind: 'content', out, context })

/** A file of a channel is not encrypted, and cannot be named in a chat that is. */
function hasEncryptedFile(library: Library, message: proto.IMessage): boolean {
  const parsed = parseMessage(library, message)
  return parsed.kind !== 'received' || parsed.file === null || parsed.file.encryption !== null
}

/** The content alone, without what it answered, how long it is kept, and its secret. */
function contentOf(library: Library, message: proto.IMessage): PassedOn | undefined {
  const content = library.normalizeMessageContent(message) ?? {}
  const part = library.getContentType(content)
  const said = part && content[part]
  if (part === undefined || typeof said !== 'object' || said === null) return undefined
  const before = 'contextInfo' in said ? said.contextInfo?.forwardingScore : null
  const context = { isForwarded: true, forwardingScore: (before ?? 0) + 1 }
  return { kind: 'message', message: { [part]: said }, context }
}

function cardsOf({ contacts }: Extract<MessageContent, { type: 'contacts' }>): proto.IMessage {
  const cards = contacts.map(({ name, numbers, vcard }) => ({
    displayName: name,
    vcard: vcard ?? vcardOf({ name, number: numbers[0]?.replaceAll(/\D/g, '') ?? '' }),
  }))
  return contactsOf(cards)
}
