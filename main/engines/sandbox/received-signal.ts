import type { MediaType } from '../../contract/shapes.ts'
import type { EngineSignal } from '../engine.ts'
import type { Forwarded } from '../received.ts'
import type { Content } from './inbox.ts'
import { isHidden } from './network-ids.ts'

/** A message that is being delivered to the recipient's number. */
export interface MessageInTransit {
  readonly id: string
  readonly author: string
  readonly pushName: string | null
  readonly recipient: string
  readonly group: string | null
  readonly content: Content
}

/** The types that an engine reports; a template from another instance arrives as text. */
const RECEIVED_TYPES: readonly string[] = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
  'unavailable',
]

/** The message as an instance receives it. */
export function toReceivedSignal(
  { id, author, pushName, group, content }: MessageInTransit,
  chat: string,
  fromMe: boolean,
  atMs: number,
): EngineSignal {
  const { type, text, media, quoted, referral, viewOnce = false, details = {} } = content
  return {
    kind: 'received',
    // Checked against the types of the port.
    type: RECEIVED_TYPES.includes(type) ? (type as 'text' | MediaType) : 'text',
    text: text ?? media?.caption ?? '',
    isGroup: group !== null,
    pushName,
    media: media === undefined ? null : { id, ...media },
    quotedEngineMessageId: quoted ?? null,
    participant: group === null ? null : author,
    referral: referral ?? null,
    fromLid: isHidden(author) ? author : null,
    content: content.content ?? null,
    viewOnce,
    forwarded: forwardedIn(details),
    engineMessageId: id,
    chat,
    from: author,
    fromMe,
    atMs,
  }
}

function forwardedIn({
  forwarded,
  frequently_forwarded: isFrequent,
}: NonNullable<Content['details']>): Forwarded | null {
  if (forwarded !== true) return null
  return isFrequent === true ? 'frequently' : 'forwarded'
}
