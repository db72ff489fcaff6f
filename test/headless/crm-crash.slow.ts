import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'

const CONTACTS = 40
const OF_CONTACT = 50
const KILLS = 5
const LINE = '12025550100'
const PHONES = Array.from({ length: CONTACTS }, (_, i) => String(13_105_551_000 + i))

let home: TestHome
let service: RunningService
let key: string
let instance: string

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  home = testHome()
  home.write({ 'sandbox.timeline_ms': [1, 3, 6, 9], 'sandbox.ghl_burst': 4_000 })
  key = (await home.key('Crash')).key
  service = await home.start()
  instance = await pairedInstance(api, LINE)
  await connect()
})
afterAll(() => home.remove())

async function connect(): Promise<void> {
  const { body } = await api('POST', `/v1/instances/${instance}/ghl/connect`, { mode: 'oauth' })
  const url: string = body.authorization_url
  const page = await (await fetch(url)).text()
  const location = /<option value="([^"]+)">Main office/.exec(page)?.[1] ?? ''
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await fetch(url, { method: 'POST', headers, body: `decision=allow&location=${location}` })
  expect(answer.status).toBe(200)
}

/** Writes in order; what was under way at a kill may have been taken, so each attempt has words of its own. */
async function writeAll(kind: string, write: (text: string) => Promise<number>): Promise<void> {
  for (let i = 0; i < OF_CONTACT; i++) {
    for (let attempt = 0; ; attempt++) {
      const status = await write(`${kind} ${i}.${attempt}`).catch(() => 0)
      if (status >= 200 && status < 300) break
      await pause(50)
    }
  }
}

test('2,000 messages each way through five kills and a storm of 429: none lost, doubled or out of order', async () => {
  const conversations = await Promise.all(
    PHONES.map(async (phone) => (await api('POST', '/v1/sandbox/ghl/contacts', { phone: `+${phone}` })).body),
  )
  const writing = Promise.all([
    ...PHONES.map((phone) =>
      writeAll('in', async (text) => {
        const { status } = await api('POST', `/v1/sandbox/phones/${phone}/messages`, { to: LINE, text })
        return status
      }),
    ),
    ...conversations.map(({ conversation_id: id }) =>
      writeAll('out', async (text) => {
        const { status } = await api('POST', `/v1/sandbox/ghl/conversations/${id}/messages`, { text })
        return status
      }),
    ),
  ])
  for (let kills = 0; kills < KILLS; kills++) {
    await pause(900 + 350 * kills)
    if (kills === 2) await api('POST', '/v1/sandbox/ghl/faults', { kind: 'rate_limited', times: 24 })
    if (kills === 3) await api('POST', '/v1/sandbox/ghl/faults', { kind: 'duplicate_delivery', times: 40 })
    await service.end('SIGKILL')
    service = await home.start()
  }
  await api('POST', '/v1/sandbox/ghl/faults', { kind: 'rate_limited', times: 24 })
  await writing
  const isQuiet = async () => {
    const { waiting } = (await api('GET', `/v1/instances/${instance}/ghl`)).body
    return waiting.to_crm === 0 && waiting.to_contacts === 0 && undelivered() === 0
  }
  await until('everything to be delivered', isQuiet, 200_000)
  await pause(500)
  await until('everything to be delivered', isQuiet)

  const wrong: string[] = []
  let [inbound, outbound] = [0, 0]
  for (const [at, phone] of PHONES.entries()) {
    const { conversation_id: id } = conversations[at]
    const heard = rows<{ text: string }>(
      "SELECT text FROM messages WHERE chat = ? AND direction = 'in' ORDER BY seq",
      phone,
    ).map(({ text }) => text)
    const written = rows<{ text: string; status: string; error: string | null }>(
      "SELECT text, status, error FROM sandbox_ghl_messages WHERE conversation_id = ? AND source = 'app' ORDER BY seq",
      id,
    )
    const copied = rows<{ text: string }>(
      "SELECT text FROM sandbox_ghl_messages WHERE conversation_id = ? AND source = 'api' ORDER BY seq",
      id,
    ).map(({ text }) => text)
    const { body } = await api('GET', `/v1/sandbox/phones/${phone}/messages?limit=200`)
    const received = body.data.toReversed().map(({ text }: { text: string }) => text)
    inbound += heard.length
    outbound += written.length
    if (JSON.stringify(copied) !== JSON.stringify(heard)) wrong.push(`${phone}: ${difference(heard, copied)}`)
    const words = written.map(({ text }) => text)
    if (JSON.stringify(received) !== JSON.stringify(words)) wrong.push(`to ${phone}: ${difference(words, received)}`)
    const unread = written.filter(({ status }) => status !== 'read')
    for (const { text, status, error } of unread) wrong.push(`${phone}: ${text} is shown as ${status}, ${error}`)
  }
  expect(wrong).toEqual([])
  expect(inbound).toBeGreaterThanOrEqual(CONTACTS * OF_CONTACT)
  expect(outbound).toBeGreaterThanOrEqual(CONTACTS * OF_CONTACT)
})

function rows<R>(text: string, ...params: unknown[]): R[] {
  const db = new Database(join(home.dir, 'switchboard.db'), { readonly: true })
  try {
    return db.prepare(text).all(...params) as R[]
  } finally {
    db.close()
  }
}

const undelivered = () => rows<{ n: number }>('SELECT count(*) AS n FROM sandbox_ghl_deliveries')[0]?.n ?? 0

/** The first place where they differ, with their lengths. */
function difference(wanted: readonly string[], found: readonly string[]): string {
  const at = wanted.findIndex((text, i) => found[i] !== text)
  return `${found.length} of ${wanted.length}, at ${at}: ${found[at] ?? 'nothing'} in place of ${wanted[at] ?? 'nothing'}`
}
