import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SCOPES } from '../../main/contract/scopes.ts'
import type { Principal } from '../../main/kernel/access.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { clientOf, pairedIn, type Client } from '../capabilities/agency/agency-world.ts'
import { asConsole } from '../support/console.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { world, type World } from '../support/world.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A name server that does not answer until `meanwhile` has happened. */
function slowNames(address: string) {
  let asked = Promise.withResolvers<undefined>()
  let released = Promise.withResolvers<undefined>()
  return {
    async resolve(): Promise<string[]> {
      asked.resolve(undefined)
      await released.promise
      return [address]
    },
    async during<T>(act: () => Promise<T>, meanwhile: () => Promise<unknown>): Promise<T> {
      asked = Promise.withResolvers()
      released = Promise.withResolvers()
      const acting = act()
      // It may be refused before anything is looked up.
      await Promise.race([asked.promise, acting])
      await meanwhile()
      released.resolve(undefined)
      return acting
    },
  }
}

type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; body?: any }>

interface Scene {
  readonly w: World
  readonly names: ReturnType<typeof slowNames>
  readonly client: Client
  readonly agency: Ask
  readonly instance: string
  readonly agent: string
  readonly tool: string
  readonly webhook: string
}

/** What waits for the address of a server before it stores something. */
interface Act {
  /** @param host whose address takes its time. */
  readonly act: (scene: Scene, ask: Ask, host: string) => ReturnType<Ask>
  /** Programs cannot do it. */
  readonly inWindow?: true
  /** Rows that must be as before. */
  readonly rows: string
}

const ACTS: Readonly<Record<string, Act>> = {
  'a webhook is created': {
    act: (_, ask, host) => ask('POST', '/v1/webhooks', { url: `https://${host}/hook`, events: ['*'] }),
    rows: 'SELECT id, url FROM webhooks ORDER BY id',
  },
  'a webhook gets another address': {
    act: ({ webhook }, ask, host) => ask('PATCH', `/v1/webhooks/${webhook}`, { url: `https://${host}/hook` }),
    rows: 'SELECT id, url FROM webhooks ORDER BY id',
  },
  'a number gets a webhook': {
    act: ({ instance }, ask, host) =>
      ask('PUT', `/v1/instances/${instance}/webhook`, { url: `https://${host}/hook`, events: ['MESSAGE'] }),
    rows: 'SELECT * FROM instance_webhooks ORDER BY instance_id',
  },
  'a number gets a CRM webhook': {
    act: ({ instance }, ask, host) =>
      ask('PUT', `/v1/instances/${instance}/crm-webhook`, { url: `https://${host}/hook` }),
    rows: 'SELECT id, url FROM crm_links ORDER BY id',
  },
  'an agent gets a tool': {
    act: ({ instance, agent }, ask, host) =>
      ask('POST', `/v1/instances/${instance}/ai/agents/${agent}/http-tools`, {
        ...TOOL,
        name: 'second',
        url: `https://${host}/hook`,
      }),
    inWindow: true,
    rows: 'SELECT id, url FROM ai_http_tools ORDER BY id',
  },
  'a tool gets another address': {
    act: ({ instance, agent, tool }, ask, host) =>
      ask('PATCH', `/v1/instances/${instance}/ai/agents/${agent}/http-tools/${tool}`, { url: `https://${host}/hook` }),
    inWindow: true,
    rows: 'SELECT id, url FROM ai_http_tools ORDER BY id',
  },
  'a provider gets a key': {
    act: ({ instance }, ask, host) =>
      ask('PUT', `/v1/instances/${instance}/ai/provider-keys/custom`, { api_key: 'k', base_url: `https://${host}/v1` }),
    rows: 'SELECT instance_id, provider, base_url FROM ai_provider_keys ORDER BY instance_id',
  },
  'a number gets a trunk': {
    inWindow: true,
    act: ({ instance }, ask, host) => ask('PUT', `/v1/instances/${instance}/voice/trunk`, { ...TRUNK, host }),
    rows: 'SELECT instance_id, host FROM voice_trunks ORDER BY instance_id',
  },
  'an account gets speech services': {
    inWindow: true,
    act: (_, ask, host) =>
      ask('PUT', '/v1/voice/speech', { brain: 'realtime', realtime_url: `wss://${host}/v1`, api_key: 'k' }),
    rows: 'SELECT account_id, services FROM voice_speech ORDER BY account_id',
  },
  'a file is fetched for a message': {
    act: ({ instance }, ask, host) =>
      ask('POST', `/v1/instances/${instance}/messages`, {
        ...{ to: '12025550177', media_url: `http://${host}/a.png`, media_type: 'image' },
      }),
    rows: 'SELECT id FROM messages ORDER BY id',
  },
}

/** The smallest there is. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const TOOL = { name: 'first', description: 'Looks an order up', method: 'GET' }
const TRUNK = { port: 5060, transport: 'tls', username: 'u', password: 'p' }

let scene: Scene
let server: Receiver
beforeAll(async () => {
  const file = { headers: { 'content-type': 'image/png' }, body: PNG }
  server = await startReceiver({ name: 'slow.example', script: file, plain: true })
  const names = slowNames(server.address)
  const w = await world({ receivers: [server], resolve: names.resolve })
  const client = await clientOf(w, { features: ['ai', 'voice', 'ghl'] })
  const agency = asConsole(w, { accountId: client.id as AccountId })
  const { id: instance } = await pairedIn(w, client, '12025550100')
  const path = `/v1/instances/${instance}`
  const agent = (await must(client.api('POST', `${path}/ai/agents`, { name: 'Luz', provider: 'custom', model: 'm' })))
    .id
  const tools = `${path}/ai/agents/${agent}/http-tools`
  const tool = (await must(agency('POST', tools, { ...TOOL, url: 'https://catcher.sandbox/a' }))).id
  const hook = { url: 'https://catcher.sandbox/a', events: ['message.received'] }
  const webhook = (await must(client.api('POST', '/v1/webhooks', hook))).id
  scene = { w, names, client, agency, instance, agent, tool, webhook }
})
afterAll(async () => {
  await scene.w.close()
  await server.close()
})

async function must(asking: ReturnType<Ask>) {
  const { status, body } = await asking
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

/** Somebody who may do everything, and how their access ends. */
interface Caller {
  readonly ask: Ask
  readonly end: () => ReturnType<Ask>
}

let members = 0
const CALLERS: Readonly<Record<string, () => Promise<Caller>>> = {
  async 'the key is revoked'() {
    const { w, client, agency } = scene
    const wish = { name: 'Integration', scopes: SCOPES }
    const { id, key } = await must(w.api('POST', `/v1/agency/accounts/${client.id}/keys`, wish))
    return {
      ask: (method, to, body) => w.api(method, to, body, { key }),
      end: () => agency('DELETE', `/v1/keys/${id}?confirm=true`),
    }
  },
  async 'the member is removed'() {
    const { w, client, agency } = scene
    const { member } = await must(
      agency('POST', '/v1/members', { name: 'Ana', email: `ana${++members}@client.example` }),
    )
    const principal: Principal = {
      ...{ kind: 'console', role: 'member', accountId: client.id as AccountId, accountName: 'Client', key: null },
      ...{ scopes: [], allowedInstanceIds: null, ratePerMinute: 1_000, source: 'console', member },
    }
    return {
      ask: (method, path, body) => w.service.door.call(principal, { method, path, ...(body && { body }) }),
      end: () => agency('DELETE', `/v1/members/${member.id}?confirm=true`),
    }
  },
}

const CASES = Object.keys(CALLERS).flatMap((ending) =>
  Object.entries(ACTS)
    .filter(([, { inWindow }]) => inWindow !== true || !ending.includes('key'))
    .map(([what]) => ({ ending, what })),
)

test.each(CASES)('A-08 while $what, $ending: nothing is stored', async ({ ending, what }) => {
  const { act, rows } = ACTS[what]!
  const { ask, end } = await CALLERS[ending]!()
  const before = await scene.w.rows(rows)
  // A name that was looked up is known for a while.
  const host = `slow-${CASES.findIndex((one) => one.ending === ending && one.what === what)}.example`
  const answer = await scene.names.during(
    () => act(scene, ask, host),
    () => must(end()),
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(401)
  expect(answer.body.error.message).toBe(
    'Your access ended while this call was being carried out. Nothing was changed.',
  )
  expect(await scene.w.rows(rows)).toEqual(before)
})

test.each(Object.keys(ACTS))('while %s, no access ends, and the change is stored', async (what) => {
  const { act, rows } = ACTS[what]!
  const before = await scene.w.rows(rows)
  const host = `quick-${Object.keys(ACTS).indexOf(what)}.example`
  await must(
    scene.names.during(
      () => act(scene, scene.agency, host),
      async () => {},
    ),
  )
  expect(await scene.w.rows(rows)).not.toEqual(before)
})

test('A-08 a change by the agency in an account that is deleted meanwhile is not stored', async () => {
  const { w, names } = scene
  const gone = await clientOf(w)
  const rows = 'SELECT id FROM webhooks WHERE account_id = :id AND deleted_at IS NULL'
  const answer = await names.during(
    () =>
      asConsole(w, { accountId: gone.id as AccountId })('POST', '/v1/webhooks', {
        url: 'https://gone.example/hook',
        events: ['*'],
      }),
    () => must(w.api('DELETE', `/v1/agency/accounts/${gone.id}?confirm=true`)),
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(401)
  expect(await w.rows(rows, { id: gone.id })).toEqual([])
})
