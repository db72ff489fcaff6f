import { createHmac } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { checkInvariants } from '../../../main/capabilities/webhooks/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../../main/kernel/ids.ts'
import { createOutbound } from '../../../main/outbound/outbound.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { MIGRATIONS } from '../../../main/storage/migrations/index.ts'
import { testDatabase } from '../../support/database.ts'
import { outside, startReceiver } from '../../support/receiver.ts'
import { ACCOUNT, fact, openRoom } from './world.ts'
import { keepsAccess } from '../../support/access.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** The same room with the machine's own clock, TLS and a receiver that listens. */
async function realWorld() {
  const receiver = await startReceiver()
  const ids = createIds(systemClock, systemRandom)
  const { db, raw, close } = await testDatabase(MIGRATIONS, { clock: systemClock, ids })
  raw.prepare('INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, ?, 0, 0)').run(ACCOUNT, 'Account')
  const outbound = createOutbound({ clock: systemClock, trustedRanges: [], ...outside(receiver) })
  const seal = createSeal({ masterKey: { key: () => KEY }, random: systemRandom })
  const { webhooks, ledger } = openRoom({ db, clock: systemClock, random: systemRandom, ids, outbound, seal })
  webhooks.start()
  closing.push(receiver.close, close, outbound.close, async () => {
    await webhooks.stop(0)
    expect(await checkInvariants(db)).toEqual([])
  })
  const happen = (count: number, type: 'message.received' | 'message.sent') =>
    db.commit(async (tx) => {
      for (let i = 0; i < count; i++) await ledger.append(tx, fact({ type }))
    })
  return { receiver, webhooks, happen }
}

const KEY = Buffer.alloc(32, 3)

test('F-01 64 hanging deliveries do not delay another webhook on the same host', async () => {
  const { receiver, webhooks, happen } = await realWorld()
  await webhooks.create(
    ACCOUNT,
    { url: receiver.url('/hangs'), events: ['message.received'], max_in_flight: 64 },
    keepsAccess,
  )
  await webhooks.create(ACCOUNT, { url: receiver.url('/well'), events: ['message.sent'] }, keepsAccess)
  receiver.answer({})
  await happen(150, 'message.received')
  await receiver.waitFor(150)
  receiver.answer(({ path }) => ({ hang: path === '/hangs' }))
  await happen(100, 'message.received')
  await receiver.waitFor(214)

  for (let i = 0; i < 40; i++) {
    await happen(5, 'message.sent')
    await systemClock.sleep(10)
  }
  const seen = await receiver.waitFor(214 + 200)
  expect(seen.filter(({ path }) => path === '/well')).toHaveLength(200)
  expect(seen.filter(({ path }) => path === '/hangs')).toHaveLength(214)
  const latencies = seen
    .filter(({ path }) => path === '/well')
    .map(({ atMs, body }) => atMs - Date.parse((JSON.parse(body.toString()) as { created_at: string }).created_at))
    .toSorted((a, b) => a - b)
  // Milliseconds on a quiet machine; held up they would wait for the hanging ones, ten seconds.
  expect(latencies[100]).toBeLessThan(5_000)
})

test('the request on the wire is the signed body with the headers of the spec, over kept connections', async () => {
  const { receiver, webhooks, happen } = await realWorld()
  const { secret } = await webhooks.create(
    ACCOUNT,
    { url: receiver.url('/hook?x=1'), events: ['*'], max_in_flight: 1 },
    keepsAccess,
  )
  await happen(20, 'message.received')
  const seen = await receiver.waitFor(20)
  for (const { method, path, headers, body } of seen) {
    expect(method + path).toBe('POST/hook?x=1')
    expect(headers['content-type']).toBe('application/json')
    expect(headers['accept-encoding']).toBeUndefined()
    const hmac = createHmac('sha256', secret)
      .update(`${String(headers['x-service-timestamp'])}.`)
      .update(body)
    expect(headers['x-service-signature']).toBe(`sha256=${hmac.digest('hex')}`)
    expect(headers['x-service-event-id']).toBe((JSON.parse(body.toString()) as { event_id: string }).event_id)
  }
  expect(receiver.connections).toBe(1)
})

test.each([301, 302, 303, 307, 308])('H-06 a %d is not followed and is a failure', async (status) => {
  const { receiver, webhooks, happen } = await realWorld()
  await webhooks.create(ACCOUNT, { url: receiver.url('/hook'), events: ['*'] }, keepsAccess)
  receiver.answer(({ path }) => (path === '/hook' ? { status, headers: { location: receiver.url('/elsewhere') } } : {}))
  await happen(1, 'message.received')
  await receiver.waitFor(1)
  await expect
    .poll(async () => (await webhooks.listDeliveries(ACCOUNT, {})).data[0])
    .toMatchObject({
      status: 'failed',
      last_status_code: status,
    })
  expect(receiver.received).toHaveLength(1)
})

test('H-05 a connection cut while it waits for the answer is a failure that counts', async () => {
  const { receiver, webhooks, happen } = await realWorld()
  await webhooks.create(ACCOUNT, { url: receiver.url('/hook'), events: ['*'] }, keepsAccess)
  receiver.answer({ reset: true })
  await happen(1, 'message.received')
  await expect
    .poll(async () => (await webhooks.listDeliveries(ACCOUNT, {})).data[0])
    .toMatchObject({ status: 'failed', last_status_code: null })
  const [delivery] = (await webhooks.listDeliveries(ACCOUNT, {})).data
  const { attempt_log } = await webhooks.getDelivery(ACCOUNT, delivery?.id ?? '')
  expect(attempt_log).toMatchObject([{ attempt: 1, counted: true, error: expect.any(String), status_code: null }])
  expect(['protocol', 'connect']).toContain(attempt_log[0]?.outcome)
})
