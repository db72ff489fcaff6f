import type { MessageContent } from '../../contract/message-content.ts'
import { safeFilename } from '../safe-filename.ts'
import type { MediaType } from '../../contract/shapes.ts'
import type { Price } from '../price.ts'
import type { Forwarded } from '../received.ts'
import { unavailableContent, whatItIs } from './received-content.ts'
import { readAccountUpdate } from './account-updates.ts'
import { readAddressBook, readHistory } from './app-data.ts'
import type { NoticeField } from './notices.ts'
import { toError } from './errors.ts'
import { groupName } from './group-id.ts'
import {
  TEMPLATE_FIELDS,
  type Item,
  type Person,
  type ReceivedMedia,
  type ReceivedType,
  type Said,
} from './callback-items.ts'
import { asRecord, digitsOf, integerAt, parseRecord, recordAt, recordsAt, textAt, type Json } from './json.ts'

/** A change of a batch, and whom it concerns: a number of Meta's, a number as people write it, or the whole account. */
export interface Change {
  readonly wabaId: string
  readonly phoneNumberId: string | null
  readonly displayNumber: string | null
  readonly items: readonly Item[]
  /** What could not be read, by its place in the change; never a reason to leave out the rest. */
  readonly problems: readonly string[]
  /** What nothing here acts on: the field, or kinds within it as `field.list.kind`. */
  readonly noted: readonly string[]
}

/** @returns undefined when the bytes are not a callback of a WhatsApp business account at all. */
export function parseCallback(body: Uint8Array, receivedAtMs: number): readonly Change[] | undefined {
  const read = parseRecord(Buffer.from(body))
  if (read === undefined || textAt(read, 'object') !== 'whatsapp_business_account') return undefined
  if (!Array.isArray(read['entry'])) return undefined
  return recordsAt(read, 'entry').flatMap((entry) => {
    const wabaId = textAt(entry, 'id') ?? ''
    const changes = recordsAt(entry, 'changes')
    return changes.map((change) => readChange(wabaId, change, secondsAt(entry, 'time') ?? receivedAtMs))
  })
}

function readChange(wabaId: string, change: Json, atMs: number): Change {
  const field = textAt(change, 'field') ?? ''
  const value = recordAt(change, 'value')
  const metadata = recordAt(value, 'metadata')
  const display = textAt(value, 'display_phone_number') ?? textAt(metadata, 'display_phone_number')
  const scope = {
    wabaId,
    phoneNumberId: textAt(metadata, 'phone_number_id') ?? textAt(recordAt(value, 'recipient'), 'phone_number_id'),
    displayNumber: display === null ? null : digitsOf(display),
  }
  const reader = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined
  // Meta has many more fields, and adds some every year; what nobody here needs is no problem.
  if (reader === undefined) return { ...scope, items: [], problems: [], noted: field === '' ? [] : [field] }
  const { items, problems, noted = [] } = reader(value, atMs)
  return { ...scope, items, problems, noted: noted.map((kind) => `${field}.${kind}`) }
}

interface Reading {
  readonly items: readonly Item[]
  readonly problems: readonly string[]
  readonly noted?: readonly string[]
}

const GROUP_FIELDS = [
  ...['group_lifecycle_update', 'group_participants_update', 'group_settings_update', 'group_status_update'],
] as const

const NOTICE_FIELDS = [
  'account_alerts',
  'account_review_update',
  'security',
  'phone_number_name_update',
  'business_username_update',
] as const satisfies readonly NoticeField[]

const FIELDS: Readonly<Record<string, (value: Json, atMs: number) => Reading>> = {
  messages: readMessages,
  standby: readStandby,
  messaging_handovers: readHandover,
  calls: readCalls,
  user_preferences: readPreferences,
  smb_message_echoes: (value) => {
    const echoes = recordsAt(value, 'message_echoes')
    return { ...each(echoes, 'message_echoes', readEcho), noted: echoes.flatMap(notedOf) }
  },
  history(value) {
    const own = textAt(recordAt(value, 'metadata'), 'display_phone_number')
    return readHistory(value, own === null ? null : digitsOf(own), (...said) => readSaid(...said, null))
  },
  smb_app_state_sync: readAddressBook,
  phone_number_quality_update: (value, atMs) => ({ items: [{ kind: 'quality', value, atMs }], problems: [] }),
  business_capability_update: (value, atMs) => ({ items: [{ kind: 'capability', value, atMs }], problems: [] }),
  ...Object.fromEntries(
    TEMPLATE_FIELDS.map((field) => [
      field,
      (value: Json, atMs: number) => ({ items: [{ kind: 'template' as const, field, value, atMs }], problems: [] }),
    ]),
  ),
  ...Object.fromEntries(GROUP_FIELDS.map((field) => [field, readGroups])),
  ...Object.fromEntries(
    NOTICE_FIELDS.map((field) => [
      field,
      (value: Json, atMs: number) => ({ items: [{ kind: 'notice' as const, field, value, atMs }], problems: [] }),
    ]),
  ),
  account_update(value, atMs) {
    const isActedUpon = readAccountUpdate(value, atMs).kind !== 'nothing'
    const event = textAt(value, 'event') ?? ''
    return { items: [{ kind: 'account', value, atMs }], problems: [], noted: isActedUpon ? [] : [event] }
  },
}

function readGroups(value: Json, atMs: number): Reading {
  return each(recordsAt(value, 'groups'), 'groups', (group) => {
    const type = textAt(group, 'type')
    return type === null
      ? undefined
      : { kind: 'group', type, value: group, atMs: secondsAt(group, 'timestamp') ?? atMs }
  })
}

/** Who is who comes first: what is said afterwards is said by somebody who is known then. */
function readMessages(value: Json, atMs: number): Reading {
  const contacts = recordsAt(value, 'contacts')
  const recipients = recordsAt(value, 'statuses').map(recipientOf)
  const contactOf = findContact(contacts)
  const sharing = recordsAt(value, 'messages').filter((message) => sharedNumber(message) !== null)
  const sharers = sharing.map((message) => authorOf(message, contactOf))
  const named = contacts.map((contact) => personOf(contact, 'wa_id', 'user_id'))
  const known = [...named, ...recipients, ...sharers].flatMap(({ number, userId }): Item[] =>
    number !== null && userId !== null ? [{ kind: 'known', number, userId }] : [],
  )
  const messages = each(recordsAt(value, 'messages'), 'messages', (message) => readMessage(message, contactOf))
  const statuses = each(recordsAt(value, 'statuses'), 'statuses', readStatus)
  const errors = recordsAt(value, 'errors').flatMap((one): Item[] => {
    const error = toError(one)
    return error === undefined ? [] : [{ kind: 'number_error', error, atMs }]
  })
  return {
    items: [...known, ...messages.items, ...statuses.items, ...errors, ...contacts.flatMap(usernameOf)],
    problems: [...messages.problems, ...statuses.problems],
    noted: [...recordsAt(value, 'messages').flatMap(notedOf), ...recordsAt(value, 'statuses').flatMap(notedStatus)],
  }
}

function usernameOf(contact: Json): Item[] {
  const person = personOf(contact, 'wa_id', 'user_id')
  const username = textAt(recordAt(contact, 'profile'), 'username')
  if (username === null || !USERNAME.test(username) || namesOf(person).length === 0) return []
  return [{ kind: 'username', person, username: username.toLowerCase() }]
}

/**
 * A chat that Meta Business Agent answers. What people write, and what the agent answers, is shown; our own agents keep
 * out of it. Some versions put the lists under `standby`.
 */
function readStandby(value: Json, atMs: number): Reading {
  const inner = { ...value, ...recordAt(value, 'standby') }
  const { items, problems, noted = [] } = readMessages({ ...inner, statuses: [] }, atMs)
  const echoes = each(recordsAt(inner, 'message_echoes'), 'message_echoes', readEcho)
  const said = [...items, ...echoes.items].flatMap((item): Item[] => {
    if (item.kind !== 'message') return [item]
    return [{ kind: 'handover', person: item.person, to: 'network_agent', atMs: item.atMs }, item]
  })
  const statuses = recordsAt(inner, 'statuses').map(() => 'statuses')
  return { items: said, problems: [...problems, ...echoes.problems], noted: [...noted, ...statuses] }
}

const META_AGENT = 'meta_business_agent'

/** Control of a chat changes. It names the person as `sender`, and the number as `recipient`. */
function readHandover(value: Json, atMs: number): Reading {
  const person = personOf(recordAt(value, 'sender'), 'phone_number', 'user_id')
  const passed = { ...recordAt(value, 'control_passed'), ...recordAt(value, 'control_taken') }
  const owners = [textAt(passed, 'new_owner_app_role'), textAt(passed, 'previous_owner_app_role')]
  if (!owners.includes(META_AGENT)) return { items: [], problems: [], noted: [textAt(value, 'type') ?? 'other'] }
  if (person.number === null && person.userId === null) return { items: [], problems: ['sender'] }
  const to = owners[0] === META_AGENT ? 'network_agent' : 'us'
  return { items: [{ kind: 'handover', person, to, atMs: secondsAt(value, 'timestamp') ?? atMs }], problems: [] }
}

/** Kinds of messages that are shown as what they are. */
const SHOWN_TYPES: readonly string[] = [
  ...['text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'order'],
  ...['reaction', 'edit', 'revoke', 'unsupported'],
]
const REPLIES: readonly string[] = ['button_reply', 'list_reply', 'nfm_reply']
const SHOWN_REPLIES: readonly string[] = [...REPLIES, 'call_permission_reply']

function notedOf(message: Json): string[] {
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

function notedStatus(status: Json): string[] {
  const word = textAt(status, 'status')
  const isRead = word === null || word === 'failed' || Object.hasOwn(STATUSES, word)
  return isRead ? [] : [`statuses.${word}`]
}

/** A call that begins or ends, and what becomes of one that rings. */
function readCalls(value: Json): Reading {
  const calls = each(recordsAt(value, 'calls'), 'calls', readCall)
  const statuses = each(recordsAt(value, 'statuses'), 'statuses', readCallStatus)
  return { items: [...calls.items, ...statuses.items], problems: [...calls.problems, ...statuses.problems] }
}

function readCall(call: Json): Item | null | undefined {
  const networkId = textAt(call, 'id')
  const atMs = secondsAt(call, 'timestamp')
  if (networkId === null || atMs === null) return undefined
  if (textAt(call, 'event') === 'terminate') {
    const failed = textAt(call, 'status') === 'FAILED'
    return { kind: 'call', event: { kind: 'ended', networkId, failed }, atMs }
  }
  const sdp = textAt(recordAt(call, 'session'), 'sdp')
  if (textAt(call, 'event') !== 'connect' || sdp === null) return undefined
  if (textAt(call, 'direction') !== 'USER_INITIATED')
    return { kind: 'call', event: { kind: 'answer', networkId, sdp }, atMs }
  const from = digitsOf(textAt(call, 'from') ?? '')
  return { kind: 'call', event: { kind: 'offered', networkId, from, sdp }, atMs }
}

const CALL_STATUSES: Readonly<Record<string, 'ringing' | 'accepted' | 'rejected'>> = {
  RINGING: 'ringing',
  ACCEPTED: 'accepted',
  REJECTED: 'rejected',
}

function readCallStatus(status: Json): Item | null | undefined {
  const networkId = textAt(status, 'id')
  const atMs = secondsAt(status, 'timestamp')
  const word = textAt(status, 'status')
  if (networkId === null || atMs === null || word === null) return undefined
  const kind = Object.hasOwn(CALL_STATUSES, word) ? CALL_STATUSES[word] : undefined
  return kind === undefined ? null : { kind: 'call', event: { kind, networkId }, atMs }
}

function readPreferences(value: Json): Reading {
  const preferences = recordsAt(value, 'user_preferences')
  const noted = preferences.flatMap((preference) => {
    const category = textAt(preference, 'category') ?? ''
    return category === 'marketing_messages' ? [] : [category]
  })
  const reading = each(preferences, 'user_preferences', (preference) => {
    // Other categories are none of a campaign's concern.
    if (textAt(preference, 'category') !== 'marketing_messages') return null
    const person = personOf(preference, 'wa_id', 'user_id')
    const atMs = secondsAt(preference, 'timestamp')
    const word = textAt(preference, 'value')
    const isNobody = person.number === null && person.userId === null
    if (isNobody || atMs === null || (word !== 'stop' && word !== 'resume')) return undefined
    return { kind: 'marketing', person, wants: word === 'resume', atMs }
  })
  return { ...reading, noted }
}

/** @param read returns undefined for what it cannot parse, null for what does not concern us. */
function each(list: readonly Json[], name: string, read: (one: Json) => Item | null | undefined): Reading {
  const items: Item[] = []
  const problems: string[] = []
  for (const [i, one] of list.entries()) {
    const item = read(one)
    if (item === undefined) problems.push(`${name}[${i}]`)
    else if (item !== null) items.push(item)
  }
  return { items, problems }
}

const STATUSES: Readonly<Record<string, 'sent' | 'delivered' | 'read'>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
}

function readStatus(status: Json): Item | null | undefined {
  const id = textAt(status, 'id')
  const atMs = secondsAt(status, 'timestamp')
  const word = textAt(status, 'status')
  if (id === null || atMs === null || word === null) return undefined
  const opaque = textAt(status, 'biz_opaque_callback_data')
  if (word === 'failed') {
    const error = toError(asRecord(recordsAt(status, 'errors')[0])) ?? { code: 0, details: '' }
    return { kind: 'failed', id, opaque, error, atMs }
  }
  const known = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined
  // Such as `deleted` and `warning`: nothing of ours changes by it.
  if (known === undefined) return null
  const { number: recipient } = recipientOf(status)
  return { kind: 'status', id, opaque, status: known, atMs, recipient, price: readPrice(status) }
}

/** Of a message to a group Meta names the group, and who of it has received or read the message. */
const recipientOf = (status: Json): Person =>
  textAt(status, 'recipient_type') === 'group'
    ? personOf(status, 'recipient_participant_id', 'recipient_participant_user_id')
    : personOf(status, 'recipient_id', 'recipient_user_id')

/** Of values that are longer than any of Meta's, the beginning is kept. */
const PRICE_WORD_LENGTH = 64

function readPrice(status: Json): Price | null {
  const pricing = recordAt(status, 'pricing')
  const word = (name: string) => textAt(pricing, name)?.slice(0, PRICE_WORD_LENGTH) ?? null
  const [category, type, model] = [word('category'), word('type'), word('pricing_model')]
  const billable = typeof pricing['billable'] === 'boolean' ? pricing['billable'] : null
  const isEmpty = category === null && type === null && billable === null
  return isEmpty ? null : { category, type, model, billable }
}

type ContactOf = (person: Person) => Json | undefined

/** A message without a name of its own is of the only contact. Of several with one number or id, the first is meant. */
function findContact(contacts: readonly Json[]): ContactOf {
  const places = new Map<string, number>()
  for (const [at, contact] of contacts.entries())
    for (const name of namesOf(personOf(contact, 'wa_id', 'user_id'))) if (!places.has(name)) places.set(name, at)
  return (person) => {
    const found = namesOf(person).flatMap((name) => places.get(name) ?? [])
    return contacts[found.length > 0 ? Math.min(...found) : contacts.length === 1 ? 0 : -1]
  }
}

/** As keys: a number and an id are never the same. */
const namesOf = ({ number, userId }: Person): string[] => [
  ...(number === null ? [] : [`number ${number}`]),
  ...(userId === null ? [] : [`id ${userId}`]),
]

function readMessage(message: Json, contactOf: ContactOf): Item | null | undefined {
  if (textAt(message, 'type') === 'system') return readSystem(message)
  const contact = contactOf(personOf(message, ...AUTHOR))
  const pushName = contact === undefined ? null : textAt(recordAt(contact, 'profile'), 'name')
  return readSaid(message, authorOf(message, contactOf), false, pushName)
}

const AUTHOR = ['from', 'from_user_id', 'user_id'] as const

function authorOf(message: Json, contactOf: ContactOf): Person {
  const person = personOf(message, ...AUTHOR)
  const contact = contactOf(person)
  const whole = contact === undefined ? person : merged(person, personOf(contact, 'wa_id', 'user_id'))
  return merged(whole, { number: sharedNumber(message), userId: null })
}

/** The sender's own number, which we asked for. A contact that is shared without a request is of another person. */
function sharedNumber(message: Json): string | null {
  if (textAt(message, 'origin') !== 'contact_request') return null
  const [card, ...others] = recordsAt(message, 'contacts')
  const [phone, ...more] = recordsAt(card ?? {}, 'phones')
  if (phone === undefined || others.length > 0 || more.length > 0) return null
  return personOf(phone, 'wa_id').number ?? personOf(phone, 'phone').number
}

const CHANGES: readonly string[] = ['user_changed_number', 'customer_changed_number', 'user_changed_user_id']

/** The service reports that somebody has another number. The new one may be hidden, and so may the old one. */
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

/** What was typed in the Business app on the phone. */
function readEcho(message: Json): Item | null | undefined {
  return readSaid(message, personOf(message, 'to', 'to_user_id'), true, null)
}

function readSaid(message: Json, person: Person, isEcho: boolean, pushName: string | null): Item | null | undefined {
  const id = textAt(message, 'id')
  const atMs = secondsAt(message, 'timestamp')
  const type = textAt(message, 'type')
  if (id === null || atMs === null || type === null || (person.number === null && person.userId === null))
    return undefined
  const group = groupName(textAt(message, 'group_id') ?? '')
  const said = { id, person, group, isEcho, atMs }
  // Reported by the service and not by a person.
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

/** The first message after a click on an ad, to a number that is also used on a phone: it is on the phone alone. */
const ON_PHONE_ONLY = 131_060

/** What a message is that Meta does not hand out, as far as Meta says so. */
function kindOf(message: Json, type: string): string {
  if (type === 'interactive') {
    const answer = textAt(recordAt(recordAt(message, type), 'call_permission_reply'), 'response')
    return answer === null ? type : `call_permission_${answer}`
  }
  if (type !== 'unsupported') return type
  const error = toError(asRecord(recordsAt(message, 'errors')[0]))
  return error?.code === ON_PHONE_ONLY ? 'on_phone_only' : (textAt(recordAt(message, type), 'type') ?? type)
}

/** What a message says in words, by its type; a type that is not here cannot be shown. */
const WORDS: Readonly<Record<string, (message: Json, content: Json) => string | undefined>> = {
  text: (_message, content) => textAt(content, 'body') ?? '',
  button: (_message, content) => textAt(content, 'text') ?? '',
  interactive(_message, content) {
    // An answer to a request for permission to call, and what Meta may add.
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

const DIGITS = /^[0-9]{7,15}$/
const USERNAME = /^[A-Za-z0-9._]{3,35}$/

function personOf(from: Json, numberField: string, ...userFields: readonly string[]): Person {
  const number = digitsOf(textAt(from, numberField) ?? '')
  const userId = userFields.map((field) => textAt(from, field)).find((id) => id !== null) ?? null
  return { number: DIGITS.test(number) ? number : null, userId }
}

const merged = (one: Person, other: Person): Person => ({
  number: one.number ?? other.number,
  userId: one.userId ?? other.userId,
})

/** Meta writes times as seconds, mostly as text. */
function secondsAt(from: Json, name: string): number | null {
  const seconds = integerAt(from, name)
  return seconds === null || seconds <= 0 ? null : seconds * 1_000
}
