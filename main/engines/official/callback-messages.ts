import type { MessageContent } from '../../contract/message-content.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { Forwarded } from '../received.ts'
import { safeFilename } from '../safe-filename.ts'
import type { Item, Person, ReceivedMedia, ReceivedType, Said } from './callback-items.ts'
import { AUTHOR, authorOf, merged, personOf, type ContactOf } from './callback-people.ts'
import { secondsAt } from './callback-reading.ts'
import { toError } from './errors.ts'
import { groupName } from './group-id.ts'
import { asRecord, recordAt, recordsAt, textAt, type Json } from './json.ts'
import { unavailableContent, whatItIs } from './received-content.ts'

/** Messages from people, and their reactions, edits and deletions. */

export function readMessage(message: Json, contactOf: ContactOf): Item | null | undefined {
  if (textAt(message, 'type') === 'system') return readSystem(message)
  const contact = contactOf(personOf(message, ...AUTHOR))
  const pushName = contact === undefined ? null : textAt(recordAt(contact, 'profile'), 'name')
  return readSaid(message, authorOf(message, contactOf), false, pushName)
}

const CHANGES: readonly string[] = ['user_changed_number', 'customer_changed_number', 'user_changed_user_id']

/** Meta reports that a person has changed their number. Either number can be hidden. */
function readSystem(message: Json): Item | null | undefined {
  const system = recordAt(message, 'system')
  if (!CHANGES.includes(textAt(system, 'type') ?? '')) return null
  const before = merged(personOf(message, 'from'), personOf(system, 'customer', 'previous_user_id'))
  const after = personOf(
    { ...system, wa_id: textAt(system, 'wa_id') ?? textAt(system, 'new_wa_id') },
    'wa_id',
    'user_id',
  )
  const isNamed = ({ number, userId }: Person) => number !== null || userId !== null
  return isNamed(before) && isNamed(after) ? { kind: 'changed', before, after } : undefined
}

/** A message that was typed in the Business app on the phone. */
export function readEcho(message: Json): Item | null | undefined {
  return readSaid(message, personOf(message, 'to', 'to_user_id'), true, null)
}

export function readSaid(
  message: Json,
  person: Person,
  isEcho: boolean,
  pushName: string | null,
): Item | null | undefined {
  const id = textAt(message, 'id')
  const atMs = secondsAt(message, 'timestamp')
  const type = textAt(message, 'type')
  if (id === null || atMs === null || type === null || (person.number === null && person.userId === null))
    return undefined
  const group = groupName(textAt(message, 'group_id') ?? '')
  const said = { id, person, group, isEcho, atMs }
  // These come from WhatsApp itself, not from a person.
  if (type === 'system' || type === 'request_welcome') return null
  if (type === 'reaction' || type === 'edit' || type === 'revoke') return readAct(message, type, said)
  const { contentType, text, media, content } = contentOf(message, type)
  const context = recordAt(message, 'context')
  const quoted = textAt(context, 'id')
  const referral = recordAt(message, 'referral')
  return {
    kind: 'message',
    ...said,
    type: contentType,
    text,
    pushName,
    media,
    content,
    quoted,
    forwarded: forwardedIn(context),
    referral: Object.keys(referral).length === 0 ? null : referral,
  }
}

function forwardedIn(context: Json): Forwarded | null {
  if (context['frequently_forwarded'] === true) return 'frequently'
  return context['forwarded'] === true ? 'forwarded' : null
}

function readAct(message: Json, type: 'reaction' | 'edit' | 'revoke', said: Said): Item | undefined {
  const act = recordAt(message, type)
  const target = textAt(act, type === 'reaction' ? 'message_id' : 'original_message_id')
  if (target === null) return undefined
  if (type === 'reaction') return { kind: 'reaction', ...said, target, emoji: textAt(act, 'emoji') ?? '' }
  if (type === 'revoke') return { kind: 'deleted', ...said, target }
  const edited = recordAt(act, 'message')
  const { text, media } = contentOf(edited, textAt(edited, 'type') ?? 'text')
  return { kind: 'edited', ...said, target, text: text === '' ? (media?.caption ?? '') : text }
}

interface ReceivedContent {
  readonly contentType: ReceivedType
  readonly text: string
  readonly media: ReceivedMedia | null
  readonly content: MessageContent | null
}

const MEDIA: readonly string[] = ['image', 'video', 'audio', 'document', 'sticker']

function contentOf(message: Json, type: string): ReceivedContent {
  if (type === 'media_placeholder') return noFile(type)
  const content = recordAt(message, type)
  if (MEDIA.includes(type)) return mediaOf(content, type as MediaType)
  const words = Object.hasOwn(WORDS, type) ? WORDS[type]?.(message, content) : undefined
  const contentType = type === 'contacts' ? 'contact' : type === 'location' ? 'location' : 'text'
  return words === undefined
    ? {
        contentType: 'unavailable',
        text: '',
        media: null,
        content: unavailableContent('unsupported', kindOf(message, type)),
      }
    : { contentType, text: words, media: null, content: whatItIs(message, type, content) }
}

/**
 * The first message after a click on an ad, on a number that is also used on a phone. Meta shows it only on the
 * phone.
 */
const ON_PHONE_ONLY = 131_060

/** The kind of a message whose content Meta withholds, if Meta names it. */
function kindOf(message: Json, type: string): string {
  if (type === 'interactive') {
    const answer = textAt(recordAt(recordAt(message, type), 'call_permission_reply'), 'response')
    return answer === null ? type : `call_permission_${answer}`
  }
  if (type !== 'unsupported') return type
  const error = toError(asRecord(recordsAt(message, 'errors')[0]))
  return error?.code === ON_PHONE_ONLY ? 'on_phone_only' : (textAt(recordAt(message, type), 'type') ?? type)
}

/** The text shown for a message, by its type. Types that are missing here cannot be shown. */
const WORDS: Readonly<Record<string, (message: Json, content: Json) => string | undefined>> = {
  text: (_message, content) => textAt(content, 'body') ?? '',
  button: (_message, content) => textAt(content, 'text') ?? '',
  interactive(_message, content) {
    // Ignores replies that are not about the permission to call; Meta may add new kinds.
    if (!REPLIES.includes(textAt(content, 'type') ?? '')) return undefined
    const reply = recordAt(content, textAt(content, 'type') ?? '')
    return textAt(reply, 'title') ?? textAt(reply, 'body') ?? ''
  },
  order: (_message, content) => textAt(content, 'text') ?? '',
  location: (_message, content) =>
    [textAt(content, 'name'), textAt(content, 'address')].filter((words) => words !== null).join(', '),
  contacts: (message) =>
    recordsAt(message, 'contacts')
      .flatMap((contact) => textAt(recordAt(contact, 'name'), 'formatted_name') ?? [])
      .join(', '),
}

const noFile = (kind: string): ReceivedContent => ({
  ...{ contentType: 'unavailable', text: '', media: null },
  content: unavailableContent('file_missing', kind),
})

function mediaOf(content: Json, contentType: MediaType | 'sticker'): ReceivedContent {
  const id = textAt(content, 'id')
  if (id === null) return noFile(contentType)
  const caption = textAt(content, 'caption')
  const mimeType = (textAt(content, 'mime_type') ?? 'application/octet-stream').split(';', 1)[0] ?? ''
  return {
    contentType,
    text: caption ?? '',
    media: { id, mimeType, filename: safeFilename(textAt(content, 'filename')), caption },
    content: null,
  }
}

/** Message types that keep their own type when they are shown. */
const SHOWN_TYPES: readonly string[] = [
  ...['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'order'],
  ...['reaction', 'edit', 'revoke', 'unsupported'],
]
const REPLIES: readonly string[] = ['button_reply', 'list_reply', 'nfm_reply']
const SHOWN_REPLIES: readonly string[] = [...REPLIES, 'call_permission_reply']

export function notedOf(message: Json): string[] {
  const type = textAt(message, 'type') ?? ''
  if (type === 'system') {
    const kind = textAt(recordAt(message, 'system'), 'type') ?? ''
    return CHANGES.includes(kind) ? [] : [`system.${kind}`]
  }
  if (type === 'interactive') {
    const kind = textAt(recordAt(message, type), 'type') ?? ''
    return SHOWN_REPLIES.includes(kind) ? [] : [`interactive.${kind}`]
  }
  return SHOWN_TYPES.includes(type) ? [] : [`messages.${type}`]
}
