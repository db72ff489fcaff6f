import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyPage } from '../support/sandbox.ts'
import {
  pause,
  testHome,
  until,
  type Api,
  type Reply,
  type RunningService,
  type TestHome,
} from '../support/service-process.ts'

const OURS = '12025550200'
const PEOPLE = Array.from({ length: 5 }, (_, i) => `1202555110${i}`)
const EACH_WAY = 1_000
const KILLS = 5

let home: TestHome
let service: RunningService
let key: string
let instance: string
let phoneNumberId: string

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  home = testHome()
  home.write({ 'sandbox.timeline_ms': [1, 3, 6, 9], 'official.graph_base_url': 'sandbox' })
  key = (await home.key('Crash')).key
  service = await home.start()
  const made = (await api('POST', '/v1/instances', { engine: 'official', network: 'live' })).body
  instance = made.id
  const { body } = await api('POST', '/v1/sandbox/graph/numbers', { number: OURS })
  phoneNumberId = body.phone_number_id
  expect((await fetch(made.onboarding_url, { method: 'POST', body: new URLSearchParams(body) })).status).toBe(200)
})
afterAll(() => home.remove())

test('1,000 messages each way over five kills: each acknowledged message arrives exactly once and in order', async () => {
  await api('POST', `/v1/sandbox/graph/numbers/${phoneNumberId}/faults`, { kind: 'duplicate_callbacks', times: 1 })
  const answered = new Set<string>()
  const said = new Map<string, string[]>(PEOPLE.map((person) => [person, []]))
  let isOver = false

  const killing = (async () => {
    for (let kills = 0; kills < KILLS; kills++) {
      await pause(1_500 + 300 * kills)
      await service.end('SIGKILL')
      service = await home.start()
      await api('POST', `/v1/sandbox/graph/numbers/${phoneNumberId}/faults`, {
        kind: 'duplicate_callbacks',
        times: 1,
      })
    }
    isOver = true
  })()

  /**
   * Asks until somebody answers. A send that a kill cut off is neither repeated nor forgotten: its key stays busy until
   * Meta says what became of it, which for one that never left is never.
   */
  const insist = async (ask: () => Promise<Reply>): Promise<Reply | undefined> => {
    for (let busy = 0; busy < 20;) {
      const answer = await ask().catch(() => undefined)
      if (answer !== undefined && answer.status !== 409 && answer.status !== 429) return answer
      if (answer?.status === 409) busy++
      await pause(50)
    }
    return undefined
  }

  const sending = Promise.all(
    PEOPLE.map(async (to, lane) => {
      for (let i = lane; i < EACH_WAY; i += PEOPLE.length) {
        // A pair takes 45 in advance, so each message goes to somebody of its own.
        const person = `1202556${String(i)
          .padStart(4, '0')
          .replace(/^(....)$/, (ending) => (MAGIC.has(ending) ? '9999' : ending))}`
        const text = `out ${i}`
        // Free text reaches only people who wrote in the last 24 hours.
        await insist(() => api('POST', `/v1/sandbox/phones/${person}/messages`, { to: OURS, text: `first ${i}` }))
        const answer = await insist(() =>
          api('POST', `/v1/instances/${instance}/messages`, { to: person, text }, { 'idempotency-key': text }),
        )
        if (answer?.status === 201 && answer.body.sent) answered.add(`${person} ${text}`)
      }
    }),
  )
  const speaking = Promise.all(
    PEOPLE.map(async (person) => {
      for (let i = 0; i < EACH_WAY / PEOPLE.length; i++) {
        const text = `in ${person} ${i}`
        const answer = await insist(() => api('POST', `/v1/sandbox/phones/${person}/messages`, { to: OURS, text }))
        if (answer?.status === 201) said.get(person)?.push(text)
      }
    }),
  )
  await Promise.all([sending, speaking, killing])
  expect(isOver).toBe(true)

  const events = async () =>
    (await everyPage<{ type: string; data: Record<string, any> }>(api, '/v1/events'))
      .filter(({ type }) => type === 'message.received')
      .toReversed()
  const total = [...said.values()].flat()
  expect(total.length).toBeGreaterThan(EACH_WAY - 100)
  const heard = await until(
    'all was heard',
    async () => {
      const texts = (await events()).map(({ data }) => data['text'] as string)
      const known = new Set(texts)
      const all = [...total, ...(await phones(OURS)).map(({ text }) => text)]
      return all.every((text) => known.has(text)) ? texts : undefined
    },
    60_000,
  )

  for (const [person, mine] of said) {
    const inOrder = heard.filter((text) => text.startsWith(`in ${person} `))
    // What was cut off may have been said twice by the phone itself, as two messages; what was said once is heard once.
    const positions = mine.map((text) => inOrder.indexOf(text))
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  }
  const ids = (await events()).map(({ data }) => data['message_id'] as string)
  expect(new Set(ids).size).toBe(ids.length)
  const spoken = await phones(OURS)
  expect(heard.toSorted()).toEqual(spoken.map(({ text }) => text).toSorted())

  // No message arrived twice, and none that was answered failed to arrive.
  expect(answered.size).toBeGreaterThan(EACH_WAY - 100)
  const numbers = [...new Set([...answered].map((one) => one.split(' ')[0] ?? ''))]
  for (const number of numbers) {
    const arrived = (await phones(number)).map(({ text }) => `${number} ${text}`)
    expect(new Set(arrived).size).toBe(arrived.length)
    for (const one of answered) if (one.startsWith(`${number} `)) expect(arrived).toContain(one)
  }
  const isRead = async (one: string) => {
    const asked = `/v1/instances/${instance}/messages?idempotency_key=${encodeURIComponent(one.slice(12))}`
    await until(`${one} is read`, async () => (await api('GET', asked)).body.status === 'read' || undefined, 90_000)
  }
  for (const one of answered) await isRead(one)
})

/** Endings at which a number misbehaves. */
const MAGIC = new Set(['0463', '0404', '0410', '0502', '0504', '0007', '0047', '0026', '0429', '0190'])

const phones = (number: string) => everyPage<{ text: string }>(api, `/v1/sandbox/phones/${number}/messages`)
