import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isDestructive, needsApproval } from '../../main/contract/effects.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import { lineOf, OPERATIONS } from '../support/operations.ts'
import { act, campaignOn, askOf, namingFields, ownedIn, type Ask, type Words } from './requests.ts'
import { EVERY, look, openScene, TARGETS, type Reaching, type Scene, type Target } from './scene.ts'
import { sideOf, type Line, type Side } from './sides.ts'

let scene: Scene
const clients = new Map<string, Client>()

beforeAll(async () => {
  scene = await openScene()
  const { w, key } = scene
  for (const reaching of ['all', 'list'] as const) clients.set(reaching, await connect(key(reaching, EVERY)))
  // Every word but one, for each scope that an operation asks for.
  for (const lacking of new Set(OPERATIONS.map(({ scope }) => scope))) {
    if (lacking === null) continue
    const scopes = SCOPES.filter((scope) => scope !== lacking)
    clients.set(`without ${lacking}`, await connect((await w.key({ scopes })).key))
  }
})
afterAll(async () => {
  for (const client of clients.values()) await client.close()
  await scene.w.close()
})

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${scene.w.service.url}/mcp`), { requestInit }))
  return client
}

/** What a tool says, as REST would have said it; undefined for an operation that is no tool. */
async function told({ tool }: Operation, client: string, ask: Ask) {
  if (tool === null) return undefined
  const answer = await clients.get(client)?.callTool({ name: tool.name, arguments: ask.given })
  const body = answer?.structuredContent as { error?: { request_id: string } } | undefined
  const text = JSON.stringify(body)
  return { isError: answer?.isError === true, body, text, look: unnamed(text, ask, body?.error?.request_id) }
}

/** The body alone: a tool's answer has no status and no headers. */
const unnamed = (text: string, ask: Ask, requestId = ''): string =>
  look({ status: 0, text, headers: { 'x-request-id': requestId } }, ask).text

const rest = (reaching: Reaching, { method, path, body }: Ask) =>
  scene.w.api(method, path, body, { key: scene.key(reaching, EVERY) })

// Things that are named beside what the path is about.

interface Reference {
  readonly operation: string
  readonly field: string
  /** The own side, with the one thing named of another. */
  readonly swap: (own: Side, named: Side) => Side
  readonly words?: (side: Side) => Words
  /** What belongs to one line is nothing to another of the same account, whatever the key. */
  readonly ofLine?: true
  /** Every key of the account may name it. */
  readonly ofAccount?: true
  /** Of one’s own it was removed by an earlier row. */
  readonly isGone?: true
  /** One’s own is there, and its state does not allow it. */
  readonly isOver?: true
  /** A list that is filtered by it is empty, which is no error. */
  readonly isFilter?: true
}

const inLine = (own: Side, engine: 'smv2' | 'official', more: Partial<Line>): Side => ({
  ...own,
  [engine]: { ...own[engine], ...more },
})
const message = (own: Side, { smv2 }: Side) => inLine(own, 'smv2', { message: smv2.message, heard: smv2.heard })
const group = (own: Side, { smv2 }: Side) => inLine(own, 'smv2', { group: smv2.group })
const ofMessage = (action: string, body: (line: Line) => object): Reference => ({
  ...{ operation: 'callEngine', field: 'message_id', swap: message, ofLine: true },
  words: ({ smv2 }) => act('message', action, body(smv2)),
})
const ofGroup = (action: string, more: object = {}): Reference => ({
  ...{ operation: 'callEngine', field: 'group_id', swap: group, ofLine: true },
  words: ({ smv2 }) => act('group', action, { group_id: smv2.group, ...more }),
})

const ofCheck = (operation: string): Reference => ({
  ...{ operation, field: 'check_id', ofLine: true },
  swap: (own, { numberCheck }) => ({ ...own, numberCheck }),
})

/** Of a business account, which the official numbers of the account share. */
const ofTemplate = (operation: string): Reference => ({
  ...{ operation, field: 'template_id', ofAccount: true },
  swap: (own, { official }) => inLine(own, 'official', { template: official.template }),
})

const ofAgent = (operation: string): Reference => ({
  ...{ operation, field: 'agent_id', ofLine: true },
  swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }),
})
const ofStage = (operation: string): Reference => ({
  ...{ operation, field: operation === 'orderStages' ? 'stage_ids' : 'stage_id', ofLine: true },
  swap: (own, { smv2 }) => inLine(own, 'smv2', { stage: smv2.stage }),
})
const ofFaq = (operation: string): Reference => ({
  ...{ operation, field: 'faq_id', ofLine: true },
  swap: (own, { smv2 }) => inLine(own, 'smv2', { faq: smv2.faq }),
})

/** One row at least for every field that names a thing; the first test below knows them all. */
// oxfmt-ignore
const REFERENCES: readonly Reference[] = [
  { operation: 'getMessage', field: 'message_id', swap: message, ofLine: true },
  { operation: 'getPoll', field: 'message_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { poll: smv2.poll }), ofLine: true },
  { operation: 'findMessage', field: 'idempotency_key', swap: (own, { smv2 }) => inLine(own, 'smv2', { key: smv2.key }), ofLine: true },
  { operation: 'getMedia', field: 'media_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { media: smv2.media }), ofLine: true },
  { operation: 'getGroupChat', field: 'group', swap: group, ofLine: true },
  { operation: 'updateGroupChat', field: 'group', swap: group, ofLine: true,
    words: () => ({ body: { subject: 'Renamed' } }) },
  ofMessage('react', (line) => ({ message_id: line.message, emoji: '👍' })),
  ofMessage('edit', (line) => ({ message_id: line.message, text: 'Changed' })),
  ofMessage('markread', (line) => ({ message_id: line.heard })),
  ofMessage('delete', (line) => ({ message_id: line.message })),
  { operation: 'callEngine', field: 'quoted_message_id', swap: message, ofLine: true,
    words: ({ smv2, phone }) => act('send', 'text', { to: phone, text: 'Yes', quoted_message_id: smv2.heard }) },
  { operation: 'sendMessage', field: 'quoted_message_id', swap: message, ofLine: true,
    words: ({ smv2, phone }) => ({ body: { to: phone, text: 'Yes', quoted_message_id: smv2.heard } }) },
  { operation: 'sendMessage', field: 'media_id', swap: (own, { upload }) => ({ ...own, upload }), ofAccount: true,
    words: ({ phone, upload }) => ({ body: { to: phone, media_id: upload, media_type: 'image' } }) },
  { operation: 'createCampaign', field: 'instance_ids', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2 }) => ({ body: campaignOn(smv2.id) }) },
  { operation: 'previewCampaign', field: 'instance_ids', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2 }) => ({ body: campaignOn(smv2.id) }) },
  ofCheck('getNumberCheck'),
  ofCheck('listCheckedNumbers'),
  { ...ofCheck('updateNumberCheck'), isOver: true },
  { operation: 'joinGroupFromSandboxPhone', field: 'link', swap: (own, { invite }) => ({ ...own, invite }), ofAccount: true, isOver: true },
  { operation: 'previewCampaign', field: 'campaign_id', swap: (own, { campaign }) => ({ ...own, campaign }) },
  { operation: 'updateCampaign', field: 'instance_ids', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2 }) => ({ body: { instance_ids: [smv2.id] } }) },
  { operation: 'testCampaign', field: 'instance_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2, phone }) => ({ body: { to: phone, instance_id: smv2.id } }) },
  { operation: 'createPurchase', field: 'instance_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2 }) => ({ body: { product: 'setup', instance_id: smv2.id } }) },
  { operation: 'createCheckout', field: 'instance_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2 }) => ({ body: { product: 'setup', instance_id: smv2.id } }) },
  ...['getTemplate', 'updateTemplate', 'unpauseTemplate', 'deleteTemplate'].map(ofTemplate),
  ofGroup('info'),
  ofGroup('participant', { change: 'add', participants: ['12025550177'] }),
  ofGroup('invitelink'),
  ofGroup('invitelink', { renew: true }),
  ofGroup('leave'),
  { operation: 'deleteGroupChat', field: 'group', swap: group, ofLine: true, isGone: true },
  { operation: 'sendRawMessage', field: 'message_id', swap: (own, { official }) => inLine(own, 'official', { heard: official.heard }),
    words: ({ official }) => ({ body: { status: 'read', message_id: official.heard } }), ofLine: true },
  { operation: 'sendRawMessage', field: 'message_id', swap: (own, { official }) => inLine(own, 'official', { media: official.media }),
    words: ({ official }) => ({ body: { status: 'read', message_id: official.media } }), ofLine: true },
  { operation: 'fuseInstances', field: 'smv2_instance_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }) },
  { operation: 'listDeliveries', field: 'webhook_id', swap: (own, { webhook }) => ({ ...own, webhook }),
    words: ({ webhook }) => ({ query: { webhook_id: webhook } }), isFilter: true },
  { operation: 'listDeliveries', field: 'instance_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }),
    words: ({ smv2 }) => ({ query: { instance_id: smv2.id } }), isFilter: true },
  { operation: 'listEvents', field: 'instance_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }), isFilter: true },
  { operation: 'createSandboxGhlContact', field: 'location_id', swap: (own, { location }) => ({ ...own, location }),
    words: ({ location }) => ({ body: { phone: '+12025550177', location_id: location } }) },
  { operation: 'scanSandboxCode', field: 'pairing_code', swap: (own, { code }) => ({ ...own, code }) },
  { operation: 'scanSandboxCode', field: 'qr', swap: (own, { qr }) => ({ ...own, qr }), words: ({ qr }) => ({ body: { qr } }) },
  { operation: 'speakFromSandboxPhone', field: 'quoted_message_id', swap: (own, { spoken }) => ({ ...own, spoken }) },
  { operation: 'answerOptOutQuestion', field: 'message_id', swap: (own, { asker, question }) => ({ ...own, asker, question }), ofLine: true },
  { operation: 'testAgent', field: 'agent_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }), ofLine: true,
    words: ({ smv2 }) => ({ body: { message: 'Hello', agent_id: smv2.agent } }) },
  { operation: 'testAgent', field: 'stage_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { stage: smv2.stage }), ofLine: true },
  ...['getAgent', 'updateAgent', 'listStages', 'orderStages', 'getStage', 'updateStage'].map(ofAgent),
  ...['getStage', 'updateStage', 'orderStages'].map(ofStage),
  ...['getFaq', 'updateFaq', 'deleteFaq'].map(ofFaq),
  { operation: 'getLatestVoiceRecording', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true,
    words: ({ smv2 }) => ({ query: { instance: smv2.id, call_id: smv2.call } }) },
  { operation: 'getVoiceCall', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true },
  { operation: 'getVoiceCallReview', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true },
  { operation: 'cancelVoiceCall', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true },
  { operation: 'holdVoiceCall', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true, isOver: true },
  { operation: 'resumeVoiceCall', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true, isOver: true },
  { operation: 'sendVoiceCallDigits', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true, isOver: true },
  { operation: 'transferVoiceCall', field: 'call_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { call: smv2.call }), ofLine: true, isOver: true },
  { operation: 'getVoiceRecording', field: 'recording_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { recording: smv2.recording }), ofLine: true },
  { operation: 'downloadVoiceRecording', field: 'recording_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { recording: smv2.recording }), ofLine: true },
  { operation: 'getVoiceWidget', field: 'widget_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { widget: smv2.widget }), ofLine: true },
  { operation: 'scheduleVoiceCall', field: 'agent_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }), ofLine: true },
  { operation: 'scheduleVoiceCallBatch', field: 'agent_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }), ofLine: true,
    words: ({ smv2 }) => ({ body: { numbers: ['12025550486'], agent_id: smv2.agent } }) },
  { operation: 'updateVoiceSettings', field: 'receive_agent_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }), ofLine: true,
    words: ({ smv2 }) => ({ body: { receive_agent_id: smv2.agent } }) },
  { operation: 'createVoiceWidget', field: 'agent_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }), ofLine: true,
    words: ({ smv2 }) => ({ body: { name: 'Page', allowed_origins: ['https://www.example.com'], agent_id: smv2.agent } }) },
  { operation: 'updateVoiceWidget', field: 'widget_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { widget: smv2.widget }), ofLine: true,
    words: () => ({ body: { name: 'Page' } }) },
  { operation: 'updateVoiceWidget', field: 'agent_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { agent: smv2.agent }), ofLine: true,
    words: ({ smv2 }) => ({ body: { agent_id: smv2.agent } }) },
  { operation: 'deleteVoiceWidget', field: 'widget_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { widget: smv2.widget }), ofLine: true },
  // Last of its kind: they are gone, or there are more.
  ofAgent('createStage'),
  ofStage('deleteStage'),
  { ...ofAgent('deleteStage'), isGone: true },
  ofAgent('deleteAgent'),
  { operation: 'revokeAccessLink', field: 'link_id', swap: (own, { smv2 }) => inLine(own, 'smv2', { link: smv2.link }), ofLine: true },
  { operation: 'deleteSubAccountKey', field: 'key_id', swap: (own, { clientKey }) => ({ ...own, clientKey }) },
  { operation: 'getAgencyUsage', field: 'account_id', swap: (own, { client }) => ({ ...own, client }),
    words: ({ client }) => ({ query: { account_id: client } }) },
  // Last: what is recreated is connected no more.
  { operation: 'recreateInstances', field: 'instance_ids', swap: (own, { smv2 }) => inLine(own, 'smv2', { id: smv2.id }) },
]

/** Fields of such a name that name nothing which somebody could own. */
const NAMES_NOTHING = new Map([
  ['transferInstance.account_id', 'test/capabilities/agency/isolation.test.ts: it takes the instance away'],
  [
    'createSubAccountKey.allowed_instance_ids',
    'test/capabilities/agency/isolation.test.ts: instances of the sub-account',
  ],
  ['connectGhl.location_id', 'a location at GoHighLevel: only who may enter it there can connect with it'],
  ['listMessageBudgets.account_id', 'test/capabilities/costs/budget-requests.test.ts: a filter of one’s own accounts'],
  ['listVoiceCalls.batch_id', 'a filter of the calls of this instance'],
  ['callEngine.call_id', 'a call is looked for only among those that ring at this instance'],
  ['callEngine.channel_id', 'a channel belongs to no account: everybody can follow it, and WhatsApp says who may post'],
  ['callEngine.community_id', 'a community is looked for only among those of this instance'],
  ['callEngine.label_id', 'a label is looked for only among those of this instance'],
  ['tapSandboxMessage.id', 'a word of the message that is tapped: for a button, a row or a product'],
  ['speakFromSandboxPhone.group', 'a word for a group, which comes into being when somebody first speaks in it'],
  ['getMessageCosts.account_id', 'test/capabilities/costs/costs.test.ts: another account is not found'],
  ['getMessageCosts.instance_id', 'a filter of the counts that the key may read'],
  ['getMessageCosts.campaign_id', 'a filter of the counts that the key may read'],
  ['getMessageCosts.group', 'a word for what the counts are grouped by'],
  ['createSandboxGraphNumber.portfolio_id', 'a word for a portfolio at the simulated Meta'],
  [
    'createSandboxGraphNumber.waba_id',
    'a word for an account at the simulated Meta: each number there has a token that opens it alone',
  ],
])

const known = new Set(REFERENCES.map(({ operation, field }) => `${operation}.${field}`))

test('every field that can reference a resource has a row', () => {
  const missing = OPERATIONS.flatMap(namingFields).filter((name) => !known.has(name) && !NAMES_NOTHING.has(name))
  expect(missing, 'add what these name to REFERENCES in test/faces/authorization-nested.slow.ts').toEqual([])
  for (const name of known) expect(OPERATIONS.map(({ id }) => id)).toContain(name.split('.')[0])
})

const operationOf = (id: string): Operation => {
  const found = OPERATIONS.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`there is no operation ${id}`)
  return found
}

const isOfAccount = ({ reach }: Operation) => reach === 'account' || reach === 'webhooks'

/** The answer without what each answer has of its own. */
const plain = (text: string) => text.replace(/"batch_id":"[^"]+"/, '"batch_id":"BATCH"')

describe('ids in the query and body', () => {
  const rows = REFERENCES.map((reference) => ({ ...reference, line: `${reference.operation}.${reference.field}` }))

  test.each(rows)(
    '$line: a foreign id gets the same answer as an unknown one',
    async ({ operation: id, swap, words, ...reference }) => {
      const operation = operationOf(id)
      const { sides, sideFor, w } = scene
      const askFor = (target: Target) => {
        const side = swap(sides.own, sideFor(target))
        return askOf(operation, side, words?.(side))
      }
      const mark = await w.mark()
      for (const reaching of ['all', 'list'] as const) {
        if (reaching === 'list' && isOfAccount(operation)) continue
        const asked = askFor('unknown')
        const answer = await rest(reaching, asked)
        const unknown = look({ ...answer, text: plain(answer.text) }, asked)
        if (reference.isFilter) expect(answer).toMatchObject({ status: 200, body: { data: [], has_more: false } })
        else if (id === 'recreateInstances') expect(answer).toMatchObject({ status: 202, body: { accepted: 0 } })
        else expect([404, 409], answer.text).toContain(answer.status)
        const isForeign = (reaching === 'list' && !reference.ofAccount) || reference.ofLine
        for (const target of ['other', ...(isForeign ? (['outside'] as const) : [])] as const) {
          const ask = askFor(target)
          const heard = await rest(reaching, ask)
          const seen = look({ ...heard, text: plain(heard.text) }, ask)
          expect(seen, `${target}, ${reaching}`).toEqual(unknown)
          for (const word of sides[target].words) expect(seen.text).not.toContain(word)
          // Before money is spent a person is asked, and only then the door.
          const asksFirst = needsApproval('none', operation) && reaching === 'all'
          const tool = asksFirst ? undefined : await told(operation, reaching, ask)
          if (tool !== undefined) expect(plain(tool.look)).toBe(seen.text)
        }
      }
      expect(await w.typesSince(mark)).toEqual([])

      const own = await rest(isOfAccount(operation) ? 'all' : 'list', askFor('own'))
      if (reference.isGone) expect(own.status).toBe(404)
      else if (reference.isOver) expect(own.status).toBe(409)
      else expect(own.status, own.text).toBeLessThan(400)
      if (reference.isFilter) expect(own.body.data).not.toEqual([])
      if (id === 'recreateInstances') expect(own.body.accepted).toBe(1)
      await w.quiet()
    },
  )
})

describe('over MCP', () => {
  const tools = OPERATIONS.filter(({ tool }) => tool !== null).map((operation) => ({
    ...{ operation, name: operation.tool?.name },
  }))

  test.each(tools)('$name refuses what REST refuses, with the same error', async ({ operation }) => {
    const mark = await scene.w.mark()
    let refusals = 0
    for (const target of TARGETS) {
      for (const reaching of ['all', 'list'] as const) {
        const isClosed = reaching === 'list' && isOfAccount(operation)
        const isHidden = hidden(operation, target, reaching)
        if (!isClosed && !isHidden) continue
        const ask = askOf(operation, scene.sideFor(target))
        const said = await told(operation, reaching, ask)
        const heard = await rest(reaching, ask)
        expect([heard.status, said?.isError], `${target}, ${reaching}`).toEqual([isClosed ? 403 : 404, true])
        expect(said?.look).toBe(look(heard, ask).text)
        refusals++
      }
    }
    if (operation.reach === 'instance') expect(refusals).toBeGreaterThanOrEqual(10)
    expect(await scene.w.typesSince(mark)).toEqual([])
  })

  test.each(tools.filter(({ operation }) => operation.scope !== null))(
    '$name without its scope is refused with the error of REST, for every target',
    async ({ operation }) => {
      const mark = await scene.w.mark()
      for (const target of ['own', 'outside', 'other', 'unknown'] as const) {
        const ask = askOf(operation, scene.sideFor(target))
        const said = await told(operation, `without ${operation.scope ?? ''}`, ask)
        const { key } = await scene.w.key({
          scopes: [operation.scope === 'ghl:manage' ? 'instances:read' : 'ghl:manage'],
        })
        const heard = await scene.w.api(ask.method, ask.path, ask.body, { key })
        expect([heard.body.error.code, said?.isError]).toEqual(['insufficient_scope', true])
        expect(said?.look).toBe(look(heard, ask).text)
      }
      expect(await scene.w.typesSince(mark)).toEqual([])
    },
  )
})

/** Whether a key with every scope is told that there is nothing. */
function hidden(operation: Operation, target: Target, reaching: Reaching): boolean {
  if (target === 'own' || (operation.reach !== 'instance' && ownedIn(operation).length === 0)) return false
  if (isOfAccount(operation)) return reaching === 'all' && ['other', 'unknown', 'malformed'].includes(target)
  if (operation.reach !== 'instance') return false
  if (target === 'outside' && reaching === 'all') return false
  return !(target === 'outside, deleted' && reaching === 'all' && operation.reachesDeleted === true)
}

describe('lists', () => {
  const reads = OPERATIONS.filter(({ method, reply }) => method === 'GET' && reply.file !== true)
  const lists = [
    '',
    '?limit=1',
    '?external_ref=Brackmoor-ref-smv2',
    '?updated_since=2000-01-01T00:00:00Z',
    '?updated_since=2000-01-01T00:00:00Z&limit=1',
    '?updated_since=2000-01-01T00:00:00Z&external_ref=Brackmoor-ref-smv2',
  ]

  /** Everything that can be read with a key, as it stands. */
  async function view(reaching: Reaching): Promise<Map<string, unknown>> {
    const asks = reads
      .filter((operation) => reaching === 'all' || !isOfAccount(operation))
      .map((operation) => askOf(operation, scene.sides.own))
    const paths = [...asks.map(({ path }) => path), ...lists.map((query) => `/v1/instances${query}`)]
    const seen = new Map<string, unknown>()
    for (const path of paths) {
      const { status, text, headers } = await scene.w.api('GET', path, undefined, { key: scene.key(reaching, EVERY) })
      seen.set(path, { status, text: text.replace(headers['x-request-id'] ?? '', 'REQUEST') })
    }
    return seen
  }

  test('for a restricted key contain exactly its instances, in every form of the instance list', async () => {
    const held = new Set(scene.listed)
    for (const query of lists) {
      const key = scene.key('list', EVERY)
      const { body } = await scene.w.api('GET', `/v1/instances${query}`, undefined, { key })
      for (const { id } of body.data) expect(held, query).toContain(id)
      if (query === '') expect(new Set(body.data.map(({ id }: { id: string }) => id))).toEqual(held)
      const isFiltered = query.includes('external_ref')
      if ('count' in body) expect(body.count, query).toBe(isFiltered ? 0 : held.size)
      // The other side has deleted some, and the list has lost none.
      else expect([body.deleted, body.deleted_has_more], query).toEqual([[], false])
    }
  })

  /** Everything an owner does: makes, changes, sends, hears and deletes. */
  async function live(key: string, { smv2, official, phone }: Side): Promise<void> {
    const act = async (method: string, path: string, body?: object) => {
      const answer = await scene.w.api(method, path, body, { key })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    }
    const made = await act('POST', '/v1/instances', { name: 'Newcomer', external_ref: 'newcomer' })
    await act('PATCH', `/v1/instances/${smv2.id}`, { metadata: { changed: 'yes' } })
    await act('POST', `/v1/instances/${smv2.id}/messages`, { to: phone, text: 'One more' })
    await act('POST', `/v1/sandbox/phones/${phone}/messages`, { to: smv2.number, text: 'And back' })
    await act('POST', `/v1/instances/${smv2.id}/disconnect`, {})
    await act('DELETE', `/v1/instances/${official.id}?confirm=true`)
    await act('DELETE', `/v1/instances/${made.id}?confirm=true`)
    await scene.w.quiet()
  }

  test('for a restricted key do not change when other instances change', async () => {
    const before = await view('list')
    await live(scene.w.allScopes, scene.sides.outside)
    expect(await view('list')).toEqual(before)
    expect(before.size).toBeGreaterThan(12)
  })

  test('of one account do not change when another account changes', async () => {
    const before = await view('all')
    await live(scene.sides.other.owner, scene.sides.other)
    expect(await view('all')).toEqual(before)
    expect(before.size).toBeGreaterThan(20)
  })
})

/** So that no refusal above is one of a request that could not have worked anyway. */
describe('requests about own resources with only the required scope', () => {
  let own: Side
  beforeAll(async () => {
    own = await sideOf(scene.w, scene.w.allScopes, 'Fernlow', '34')
  })

  async function ringing(): Promise<string> {
    const { body } = await scene.w.api('POST', `/v1/sandbox/phones/${own.phone}/calls`, { to: own.smv2.number })
    return body.call_id
  }

  async function ringingAtPhone(): Promise<string> {
    const at = `/v1/sandbox/phones/${own.phone}`
    await scene.w.api('PATCH', at, { calls: 'manual' })
    const call = { to_number: own.phone, agent_id: own.smv2.agent }
    const { body } = await scene.w.api('POST', `/v1/instances/${own.smv2.id}/voice/calls`, call)
    for (let steps = 0; (await scene.w.api('GET', `${at}/calls`)).body.data.length === 0; steps++) {
      expect(steps, JSON.stringify(body)).toBeLessThan(40)
      await scene.w.clock.advance(500)
    }
    return body.id
  }
  const callsOf: Readonly<Record<string, () => Promise<string>>> = {
    hangUpSandboxCall: ringing,
    answerSandboxCall: ringingAtPhone,
  }

  /** What ends something comes after what needs it. */
  const rank = (operation: Operation) => {
    const { id, method } = operation
    if (method === 'GET') return 0
    if (id === 'deleteInstance' || id === 'deleteSubAccount') return 3
    return isDestructive(operation) ? 2 : 1
  }
  const inOrder = OPERATIONS.toSorted((a, b) => rank(a) - rank(b))

  test.each(inOrder.map((operation) => ({ line: lineOf(operation), operation })))(
    '$line succeeds, or is refused only because of its state',
    async ({ operation }) => {
      const instances = isOfAccount(operation) ? null : [own.smv2.id, own.official.id]
      const scopes = [operation.scope ?? 'ghl:manage'] as const
      const { method, path: asked, body } = askOf(operation, own)
      // A phone that rings does so for half a minute.
      const callOf = callsOf[operation.id]
      const path = callOf === undefined ? asked : asked.replace(own.smv2.call, await callOf())
      const answer = await scene.w.api(method, path, body, await scene.w.key({ scopes, instances }))
      expect([200, 201, 202, 204, 307, 409], `${path} ${answer.text}`).toContain(answer.status)
      await scene.w.quiet()
    },
  )
})
