import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { catchEverything, caught, everyPage, pairedInstance } from '../support/sandbox.ts'
import { testHome, until, type Api, type TestHome } from '../support/service-process.ts'
import { slowness } from '../support/loop-stretch.ts'

const CUSTOMER = '12025550101'
const NOT_ON_WHATSAPP = '12025550404'
const SILENT = '12025550504'
const IN_FLIGHT = 64

let home: TestHome

beforeEach(() => {
  home = testHome()
})

afterEach(() => home.remove())

test('L-04 SIGTERM during 64 deliveries and a send exits within six seconds; the next start resumes and counts no attempt', async () => {
  home.write({ 'sandbox.timeline_ms': [0, 0, 0, 0] })
  const { key } = await home.key('Quit')
  const first = await home.start()
  const api = first.api(key)
  const instance = await pairedInstance(api, '12025550100')
  await catchEverything(api, 'quit', { max_in_flight: IN_FLIGHT })
  await untilInFlight(api, instance)
  const open = await openDeliveries(api)
  const waiting = api(
    'POST',
    `/v1/instances/${instance}/messages`,
    { to: SILENT, text: 'Hello' },
    { 'idempotency-key': 'quit' },
  ).catch(() => null)
  await until('the send', async () => {
    const { status } = await api('GET', `/v1/instances/${instance}/messages?idempotency_key=quit`)
    return status === 200
  })

  const toldAt = performance.now()
  expect(await first.end('SIGTERM')).toBe(0)
  const tookMs = performance.now() - toldAt
  expect(tookMs).toBeGreaterThan(4_500)
  expect(tookMs / slowness()).toBeLessThan(6_000)
  expect(await waiting).toMatchObject({ status: 504, body: { error: { code: 'upstream_timeout' } } })
  expect([first.errors(), first.out().split('\n').length]).toEqual(['', 2])

  receiverComesBack()
  const second = await home.start()
  const after = second.api(key)
  await until('every delivery', async () => (await openDeliveries(after)).length === 0)
  // The catcher took the first request and hung over the answer: it is no failure of the receiver, and a second follows.
  for (const { id } of open) {
    const { body } = await after('GET', `/v1/webhooks/deliveries/${id}`)
    const log = body.attempt_log as { attempt: number; outcome: string; counted: boolean }[]
    expect([body.status, body.attempts]).toEqual(['delivered', 2])
    expect(log.map(({ attempt, outcome, counted }) => [attempt, outcome, counted])).toEqual([
      [1, 'interrupted', false],
      [2, 'success', false],
    ])
  }
  const requests = (await caught(after, 'quit')).map(({ body }) => JSON.parse(body))
  const pairs = requests.map(({ event_id: id, attempt }) => `${id} ${attempt}`)
  expect(new Set(pairs).size).toBe(pairs.length)
  process.stdout.write(
    `SIGTERM with ${IN_FLIGHT} deliveries and a send under way: ended after ${Math.round(tookMs)} ms\n`,
  )
})

/** While no service runs: told through the API it would come too late for the first deliveries of the next one. */
function receiverComesBack(): void {
  const database = new Database(join(home.dir, 'switchboard.db'))
  database.exec('UPDATE sandbox_catchers SET reply_hang = 0')
  database.close()
}

interface Open {
  readonly id: string
  readonly attempts: number
  readonly next_attempt_at: string | null
}

const openDeliveries = async (api: Api) =>
  (await everyPage<Open>(api, '/v1/webhooks/deliveries')).filter((delivery) => delivery.next_attempt_at !== null)

/** 64 deliveries wait for the catcher's answer, and no other is open. */
async function untilInFlight(api: Api, instance: string): Promise<void> {
  const sendAll = (to: string) =>
    Promise.all(
      Array.from({ length: IN_FLIGHT }, () => api('POST', `/v1/instances/${instance}/messages`, { to, text: 'Hello' })),
    )
  // A webhook's window grows with each success.
  await sendAll(CUSTOMER)
  await until('the first deliveries', async () => (await openDeliveries(api)).length === 0)
  await api('PUT', '/v1/sandbox/catcher/quit', { hang: true })
  await sendAll(NOT_ON_WHATSAPP)
  await until('a full window', async () => {
    const open = await openDeliveries(api)
    return open.length === IN_FLIGHT && open.every(({ attempts }) => attempts === 1)
  })
}
