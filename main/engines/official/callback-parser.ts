import { readAccountUpdate } from './account-updates.ts'
import { readAddressBook, readHistory } from './app-data.ts'
import { readCalls } from './callback-calls.ts'
import { TEMPLATE_FIELDS, type Item } from './callback-items.ts'
import { notedOf, readEcho, readMessage, readSaid } from './callback-messages.ts'
import { authorOf, findContact, namesOf, personOf, sharedNumber } from './callback-people.ts'
import { each, secondsAt, type Reading } from './callback-reading.ts'
import { notedStatus, readStatus, recipientOf } from './callback-statuses.ts'
import { toError } from './errors.ts'
import { digitsOf, parseRecord, recordAt, recordsAt, textAt, type Json } from './json.ts'
import type { NoticeField } from './notices.ts'

/** A change in a callback, and whom it concerns: Meta's id of a number, a phone number, or the whole account. */
export interface Change {
  readonly wabaId: string
  readonly phoneNumberId: string | null
  readonly displayNumber: string | null
  readonly items: readonly Item[]
  /** What could not be read, by its position in the change. The rest is still processed. */
  readonly problems: readonly string[]
  /** What Switchboard ignores: a field, or kinds within it as `field.list.kind`. */
  readonly noted: readonly string[]
}

/** @returns undefined when the bytes are not a callback of a WhatsApp Business account. */
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
  // Meta has many more fields and adds some every year. A field that Switchboard does not use is not a problem.
  if (reader === undefined) return { ...scope, items: [], problems: [], noted: field === '' ? [] : [field] }
  const { items, problems, noted = [] } = reader(value, atMs)
  return { ...scope, items, problems, noted: noted.map((kind) => `${field}.${kind}`) }
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

/** Reads the people first, so that the messages after them have known senders. */
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

const USERNAME = /^[A-Za-z0-9._]{3,35}$/

function usernameOf(contact: Json): Item[] {
  const person = personOf(contact, 'wa_id', 'user_id')
  const username = textAt(recordAt(contact, 'profile'), 'username')
  if (username === null || !USERNAME.test(username) || namesOf(person).length === 0) return []
  return [{ kind: 'username', person, username: username.toLowerCase() }]
}

/**
 * A chat that Meta Business Agent answers. Its messages are shown, but our own agents do not reply. Some versions put
 * the lists under `standby`.
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

/** Control of a chat changes. Meta names the person as `sender` and the number as `recipient`. */
function readHandover(value: Json, atMs: number): Reading {
  const person = personOf(recordAt(value, 'sender'), 'phone_number', 'user_id')
  const passed = { ...recordAt(value, 'control_passed'), ...recordAt(value, 'control_taken') }
  const owners = [textAt(passed, 'new_owner_app_role'), textAt(passed, 'previous_owner_app_role')]
  if (!owners.includes(META_AGENT)) return { items: [], problems: [], noted: [textAt(value, 'type') ?? 'other'] }
  if (person.number === null && person.userId === null) return { items: [], problems: ['sender'] }
  const to = owners[0] === META_AGENT ? 'network_agent' : 'us'
  return { items: [{ kind: 'handover', person, to, atMs: secondsAt(value, 'timestamp') ?? atMs }], problems: [] }
}

function readPreferences(value: Json): Reading {
  const preferences = recordsAt(value, 'user_preferences')
  const noted = preferences.flatMap((preference) => {
    const category = textAt(preference, 'category') ?? ''
    return category === 'marketing_messages' ? [] : [category]
  })
  const reading = each(preferences, 'user_preferences', (preference) => {
    // Campaigns need only the marketing category.
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
