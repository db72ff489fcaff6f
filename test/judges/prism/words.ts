import type { OperationToFuzz } from './document.ts'

/**
 * Rules of requests that the document says in words, because in JSON Schema they would cost every caller of a generated
 * client a union, and every refusal its sentence. The fuzzer holds the product to them as to the schemas.
 */
const EXACTLY_ONE: Readonly<Record<string, readonly string[]>> = {
  sendMessage: ['text', 'media_url', 'media_id', 'interactive', 'cloud_api'],
  speakFromSandboxPhone: ['text', 'media_type'],
  scanSandboxCode: ['qr', 'pairing_code'],
}
const FILE = ['media_url', 'media_id']
/** A field, and those it may only be sent with: one of them. */
const ONLY_WITH: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  sendMessage: {
    ...{ media_type: FILE, caption: FILE, filename: FILE },
    ...{ media_url: ['media_type'], media_id: ['media_type'] },
  },
  speakFromSandboxPhone: {
    ...{ media_url: ['media_type'], caption: ['media_type'], filename: ['media_type'], view_once: ['media_type'] },
  },
}
/**
 * Whether they are right depends on which phone numbers, time zones, web addresses and prices exist, on the instances,
 * files, agents and campaigns they name, and on the buttons of a message.
 */
const DEPENDS = new Set([
  ...['createCampaign', 'updateCampaign', 'previewCampaign', 'testCampaign', 'startCampaign'],
  ...['createContact', 'updateContact', 'createOptOut', 'deleteOptOut', 'updateLineSettings', 'startHistoryImport'],
  ...['updateAiSettings', 'createAgent', 'updateAgent', 'updateFollowUp', 'putProviderKey', 'orderStages'],
  ...['createPurchase', 'createCheckout', 'updateAgencyBilling', 'setClientBilling', 'setSandboxCard'],
  ...['createTemplate', 'updateTemplate', 'tapSandboxMessage', 'updateOfficialSettings', 'setUsername', 'blockPerson'],
  ...['createSubAccount', 'updateSubAccount', 'createSubAccountKey', 'createAccessLink', 'updateBranding'],
  ...['connectGhl', 'updateGhl', 'setCrmWebhook', 'updateCrmWebhook', 'createSandboxGhlContact'],
  ...['scheduleVoiceCall', 'scheduleVoiceCallBatch', 'updateVoiceSettings', 'createVoiceWidget', 'updateVoiceWidget'],
])
/** Names that the older webhook of an instance knows. */
const NAMES = [
  'MESSAGE',
  'SEND_MESSAGE',
  'READ_RECEIPT',
  'CONNECTION',
  'QRCODE',
  'CALL',
  'GROUP',
  'PRESENCE',
  'CONTACT',
]
const ALL_NAMES: readonly unknown[] = [...NAMES, 'ALL']
const SETS_NAMES = new Set(['setInstanceWebhook', 'postInstanceWebhook'])
/** Events are kept that long. */
const REPLAYED_MS = 7 * 24 * 3_600_000

const SAMPLES: Readonly<Record<string, string>> = {
  image: 'https://media.sandbox/image.png',
  audio: 'https://media.sandbox/audio.ogg',
  video: 'https://media.sandbox/video.mp4',
  document: 'https://media.sandbox/document.pdf',
}

const STICKER = 'https://media.sandbox/sticker.webp'

/** What a request was thought up from. */
interface Thought {
  readonly operation: Pick<OperationToFuzz, 'id' | 'body'>
  readonly query: Body
  readonly body: unknown
}

export type Body = Readonly<Record<string, unknown>>

/** `open`: it depends on what is there (the file behind an address, the code on a screen), so both answers are right. */
export type Wording = 'allowed' | 'forbidden' | 'open'

/** Operations whose words look at the thing that their path names. It is read before the request, which may change it. */
export const LOOKS_AT_IT = new Set([...SETS_NAMES, 'replayWebhook'])

/** Whether a request that its schemas allow is allowed by the words as well. `thing`: see LOOKS_AT_IT. */
export function wording({ operation, query, body }: Thought, thing: Body): Wording {
  const { id } = operation
  if (id === 'listInstances' && query['updated_since'] === undefined && Number(query['limit'] ?? 1) > 200)
    return 'forbidden'
  // Prism takes `?limit=` for no limit; for the product it is a limit that is no number.
  if (Object.values(query).includes('')) return 'open'
  if (DEPENDS.has(id) || (id === 'listOptOuts' && 'phone' in query) || 'from' in query) return 'open'
  const sent = id === 'callEngine' && body === undefined ? {} : body
  return typeof sent === 'object' && sent !== null ? ofBody(operation, sent as Body, thing) : 'allowed'
}

function ofBody({ id, body: schema }: Thought['operation'], sent: Body, thing: Body): Wording {
  const one = EXACTLY_ONE[id]
  if (one !== undefined && one.filter((field) => field in sent).length !== 1) return 'forbidden'
  const together = Object.entries(ONLY_WITH[id] ?? {})
  if (together.some(([field, others]) => field in sent && !others.some((other) => other in sent))) return 'forbidden'
  if (id === 'speakFromSandboxPhone' && !isForwardedRight(sent)) return 'forbidden'
  if (SETS_NAMES.has(id)) return ofNames(sent['events'], thing)
  const events = sent['events']
  if (Array.isArray(events) && events.includes('*') && events.length > 1) return 'forbidden'
  if (id === 'replayWebhook') return ofReplay(sent, thing)
  if (id === 'sendRawMessage') return ofPayload(sent)
  if (id === 'callEngine' && !hasTheFieldsOf(schema, sent)) return 'forbidden'
  const way = id === 'callEngine' || id === 'sendMessage' ? ofSends(sent) : undefined
  if (way !== undefined) return way
  // A code that is on some screen, and messages as the Cloud API wants them: beyond schemas.
  if (id === 'scanSandboxCode' || 'cloud_api' in sent || 'interactive' in sent) return 'open'
  if ('media_id' in sent) return 'open'
  const isEngineFile = id === 'callEngine' && !('media_type' in sent)
  // A picture of a profile or group: it must be a JPEG file.
  if (isEngineFile && !('to' in sent)) return 'open'
  const sample = isEngineFile ? STICKER : SAMPLES[String(sent['media_type'])]
  return 'media_url' in sent && sent['media_url'] !== sample ? 'open' : 'allowed'
}

const GROUP_RULES = ['announce', 'locked', 'join_approval', 'member_add']
/** The name of an account is shorter than that of a group. */
const ACCOUNT_NAME = 25

const isForwardedRight = ({ forwarded, frequently_forwarded: isFrequent, quoted_message_id: quoted }: Body): boolean =>
  forwarded === true ? quoted === undefined : isFrequent !== true

/** In a channel: a text, or a picture or video. */
function isPost({ text, media_url: url, media_type: type, caption }: Body): boolean {
  if (text !== undefined) return (url ?? type ?? caption) === undefined
  return url !== undefined && (type === 'image' || type === 'video')
}

/** Which groups there are and who is in them, or where an invitation leads, is in no schema. */
function ofSends(sent: Body): Wording | undefined {
  const { to, mentions, gif, voice, link, name, muted, until, pinned, for: days, media_type: type } = sent
  const isGroup = typeof to === 'string' && to.endsWith('@g.us')
  if (mentions !== undefined && !isGroup) return 'forbidden'
  if (gif === true && type !== 'video') return 'forbidden'
  if (voice === true && type !== 'audio') return 'forbidden'
  if (days !== undefined && pinned !== true) return 'forbidden'
  if (until !== undefined) return muted === true ? 'open' : 'forbidden'
  const isLongName = typeof name === 'string' && name.length > ACCOUNT_NAME
  return isGroup || isLongName || gif !== undefined || voice !== undefined || link !== undefined ? 'open' : undefined
}

/** The engine is not in the body: smv2 knows its names and wants one; official sends everything, whatever is listed. */
function ofNames(events: unknown, { engine }: Body): Wording {
  if (engine === 'official' || !Array.isArray(events)) return 'allowed'
  return events.length > 0 && events.every((name) => ALL_NAMES.includes(name)) ? 'allowed' : 'forbidden'
}

/** The clock, the other end of the period, and what the webhook listens to are not in any schema. */
function ofReplay({ since, until, events = ['*'] }: Body, { events: heard }: Body): Wording {
  const from = Date.parse(String(since))
  if (from < Date.now() - REPLAYED_MS || Date.parse(String(until)) <= from) return 'forbidden'
  const listed = (list: unknown): unknown[] => (Array.isArray(list) ? list : [])
  const hears = new Set(listed(heard))
  return hears.has('*') || listed(events).every((type) => type === '*' || hears.has(type)) ? 'allowed' : 'forbidden'
}

/** Everything but where it goes is between the caller and the Cloud API. */
function ofPayload(sent: Body): Wording {
  if (sent['status'] === 'read') return 'message_id' in sent ? 'allowed' : 'forbidden'
  return 'to' in sent ? 'open' : 'forbidden'
}

/** The schema of an action, made from the table of the description, and what no schema can say of it. */
function hasTheFieldsOf(schema: Body | undefined, sent: Body): boolean {
  // Any action at all: an unknown one, which is not found.
  if (schema === undefined || !('required' in schema)) return true
  const known = schema['properties'] as Body
  if ((schema['required'] as string[]).some((field) => !(field in sent))) return false
  if (Object.keys(sent).some((field) => !(field in known))) return false
  if ('channel_id' in known && 'link' in known && 'channel_id' in sent === 'link' in sent) return false
  if ('channel_id' in known && 'text' in known && !isPost(sent)) return false
  if ('announce' in known && !GROUP_RULES.some((rule) => rule in sent)) return false
  const { options, max_choices: choices } = sent
  return !Array.isArray(options) || choices === undefined || Number(choices) <= options.length
}

/** A generated body without what the words forbid: of several choices the first stays. */
export function byTheWords({ id }: Thought['operation'], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const left: Record<string, unknown> = { ...body }
  const choices = (EXACTLY_ONE[id] ?? []).filter((field) => field in left)
  const drop = (fields: readonly string[]) => fields.forEach((field) => Reflect.deleteProperty(left, field))
  drop(choices.slice(1))
  if (id === 'sendMessage' && FILE.includes(choices[0] ?? '')) left['media_type'] ??= 'image'
  if (id === 'sendRawMessage') toSomebody(left)
  if ('media_url' in left) left['media_url'] = SAMPLES[String(left['media_type'])] ?? left['media_url']
  if (id === 'callEngine' && 'media_url' in left && !('media_type' in left)) left['media_url'] = STICKER
  for (const [field, others] of Object.entries(ONLY_WITH[id] ?? {})) {
    if (field in left && !others.some((other) => other in left)) drop([field])
  }
  if (Array.isArray(left['options']) && Number(left['max_choices']) > left['options'].length) drop(['max_choices'])
  if (Date.parse(String(left['until'])) <= Date.parse(String(left['since']))) drop(['until'])
  if (Array.isArray(left['events'])) left['events'] = namedRight(id, left['events'])
  return left
}

/** A text of the Cloud API, or the mark that something was read. */
function toSomebody(left: Record<string, unknown>): void {
  if ('message_id' in left && !('to' in left)) left['status'] = 'read'
  else left['to'] ??= '12025550101'
  if (!('type' in left)) left['text'] = { body: 'Hello' }
}

/** The schema of the older webhook allows any text, for one engine ignores it: mostly names, now and then any text. */
function namedRight(id: string, events: readonly unknown[]): readonly unknown[] {
  if (!SETS_NAMES.has(id)) return events.includes('*') ? ['*'] : events
  if (events.length > 3) return events
  return events.map((text) => NAMES[String(text).length % NAMES.length])
}

/** A field that is not kept as it was sent. */
const NOT_AS_SENT: Readonly<Record<string, string>> = {
  // The first agent of an instance is always its primary one.
  createAgent: 'is_primary',
  // The fields of a pace that are not named keep what they had.
  updateLineSettings: 'pace',
  // Answered as members, with what each of them may do.
  createGroupChat: 'participants',
  // Sent is what is to happen to the copying of older messages, answered is how far it is.
  ...{ updateGhl: 'backfill', updateCrmWebhook: 'backfill' },
  // A set, answered in an order of its own.
  ...{ createSubAccount: 'features', updateSubAccount: 'features' },
  // Sent is the message to forward, answered is the one that the forwarding made.
  callEngine: 'message_id',
}

/** What is kept of a body, where the words say that it is not kept as it was sent. */
export function asKept({ operation, body }: Thought, { engine }: Body): unknown {
  // Answered with how many of each kind there are.
  if (operation.id === 'previewCampaign') return undefined
  const changed = NOT_AS_SENT[operation.id]
  if (typeof body !== 'object' || body === null) return body
  if (changed !== undefined) return Object.fromEntries(Object.entries(body).filter(([field]) => field !== changed))
  if (!SETS_NAMES.has(operation.id)) return body
  const { events } = body as Body
  if (!Array.isArray(events)) return body
  return { ...body, events: engine === 'official' ? ['ALL'] : [...new Set(events)] }
}
