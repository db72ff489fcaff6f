import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { startWhatsApp } from '../support/stand-in.ts'
import type { WhatsApp } from '../support/whatsapp/index.ts'
import { pairedLive } from '../support/whatsapp/paired.ts'
import { converse, livePerson, sandboxPerson, SEND_TIMEOUT_MS, type Line, type Person } from './conversation.ts'

interface Row {
  readonly engine: Line['engine']
  readonly number: string
  connect(api: Api, number: string): Promise<string>
  /** Somebody on the network behind it; where it is left out, on the sandbox. */
  person?(ours: string, number: string): Person
  /** Somebody there who hides their number. */
  hidden?(ours: string): Line['hidden']
}

/** Free text of the official engine reaches only people who have written in the last 24 hours. */
async function letPeopleWrite(api: Api, number: string): Promise<void> {
  for (const ending of ['0101', '0102', '0103', '0105', '0404', '0410', '0502', '0504']) {
    const { status } = await api('POST', `/v1/sandbox/phones/1202555${ending}/messages`, { to: number, text: 'Hi' })
    expect(status).toBe(201)
  }
}

/** How each engine comes to a connected number. Another engine joins by a row here. */
const LINES: Readonly<Record<string, Row>> = {
  'sandbox smv2': {
    engine: 'smv2',
    number: '12025550301',
    connect: (api, number) => pairedInstance(api, number),
  },
  'sandbox official': {
    engine: 'official',
    number: '12025550302',
    async connect(api, number) {
      const { id } = (await api('POST', '/v1/instances', { engine: 'official' })).body
      await letPeopleWrite(api, number)
      await api('POST', `/v1/sandbox/instances/${id}/onboard`, { number })
      return id as string
    },
  },
  'the Cloud adapter against the Graph simulator': {
    engine: 'official',
    number: '12025550303',
    async connect(api, number) {
      const made = (await api('POST', '/v1/instances', { engine: 'official', network: 'live' })).body
      const { status, body } = await api('POST', '/v1/sandbox/graph/numbers', { number })
      expect(status).toBe(201)
      await letPeopleWrite(api, number)
      const page = await fetch(made.onboarding_url, { method: 'POST', body: new URLSearchParams({ ...body }) })
      expect(page.status, await page.text()).toBe(200)
      return made.id as string
    },
  },
  'the smv2 driver against the stand-in for WhatsApp': {
    engine: 'smv2',
    number: '12025550304',
    connect: (api, number) => pairedLive(api, whatsapp, number),
    person: (ours, number) => livePerson(whatsapp, ours, number),
    hidden(ours) {
      whatsapp.phone('12025550177', { shows: 'lid_only' })
      return livePerson(whatsapp, ours, '12025550177')
    },
  },
}

let whatsapp: WhatsApp
let home: TestHome
let service: RunningService
let key: string

beforeAll(async () => {
  // Longer than anybody waits for an answer here.
  whatsapp = await startWhatsApp({ heldAckMs: 2 * SEND_TIMEOUT_MS })
  home = testHome()
  home.write({
    send_timeout_ms: SEND_TIMEOUT_MS,
    'pace.per_minute': 0,
    'sandbox.timeline_ms': [5, 15, 30, 45],
    'official.graph_base_url': 'sandbox',
  })
  key = (await home.key('Conversation')).key
  service = await home.start(whatsapp.environment)
})
afterAll(async () => {
  await home.remove()
  await whatsapp.close()
})

async function fileOf(instanceId: string, mediaId: string): Promise<Buffer> {
  const address = `${service.url}/v1/instances/${instanceId}/media/${encodeURIComponent(mediaId)}`
  const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  return Buffer.from(await answer.arrayBuffer())
}

const ROWS = Object.entries(LINES)

describe.each(ROWS)('%s', (name, { engine, number, connect, person, hidden }) => {
  test('carries the conversation', async () => {
    const api = service.api(key)
    const instanceId = await connect(api, number)
    await until(
      `${name}: connected`,
      async () => (await api('GET', `/v1/instances/${instanceId}/connection`)).body.connected,
    )
    await converse({
      ...{ name, engine, api, instanceId },
      hidden: hidden?.(number) ?? sandboxPerson(() => service.api(key), number, `9000000${number.slice(-8)}`),
      person: (other) => person?.(number, other) ?? sandboxPerson(() => service.api(key), number, other),
      async restart() {
        const { port } = new URL(service.url)
        await service.end('SIGKILL')
        // Meta calls back at the address that it was given.
        service = await home.start(whatsapp.environment, '--port', port)
        return service.api(key)
      },
      hasMagicNumbers: true,
      ...((engine === 'official' || person) && { file: (mediaId) => fileOf(instanceId, mediaId) }),
    })
    // One person is one chat for each of them; the next line meets people who have never heard of it.
    for (const ending of ['0101', '0102', '0103', '0105']) {
      await service.api(key)('POST', '/v1/sandbox/phones', { number: `1202555${ending}`, online: true })
    }
  })
})
