import { isDestructive } from '../../main/contract/effects.ts'
import type { Operation } from '../../main/contract/operation.ts'
import type { Engine } from '../../main/contract/shapes.ts'
import { pathParams } from '../../main/faces/path-params.ts'
import { pathWith } from '../support/operations.ts'
import type { Line, Side } from './sides.ts'

/** What a request says beside its path. */
export interface Words {
  /** For placeholders that are words and no ids. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
}

export interface Ask {
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** The same as a tool's arguments. */
  readonly given: Record<string, unknown>
  /** Values that the request itself names: an answer may repeat them. */
  readonly named: readonly string[]
}

/** What is onboarded is official, although the path is not under that engine. */
const ENGINES: Readonly<Record<string, Engine>> = { onboardSandboxInstance: 'official' }

/** The line of a side that the operation is for. */
const lineFor = ({ id, engine }: Operation, side: Side): Line => side[engine ?? ENGINES[id] ?? 'smv2']

/** Where the example of the contract would not do: what it names is to be of this side. */
const WORDS: Readonly<Record<string, (side: Side, line: Line) => Words>> = {
  findMessage: (_side, { key }) => ({ query: { idempotency_key: key } }),
  recreateInstances: (_side, { id }) => ({ body: { instance_ids: [id] } }),
  // Approved templates can be edited; those of the example exist.
  createTemplate: (_side, { id }) => ({ body: templateNamed(`made_${id.replaceAll('-', '_')}`) }),
  fuseInstances: ({ smv2 }) => ({ body: { smv2_instance_id: smv2.id } }),
  callEngine: (_side, line) => act('message', 'react', { message_id: line.message, emoji: '👍' }),
  createWebhook: ({ catcher }) => ({ body: { url: `https://catcher.sandbox/${catcher}`, events: ['*'] } }),
  updateWebhook: () => ({ body: { description: 'Changed' } }),
  setInstanceWebhook: ({ catcher }) => ({ body: { url: `https://catcher.sandbox/${catcher}` } }),
  postInstanceWebhook: ({ catcher }) => ({ body: { url: `https://catcher.sandbox/${catcher}` } }),
  setCrmWebhook: ({ catcher }) => ({ body: { url: `https://catcher.sandbox/${catcher}` } }),
  listDeliveries: ({ webhook }, { id }) => ({ query: { webhook_id: webhook, instance_id: id } }),
  listEvents: (_side, { id }) => ({ query: { instance_id: id } }),
  scanSandboxCode: ({ code }) => ({ body: { pairing_code: code } }),
  speakFromSandboxPhone: ({ spoken }, { number }) => ({ body: { to: number, text: 'Hi', quoted_message_id: spoken } }),
  createCampaign: (_side, { id }) => ({ body: campaignOn(id) }),
  previewCampaign: ({ campaign }) => ({ body: { campaign_id: campaign } }),
  listContacts: ({ contact }) => ({ query: { q: contact } }),
  listContactNames: ({ contact }) => ({ query: { phones: contact } }),
  listOptOuts: ({ optOut }) => ({ query: { phone: optOut } }),
  createOptOut: (_side, { id }) => ({ body: { phone: '12025550123', scope: id } }),
  orderStages: (_side, { stage }) => ({ body: { stage_ids: [stage] } }),
  testAgent: (_side, { agent, stage }) => ({ body: { message: 'Hello', agent_id: agent, stage_id: stage } }),
  // Back to where it is: a transfer would take the line out of the scene.
  transferInstance: ({ account }) => ({ body: { account_id: account } }),
  createSubAccountKey: () => ({ body: { name: 'Theirs', scopes: ['agency:manage'] } }),
  setSubAccountSlots: () => ({ body: { slots_allocated: 1 } }),
  createSubAccount: () => ({ body: { name: 'Client' } }),
  updateSubAccount: () => ({ body: { name: 'Client' } }),
  answerOptOutQuestion: ({ asker }) => ({ body: { chat: asker, opt_out: false } }),
  updateBranding: () => ({ body: { colors: {} } }),
  getLatestVoiceRecording: (_side, { id }) => ({ query: { instance: id } }),
  scheduleVoiceCall: (_side, { agent: agent_id }) => ({ body: { to_number: '12025550486', agent_id } }),
  scheduleVoiceCallBatch: (_side, { agent: agent_id }) => ({ body: { numbers: ['12025550486'], agent_id } }),
  // A single digit is in every id.
  sendVoiceCallDigits: () => ({ body: { digits: '120255504#' } }),
  // A plan can be bought once, a product again and again.
  createPurchase: () => ({ body: { product: 'setup' } }),
  joinGroupFromSandboxPhone: ({ invite }) => ({ body: { link: invite } }),
  causeSandboxFault: () => ({ body: { kind: 'timeout', times: 1 } }),
}

const templateNamed = (name: string) => ({
  ...{ name, language: 'en', category: 'UTILITY' },
  components: [{ type: 'BODY', text: 'Your table is ready.' }],
})

export const campaignOn = (instanceId: string) => ({
  ...{
    instance_ids: [instanceId],
    name: 'Offer',
    messages: [{ text: 'Hello' }],
    recipients: [{ phone: '12025550177' }],
  },
})

export const act = (group: string, action: string, body: object): Words => ({ path: { smv2: group, action }, body })

/** The operation asked in full, of what belongs to this side. */
export function askOf(operation: Operation, side: Side, words?: Words): Ask {
  const line = lineFor(operation, side)
  const { path = {}, query = {}, body = operation.examples.body } = words ?? WORDS[operation.id]?.(side, line) ?? {}
  const ids = { ...idsOf(operation, side, line), ...path }
  const isConfirmed = operation.confirm !== undefined
  const search = new URLSearchParams({ ...query, ...(isConfirmed && { confirm: 'true' }) })
  const filled = pathWith(operation.path, ids)
  return {
    method: operation.method,
    path: search.size === 0 ? filled : `${filled}?${search.toString()}`,
    body: operation.body === undefined ? fileOf(operation) : body,
    given: {
      ...argumentsOf(operation, filled),
      ...query,
      ...(operation.body === undefined ? {} : (body as object)),
      ...(isDestructive(operation) && { confirm: true }),
    },
    named: [...Object.values(argumentsOf(operation, filled)), ...Object.values(query), ...textsIn(body)],
  }
}

const fileOf = ({ id, bodyFile }: Operation) =>
  bodyFile === undefined ? undefined : id === 'importFaq' ? 'question,answer\nOpen?,Yes' : 'phone\n12025550123'

/** The same without anything coming of it: the body is one that no operation takes, and nothing is confirmed. */
export function harmless(operation: Operation, ask: Ask): Ask {
  if (operation.method === 'GET') return ask
  const body = operation.bodyFile === undefined ? [] : undefined
  return { ...ask, path: ask.path.split('?')[0] ?? '', body }
}

/** What stands for the placeholder after each segment. */
const idsOf = ({ path }: Operation, side: Side, line: Line) => ({
  instances: line.id,
  messages: path.startsWith('/v1/sandbox/') ? side.spoken : line.message,
  thread: line.message,
  media: line.media,
  templates: line.template,
  blocked: side.phone,
  chats: side.phone,
  groups: line.group,
  polls: line.poll,
  webhooks: side.webhook,
  deliveries: side.delivery,
  events: side.event,
  phones: side.phone,
  numbers: side.graphNumber,
  campaigns: side.campaign,
  contacts: path.startsWith('/v1/sandbox/ghl/') ? side.lead : side.contact,
  conversations: path.startsWith('/v1/sandbox/ghl/') ? side.conversation : side.phone,
  'opt-outs': side.optOut,
  'opt-out-questions': side.question,
  'number-checks': side.numberCheck,
  accounts: side.client,
  purchases: side.purchase,
  checkouts: side.checkout,
  ...(path.startsWith('/v1/agency/') && { keys: side.clientKey }),
  'access-links': line.link,
  catcher: side.catcher,
  agents: line.agent,
  stages: line.stage,
  faq: line.faq,
  'provider-keys': 'openai',
  providers: 'openai',
  calls: line.call,
  recordings: line.recording,
  widgets: line.widget,
})

function argumentsOf(operation: Operation, filled: string): Record<string, string> {
  const places = operation.path.split('/').flatMap((segment, at) => (segment.startsWith('{') ? [at] : []))
  const values = filled.split('/')
  return Object.fromEntries(pathParams(operation).map(({ fullName }, at) => [fullName, values[places[at] ?? 0] ?? '']))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Things that somebody owns, by the segment of a path that lists them. Every placeholder is one of these … */
const OWNED = new Set([
  'campaigns',
  'instances',
  'messages',
  'media',
  'templates',
  'groups',
  'polls',
  'webhooks',
  'deliveries',
  'events',
  'numbers',
  'contacts',
  'conversations',
  'opt-outs',
  'opt-out-questions',
  'number-checks',
  'agents',
  'stages',
  'faq',
  'accounts',
  'purchases',
  'checkouts',
  'keys',
  'access-links',
  'calls',
  'recordings',
  'widgets',
])
/** … or a word that every account uses as it likes: there is no phone, catcher or provider that does not exist. */
const FREE = new Set(['phones', 'blocked', 'chats', 'catcher', 'smv2', '{group}', 'ai/conversations', 'provider-keys'])

/**
 * The placeholders of a path that name what somebody owns.
 * @throws Error for one that nobody has said of what it names.
 */
export function ownedIn({ id, path }: Operation): string[] {
  const segments = path.split('/')
  return segments.flatMap((segment, at) => {
    const listed = segments[at - 1] ?? ''
    // Conversations of an agent are chats; those of a CRM have an id.
    const isFree = FREE.has(listed) || FREE.has(segments.slice(at - 2, at).join('/'))
    if (!segment.startsWith('{') || isFree) return []
    if (OWNED.has(listed)) return [segment.slice(1, -1)]
    throw new Error(`${id}: say in test/faces/requests.ts whether ${segment} after ${listed} is OWNED or FREE`)
  })
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly anyOf?: readonly Schema[]
}

/** A field of this name names something that somebody owns. */
const NAMES_A_THING = /(^|_)ids?$|^idempotency_key$|^pairing_code$|^qr$|^group$/

/** Every place of an operation but its subject in which something can be named: path, query and body. */
export function namingFields(operation: Operation): string[] {
  const subject = operation.reach === 'instance' ? ['id'] : ownedIn(operation)
  const fields = [operation.query, operation.body].flatMap((schema) => propertiesOf((schema ?? {}) as Schema))
  const inPath = ownedIn(operation).filter((name) => !subject.includes(name))
  return [...inPath, ...new Set(fields.filter((name) => NAMES_A_THING.test(name)))].map(
    (name) => `${operation.id}.${name}`,
  )
}

const propertiesOf = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(propertiesOf),
]
