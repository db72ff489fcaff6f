import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCatcher, type Catcher } from '../../../main/engines/sandbox/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { Secret } from '../../../main/kernel/secret.ts'
import { fakeClock, settle, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'

const ACCOUNT = 'account-1' as AccountId
const SECRET = 'whsec_correct'

let clock: FakeClock
let data: TestDatabase
let catcher: Catcher
beforeEach(async () => {
  clock = fakeClock()
  data = await testDatabase(undefined, { clock })
  catcher = open()
})
afterEach(() => data.close())

const open = () =>
  createCatcher({
    db: data.db,
    clock,
    signingSecrets: async (accountId, url) =>
      accountId === ACCOUNT && url === 'https://catcher.sandbox/orders'
        ? [new Secret('whsec_old'), new Secret(SECRET)]
        : [],
  })

function signed(body: string, secret = SECRET, atMs = clock.now()) {
  const timestamp = String(Math.floor(atMs / 1_000))
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': `sha256=${digest}` }
}

const post = (body: string, headers: Record<string, string> = {}, name = 'orders') =>
  catcher.answer({
    url: new URL(`https://catcher.sandbox/${name}`),
    method: 'POST',
    headers,
    body: Buffer.from(body),
    accountId: ACCOUNT,
  })

test('the catcher keeps headers and the exact body of requests, newest first', async () => {
  expect(await post('{"a": "é" }', { 'content-type': 'application/json' })).toMatchObject({
    kind: 'response',
    status: 200,
  })
  await clock.advance(5)
  await post('second')
  const caught = await catcher.list(ACCOUNT, 'orders', Number.MAX_SAFE_INTEGER, 10)
  expect(caught.map(({ body }) => body)).toEqual(['second', '{"a": "é" }'])
  expect(JSON.parse(caught[1]?.headers ?? '')).toEqual({ 'content-type': 'application/json' })
  expect(caught[0]?.receivedAtMs).toBe(clock.now())
  expect((await catcher.list(ACCOUNT, 'orders', caught[0]?.seq ?? 0, 10)).map(({ body }) => body)).toEqual([
    '{"a": "é" }',
  ])
})

test('the catcher checks the headers of Standard Webhooks if they are present', async () => {
  const base64 = `whsec_${Buffer.from('a key of more than 24 bytes').toString('base64')}`
  const own = createCatcher({ db: data.db, clock, signingSecrets: async () => [new Secret(base64)] })
  const standard = (id: string, body: string) => {
    const timestamp = String(Math.floor(clock.now() / 1_000))
    const mac = createHmac('sha256', 'a key of more than 24 bytes').update(`${id}.${timestamp}.${body}`)
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${mac.digest('base64')}` }
  }
  for (const headers of [
    standard('evt_1', 'x'),
    { ...standard('evt_1', 'x'), 'webhook-id': 'evt_2' },
    standard('evt_1', 'y'),
    { ...standard('evt_1', 'x'), 'webhook-timestamp': '1' },
  ])
    await own.answer({
      url: new URL('https://catcher.sandbox/orders'),
      method: 'POST',
      headers: { ...signed('x', base64), ...headers },
      body: Buffer.from('x'),
      accountId: ACCOUNT,
    })
  const caught = await own.list(ACCOUNT, 'orders', Number.MAX_SAFE_INTEGER, 10)
  expect(caught.map(({ signature }) => signature)).toEqual(['invalid', 'invalid', 'invalid', 'valid'])
})

test('the catcher checks the signature over the exact bytes with each secret for the URL', async () => {
  await post('x', signed('x'))
  await post('x', signed('x', 'whsec_old'))
  await post('x', signed('x', 'whsec_foreign'))
  await post('x ', signed('x'))
  await post('x', signed('x', SECRET, clock.now() - 301_000))
  await post('x')
  const caught = await catcher.list(ACCOUNT, 'orders', Number.MAX_SAFE_INTEGER, 10)
  expect(caught.map(({ signature }) => signature)).toEqual(['none', 'invalid', 'invalid', 'invalid', 'valid', 'valid'])
})

test('the catcher answers as configured, with a status, a delay, a redirect or never', async () => {
  await catcher.setReply(ACCOUNT, 'orders', { status: 410, delayMs: 0, hang: false })
  expect(await post('x')).toMatchObject({ status: 410 })
  await catcher.setReply(ACCOUNT, 'orders', { status: 302, delayMs: 3_000, hang: false })
  let answer: object | undefined
  void post('slow').then((given) => (answer = given))
  await clock.advance(2_900)
  expect(answer).toBeUndefined()
  await clock.advance(100)
  expect(answer).toMatchObject({ status: 302, headers: { location: 'https://catcher.sandbox/orders' } })
  await catcher.setReply(ACCOUNT, 'orders', { status: 200, delayMs: 0, hang: true })
  let settled = false
  void post('hangs').finally(() => (settled = true))
  await clock.advance(60_000)
  expect(settled).toBe(false)
  expect((await catcher.list(ACCOUNT, 'orders', Number.MAX_SAFE_INTEGER, 10))[0]?.body).toBe('hangs')
})

test('the catcher keeps its configured answer across a restart and when it is emptied', async () => {
  await catcher.setReply(ACCOUNT, 'orders', { status: 503, delayMs: 5, hang: false })
  void post('x')
  await settle()
  catcher = open()
  expect(await catcher.reply(ACCOUNT, 'orders')).toEqual({ status: 503, delayMs: 5, hang: false })
  await catcher.empty(ACCOUNT, 'orders')
  expect(await catcher.list(ACCOUNT, 'orders', Number.MAX_SAFE_INTEGER, 10)).toEqual([])
  expect(await catcher.reply(ACCOUNT, 'orders')).toMatchObject({ status: 503 })
})

test('the catcher keeps names and accounts separate, and an unused name is empty', async () => {
  await post('a')
  await post('b', {}, 'other')
  expect(await catcher.list(ACCOUNT, 'other', Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
  expect(await catcher.list('account-2' as AccountId, 'orders', Number.MAX_SAFE_INTEGER, 10)).toEqual([])
  expect(await catcher.reply(ACCOUNT, 'unused')).toEqual({ status: 200, delayMs: 0, hang: false })
  expect(await post('x', {}, 'a/b')).toMatchObject({ status: 404 })
})

test('the catcher keeps the newest 10,000 requests for a name', async () => {
  for (let i = 0; i < 11; i++) await Promise.all(Array.from({ length: 1_000 }, (_, n) => post(`${i}.${n}`)))
  const rows = data.raw.prepare('SELECT count(*) AS n FROM sandbox_caught').get() as { n: number }
  expect(rows.n).toBeGreaterThanOrEqual(10_000)
  expect(rows.n).toBeLessThanOrEqual(10_500)
  expect((await catcher.list(ACCOUNT, 'orders', Number.MAX_SAFE_INTEGER, 1))[0]?.body).toBe('10.999')
})
