import { afterAll, beforeAll, expect, test } from 'vitest'
import { pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type RunningService, type TestHome } from '../support/service-process.ts'
import { slowness } from '../support/loop-stretch.ts'

const CHATS = 100
const NUMBER = '12025550302'
const PHONES = Array.from({ length: CHATS }, (_, at) => String(13_108_101_000 + at))

let home: TestHome
let service: RunningService
let key: string
let instance: string

const api: Api = (...asked) => service.api(key)(...asked)

beforeAll(async () => {
  home = testHome()
  home.write({ 'sandbox.timeline_ms': [1, 3, 6, 9], rate_limit_per_minute: 1_000_000 })
  key = (await home.key('Load')).key
  service = await home.start()
  instance = await pairedInstance(api, NUMBER)
  const at = `/v1/instances/${instance}/ai`
  await api('PUT', `${at}/provider-keys/custom`, { base_url: 'https://model.sandbox/v1' })
  await api('POST', `${at}/agents`, { name: 'Slow', provider: 'custom', model: 'sandbox-1', tools: [] })
  await api('PATCH', `${at}/settings`, { enabled: true, timezone: 'UTC', debounce_seconds: 1 })
})
afterAll(() => home.remove())

/** Milliseconds of calls one after another, for as long as asked. */
async function times(ms: number, isOver: () => boolean = () => false): Promise<number[]> {
  const found: number[] = []
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs && !isOver()) {
    const before = performance.now()
    expect((await api('GET', `/v1/instances/${instance}`)).status).toBe(200)
    found.push(performance.now() - before)
    await pause(5)
  }
  return found
}

const p99 = (found: readonly number[]): number => found.toSorted((a, b) => a - b)[Math.floor(found.length * 0.99)] ?? 0

test('100 concurrent chats with a model that takes 2 s are answered in parallel, and the API stays fast', async () => {
  const text = JSON.stringify({ reply: 'We are open.', confidence: 0.9, needs_person: false })
  const replies = Array.from({ length: CHATS }, () => ({ text, delay_ms: 2_000 }))
  expect((await api('POST', '/v1/sandbox/model/replies', { replies })).status).toBeLessThan(300)
  const quiet = p99(await times(3_000))
  const startedMs = performance.now()
  for (const phone of PHONES)
    await api('POST', `/v1/sandbox/phones/${phone}/messages`, { to: NUMBER, text: 'Are you open?' })
  let isOver = false
  const busy = times(30_000, () => isOver)
  busy.catch(() => {})
  const heardBy = async (phone: string) => (await api('GET', `/v1/sandbox/phones/${phone}/messages`)).body.data.length
  await until('every answer', async () => (await heardBy(PHONES.at(-1) ?? '')) === 1)
  for (const phone of PHONES) await until(`the answer to ${phone}`, async () => (await heardBy(phone)) === 1)
  isOver = true
  const tookMs = performance.now() - startedMs
  const loaded = p99(await busy)
  process.stdout.write(
    `p99 of GET /v1/instances/{id}: ${quiet.toFixed(1)} ms quiet, ${loaded.toFixed(1)} ms with ${CHATS} chats; all answered in ${(tookMs / 1_000).toFixed(1)} s\n`,
  )
  // One after another they would take 200 s.
  expect(tookMs / slowness()).toBeLessThan(40_000)
  // The goal is 50 ms, on a machine that does nothing else. Other tests run beside this one.
  expect(loaded / slowness()).toBeLessThan(Math.max(250, 12 * quiet))
})
