import { connect } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../main/contract/operation.ts'
import { isUuid } from '../../main/contract/request.ts'
import { allowedBy, nearly, ODD } from '../support/arbitrary.ts'
import { confirmed, lineOf, OPERATIONS, pathWith, type Ids } from '../support/operations.ts'
import { inPassing, world, type Reply, type World } from '../support/world.ts'
import { sized } from '../support/sized.ts'

/** Every answer is held against the API document by the world: shape, headers, status, code, and no word of the inside. */
let w: World
let ids: Ids
let officialIds: Ids

beforeAll(async () => {
  w = await world({ settings: { graphBaseUrl: 'sandbox' } })
  const line = await w.pair()
  const official = await w.official()
  const webhook = (await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/fuzz', events: ['*'] })).body
  await w.api('POST', `/v1/instances/${line.id}/messages`, { to: '12025550177', text: 'Hello' })
  await w.quiet()
  const [delivery] = (await w.api('GET', '/v1/webhooks/deliveries')).body.data
  const message = (
    await w.api('POST', '/v1/sandbox/phones/12025550177/messages', { to: line.phone_number, text: 'Hi' })
  ).body
  const graph = (await w.api('POST', '/v1/sandbox/graph/numbers', { number: '12025550500' })).body
  const campaign = (
    await w.api('POST', '/v1/campaigns', {
      ...{
        instance_ids: [line.id],
        name: 'Offer',
        messages: [{ text: 'Hello' }],
        recipients: [{ phone: '12025550177' }],
      },
    })
  ).body
  const client = (await w.api('POST', '/v1/agency/accounts', { name: 'Client', slots_allocated: 2 })).body
  const wish = { name: 'Theirs', scopes: ['instances:read'] }
  const clientKey = (await w.api('POST', `/v1/agency/accounts/${client.id}/keys`, wish)).body
  await w.api('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })
  const purchase = (await w.api('POST', '/v1/billing/purchases', { product: 'setup' })).body
  const checkout = (await w.api('POST', '/v1/billing/checkouts', { product: 'setup' })).body
  const link = (await w.api('POST', `/v1/instances/${line.id}/access-links`, {})).body
  const ai = `/v1/instances/${line.id}/ai`
  const agent = (await w.api('POST', `${ai}/agents`, { name: 'A', provider: 'builtin' })).body
  const stage = (await w.api('POST', `${ai}/agents/${agent.id}/stages`, { name: 'A', objective: 'B' })).body
  const faq = (await w.api('POST', `${ai}/faq`, { question: 'Open?', answer: 'Yes' })).body
  const at = `/v1/instances/${line.id}/voice`
  const widget = (await w.api('POST', `${at}/widgets`, { name: 'Page', allowed_origins: ['https://www.example.com'] }))
    .body
  await w.api('POST', `${at}/enable`)
  const call = (await w.api('POST', `${at}/calls`, { to_number: '12025550486', agent_id: agent.id })).body
  ids = {
    ...{ agents: agent.id, stages: stage.id, faq: faq.id, conversations: '12025550177', 'provider-keys': 'openai' },
    widgets: widget.id,
    calls: call.id,
    campaigns: campaign.campaign_id,
    numbers: graph.phone_number_id,
    instances: line.id,
    webhooks: webhook.id,
    deliveries: delivery.id,
    phones: '12025550177',
    catcher: 'fuzz',
    contacts: '12025550177',
    'opt-outs': '12025550177',
    messages: message.id,
    smv2: 'send',
    action: 'text',
    accounts: client.id,
    purchases: purchase.id,
    checkouts: checkout.checkout_id,
    keys: clientKey.id,
    'access-links': link.id,
  }
  officialIds = { ...ids, instances: official.id }
})
afterAll(() => w.close())

/** Seeds are fixed, so that a change fails for what it changed. */
const SEED = 20_261_120

/** Operations that were carried out at least once: a fuzzer whose every request is refused at the door finds nothing. */
const carriedOut = new Set<string>()

const ACTING = OPERATIONS.filter(({ method }) => method !== 'GET')
/** Asked over and over, these would leave nothing to ask. */
const ENDING = [
  'transferInstance',
  'deleteSubAccount',
  'removeClientBilling',
  ...['deleteInstance', 'deleteWebhook', 'deleteSandboxMessage', 'deleteContact', 'deleteOptOut'],
  ...['deleteAgent', 'deleteStage', 'deleteFaq'],
  'deleteVoiceWidget',
]

/** The only faults that belong to what was asked: an engine that was told to fail, a network that is not built. */
const EXPECTED_FAULTS = ['upstream_unavailable', 'upstream_timeout', 'billing_unavailable']

function holdToRules({ id }: Operation, body: unknown, { status, body: answer, text }: Reply): void {
  const said = `${id} ${JSON.stringify(body).slice(0, 500)} → ${text.slice(0, 300)}`
  if (status >= 500) {
    const isLive = typeof body === 'object' && body !== null && 'network' in body && body.network === 'live'
    expect([...EXPECTED_FAULTS, ...(isLive ? ['service_unavailable'] : [])], said).toContain(answer.error.code)
  }
  if (status >= 400) expect(answer.error.message.length, said).toBeLessThan(500)
}

const pathOf = (operation: Operation, onOfficial: boolean) =>
  confirmed(operation, pathWith(operation.path, onOfficial ? officialIds : ids))

const header = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
})
const HEADERS = fc.record(
  {
    'idempotency-key': header,
    'x-request-id': header,
    accept: header,
    'user-agent': header,
    'accept-encoding': header,
    cookie: header,
    'x-forwarded-for': header,
    'x-forwarded-host': header,
    'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    'if-match': header,
    'content-encoding': fc.constantFrom('gzip', 'br', 'identity'),
  },
  { requiredKeys: [] },
)
const TYPES = fc.oneof({ weight: 20, arbitrary: fc.constant('application/json') }, { weight: 1, arbitrary: header })

/** A body as it goes over the wire. */
const GARBAGE = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ODD.map((value) => JSON.stringify(value)),
  fc.tuple(ODD, fc.nat(30), fc.string({ maxLength: 3 })).map(([value, at, insert]) => {
    const text = JSON.stringify(value)
    return text.slice(0, at) + insert + text.slice(at)
  }),
)

/** Where fields exclude each other, what keeps to that. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
const to = fc.stringMatching(/^1202555[0-9]{4}$/)
const media = {
  media_type: fc.constantFrom('image', 'audio', 'video', 'document'),
  media_url: fc.constantFrom(
    'https://media.sandbox/image.png',
    'https://media.sandbox/document.pdf',
    'https://media.sandbox/missing',
  ),
}
const MEANT: Readonly<Record<string, fc.Arbitrary<object>>> = {
  sendMessage: fc.oneof(
    fc.record({ to, text }),
    fc.record({ to, ...media, caption: text }),
    fc.record({
      to,
      cloud_api: fc.record({ type: fc.constant('text'), text: fc.dictionary(text, ODD, { maxKeys: 3 }) }),
    }),
  ),
  callEngine: fc.record({ to, text }),
  createAgent: fc.record({ name: text, provider: fc.constant('builtin') }),
  updateAgent: fc.record({ name: text }),
  updateStage: fc.record({ name: text }),
  testAgent: fc.record({ message: text }),
  updateAiSettings: fc.record({ timezone: fc.constant('UTC') }),
  createContact: fc.record({ phone: to }),
  createSubAccount: fc.record({ name: text }),
  createOptOut: fc.record({ phone: to }),
  // An address at random has no scheme, or leads nowhere.
  setInstanceWebhook: fc.record({ url: fc.constant('https://catcher.sandbox/fuzz') }),
  postInstanceWebhook: fc.record({ url: fc.constant('https://catcher.sandbox/fuzz') }),
  connectGhl: fc.record({ mode: fc.constant('oauth') }),
  sendRawMessage: fc.record({ to, type: fc.constant('text'), text: fc.record({ body: text }) }),
  replayWebhook: fc.record({ since: fc.constant('2026-01-05T11:00:00.000Z') }),
  speakFromSandboxPhone: fc.oneof(
    fc.record({ to, text, referral: fc.dictionary(text, ODD, { maxKeys: 3 }) }),
    fc.record({ to, media_type: media.media_type }),
  ),
}

/** Earlier operations may have ended the links, wiped the sessions behind them, or paused the webhook. */
async function relink(): Promise<void> {
  const line = ids['instances'] ?? ''
  await w.api('POST', `/v1/instances/${line}/restart`)
  await w.api('PATCH', `/v1/webhooks/${ids['webhooks'] ?? ''}`, { active: true })
  await w.quiet()
  const { pairing_code } = (await w.api('GET', `/v1/instances/${line}/qr`)).body
  if (pairing_code) await w.api('POST', '/v1/sandbox/phones/12025550100/scan', { pairing_code })
  await w.api('POST', `/v1/sandbox/instances/${officialIds['instances'] ?? ''}/onboard`, { number: '12025550101' })
  await w.quiet()
}

const runs = (all: number) => ({
  seed: SEED,
  numRuns: Math.ceil(all / ACTING.length / sized(2, 1)),
  endOnFailure: true,
})

describe.each(ACTING.map((operation) => ({ line: lineOf(operation), operation })))('$line', ({ operation }) => {
  const { method, id, body: schema = { type: 'object', properties: {} } } = operation

  beforeAll(async () => {
    await relink()
  })

  test('A-01 handles random bytes and headers without an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(GARBAGE, HEADERS, TYPES, fc.boolean(), async (payload, headers, type, onOfficial) => {
        const path = ENDING.includes(operation.id) ? pathWith(operation.path) : pathOf(operation, onOfficial)
        const answer = await inPassing(
          w.clock,
          w.api(method, path, payload, { headers: { ...headers, 'content-type': type } }),
        )
        holdToRules(operation, payload, answer)
      }),
      runs(2_600),
    )
  })

  test('A-01 handles nearly valid bodies without an internal error, and has no effect that its schema forbids', async () => {
    const fits = judge.compile(schema)
    // A file can be anything.
    const isAllowed = (body: unknown) => operation.bodyFile !== undefined || fits(body)
    const cases = fc.oneof(
      { weight: 3, arbitrary: nearly(schema) },
      { weight: 1, arbitrary: allowedBy(schema) },
      ...(MEANT[id] === undefined ? [] : [{ weight: 2, arbitrary: MEANT[id] }]),
    )
    await fc.assert(
      fc.asyncProperty(cases, HEADERS, fc.boolean(), async (body, headers, onOfficial) => {
        const path = ENDING.includes(operation.id) ? pathWith(operation.path) : pathOf(operation, onOfficial)
        // Of a raw payload anything is allowed; the judge of what may be in it is the network.
        const { 'content-encoding': _encoding, ...plain } = headers
        const mark = await w.mark()
        const allowed = isAllowed(structuredClone(body))
        const answer = await inPassing(w.clock, w.api(method, path, JSON.stringify(body), { headers: plain }))
        if (answer.status < 300) carriedOut.add(operation.id)
        holdToRules(operation, body, answer)
        if (allowed) return
        expect(answer.status, JSON.stringify(body).slice(0, 500)).toBeGreaterThanOrEqual(400)
        expect(await w.typesSince(mark)).toEqual([])
      }),
      runs(2_600),
    )
  })
})

test('the fuzzer carried out every operation that any valid body can carry out', () => {
  const beyond = [
    'retryDelivery',
    'deleteInstance',
    'deleteWebhook',
    'deleteContact',
    'deleteOptOut',
    // A file at random has no column of numbers.
    'importContacts',
    'importOptOuts',
    'importFaq',
    // Needs a message that may ask for it.
    'answerOptOutQuestion',
    ...['deleteAgent', 'deleteStage', 'deleteFaq'],
    // Needs the ids of all stages.
    'orderStages',
    // Needs the address of a provider.
    'putProviderKey',
    'refreshInstanceQr',
    'scanSandboxCode',
    'deleteSandboxMessage',
    'onboardSandboxInstance',
    // Need a call that runs.
    ...['answerSandboxCall', 'hangUpSandboxCall', 'joinGroupFromSandboxPhone'],
    // Need an official number that is connected.
    ...['createTemplate', 'updateTemplate', 'unpauseTemplate', 'deleteTemplate'],
    // Sandbox numbers make no calls to Meta; usernames and ice breakers have rules of their own.
    ...['updateOfficialSettings', 'setUsername', 'setConversationalComponents'],
    // Need a number that is connected, people who have written, and a group.
    ...['blockPerson', 'unblockPerson', 'showChatTyping'],
    ...['createGroupChat', 'updateGroupChat', 'deleteGroupChat'],
    // Needs the options of the poll.
    'voteInSandboxPoll',
    // Needs a message with buttons.
    'tapSandboxMessage',
    // Need a pairing that asks for a passkey.
    'answerInstancePasskey',
    'confirmInstancePasskey',
    'createInstancePasskeyLink',
    // Need an instance, or a campaign in a certain state.
    'createCampaign',
    'previewCampaign',
    'pauseCampaign',
    'resumeCampaign',
    'cancelCampaign',
    'startCampaign',
    'updateCampaign',
    'deleteCampaign',
    'testCampaign',
    'importCampaignRecipients',
    // Need a connection with a CRM, or a contact there.
    'backfillGhl',
    'backfillCrmWebhook',
    'rotateCrmWebhookSecret',
    'updateCrmWebhook',
    'updateGhl',
    'updateSandboxGhlContact',
    'writeSandboxGhlMessage',
    // Needs a connected live number.
    'startHistoryImport',
    // Need a connected number without a check, or a check that runs.
    ...['startNumberCheck', 'updateNumberCheck'],
    // Need an agent, a call in a certain state, or a session description.
    'scheduleVoiceCall',
    'scheduleVoiceCallBatch',
    'cancelVoiceCall',
    'holdVoiceCall',
    'resumeVoiceCall',
    'sendVoiceCallDigits',
    'transferVoiceCall',
    'createVoiceWidget',
    'updateVoiceWidget',
    'deleteVoiceWidget',
    // Needs two instances of one number.
    'fuseInstances',
    // Need something that is sold, a test card, or something to pay or refund.
    'createPurchase',
    'createCheckout',
    'setSandboxCard',
    'paySandboxCheckout',
    'refundSandboxPurchase',
    'setClientBilling',
    'removeClientBilling',
    // Needs as many free slots as it asks for, and a time zone that exists.
    'createSubAccount',
    // Need another account than their own, or end what they are about.
    'transferInstance',
    'deleteSubAccount',
  ]
  const expected = ACTING.map(({ id }) => id).filter((id) => !beyond.includes(id))
  expect([...carriedOut].filter((id) => expected.includes(id)).toSorted()).toEqual(expected.toSorted())
})

const judge = new Ajv2020({
  strict: false,
  formats: { uuid: isUuid, uri: true, email: true, 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
})

test('random queries and ids cause no internal error', async () => {
  const reading = OPERATIONS.filter(({ method }) => method === 'GET')
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    ODD.map((value) => JSON.stringify(value)),
    fc.constantFrom('1', '50', '2026-01-01T00:00:00Z', 'true', ''),
  )
  const names = fc.constantFrom(
    'limit',
    'cursor',
    'updated_since',
    'external_ref',
    'since',
    'status',
    'event_type',
    'webhook_id',
    'instance_id',
    'phone',
    'confirm',
    'x',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...reading),
      fc.array(fc.tuple(names, anything), { maxLength: 5 }),
      fc.option(anything),
      async (operation, query, id) => {
        const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')
        const odd = id === null ? undefined : encodeURIComponent(id.toWellFormed()).slice(0, 900) || 'x'
        const path = odd === undefined ? pathWith(operation.path, ids) : operation.path.replaceAll(/\{\w+\}/g, odd)
        const answer = await w.wire('GET', `${path}?${search}`)
        holdToRules(operation, search, answer)
      },
    ),
    { seed: SEED, numRuns: sized(200, 800), endOnFailure: true },
  )
})

test('random messages to /mcp cause no internal error', async () => {
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: ODD,
      method: fc.oneof(
        fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'server/discover'),
        fc.string(),
      ),
      params: ODD,
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, fc.array(message, { maxLength: 3 }), ODD), async (body) => {
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' }
      const answer = await w.wire('POST', '/mcp', JSON.stringify(body), { headers })
      expect(answer.status, JSON.stringify(body)).toBeLessThan(500)
      expect(answer.text).not.toMatch(/node_modules|\.ts:\d|TypeError/)
    }),
    { seed: SEED, numRuns: sized(50, 200), endOnFailure: true },
  )
})

test('A-02 random byte streams are refused or their connection is closed, and the service continues to work', async () => {
  const [hostname = '', port] = w.host.split(':')
  const head = `POST /v1/instances/none/restart HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\n`
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        'GET / HTTP/1.1\r\n',
        'Host: x\r\n',
        '\r\n',
        '\n',
        ':',
        'Content-Length: 5\r\n',
        'Content-Length: -1\r\n',
        'Transfer-Encoding: chunked\r\n',
        '5\r\nabcde\r\n',
        '0\r\n\r\n',
        'FFFFFFFFFFFFFFFF\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        ' ',
        '\t',
        'Expect: 100-continue\r\n',
        'Upgrade: h2c\r\n',
        head,
      )
      .map((text) => Buffer.from(text)),
  )
  const stream = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((all) => Buffer.concat(all))
  const streams = fc.sample(stream, { seed: SEED, numRuns: sized(100, 400) })
  const before = (await w.api('GET', '/v1/instances')).body.count
  for (let i = 0; i < streams.length; i += 50) {
    const heard = await Promise.all(streams.slice(i, i + 50).map((bytes) => halfClosed(Number(port), hostname, bytes)))
    for (const answer of heard) if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 (100|4\d\d) /)
  }
  expect((await w.api('GET', '/v1/instances')).body.count).toBe(before)
})

/** Sends everything and its end. @returns what came back until the service closed its side. */
function halfClosed(port: number, hostname: string, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, hostname, () => socket.end(bytes))
    let heard = ''
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')))
    socket.on('error', () => {})
    socket.once('close', () => resolve(heard))
  })
}

test('after all fuzzing the service still answers, and every event in the ledger is complete', async () => {
  expect((await w.api('GET', '/v1/me')).status).toBe(200)
  expect((await w.api('GET', `/v1/instances/${ids['instances'] ?? ''}`)).status).toBe(200)
  for (const event of await w.events())
    expect(event).toMatchObject({ event_id: expect.stringMatching(/^evt_/), account_id: w.account.id })
})
