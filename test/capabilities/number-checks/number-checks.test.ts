import { expect, onTestFinished, test } from 'vitest'
import { systemResolve } from '../../../main/outbound/outbound.ts'
import { endCheck, insertCheck, insertNumber, pruneChecks } from '../../../main/capabilities/number-checks/store.ts'
import { testDatabase } from '../../support/database.ts'
import { decodeQr } from '../../support/qr.ts'
import { newHome } from '../../support/restores.ts'
import { until } from '../../support/service-process.ts'
import { startWhatsApp, type WhatsApp } from '../../support/whatsapp/index.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const OUTSIDE = { resolve: systemResolve, dial: (address: string, port: number) => ({ address, port }) }
const numbersFrom = (count: number, first = 12_025_551_000) =>
  Array.from({ length: count }, (_, nth) => String(first + nth))
const pathOf = (id: string, check = '') => `/v1/instances/${id}/number-checks${check && `/${check}`}`

async function ended(w: World, id: string, check: string) {
  return until('the end', async () => {
    await w.pass(1_000)
    const { body } = await w.api('GET', pathOf(id, check))
    return body.ended_at === null ? undefined : body
  })
}

async function pages(w: World, path: string) {
  const found: { number: string; state: string }[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await w.api('GET', `${path}?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    found.push(...body.data)
    cursor = body.next_cursor
  }
  return found
}

test('a long list is checked in batches, each number once, and its results can be read in pages and as a file', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  // One of them ends in 0404 and one in another spelling of the first.
  const numbers = [...numbersFrom(1_200, 12_025_550_001), '12025550001']
  const started = await w.api('POST', pathOf(id), { numbers })
  expect([started.status, started.body]).toMatchObject([
    202,
    { state: 'running', total: 1_200, asked: 0, on_whatsapp: 0, not_on_whatsapp: 0, waiting: null },
  ])
  const { check_id } = started.body
  expect((await pages(w, `${pathOf(id, check_id)}/numbers`)).map(({ state }) => state)).toEqual(
    Array.from({ length: 1_200 }, () => 'not_asked'),
  )
  expect(await ended(w, id, check_id)).toMatchObject({
    ...{ state: 'completed', ended_reason: 'completed', total: 1_200, asked: 1_200 },
    ...{ on_whatsapp: 1_199, not_on_whatsapp: 1 },
  })
  const found = await pages(w, `${pathOf(id, check_id)}/numbers`)
  expect(found.map(({ number }) => number)).toEqual(numbers.slice(0, 1_200))
  expect(found.filter(({ state }) => state !== 'on_whatsapp')).toMatchObject([
    { number: '12025550404', state: 'not_on_whatsapp', canonical: null },
  ])
  const csv = await w.api('GET', `${pathOf(id, check_id)}/numbers`, undefined, { headers: { accept: 'text/csv' } })
  const lines = csv.text.trim().split(/\r?\n/)
  expect([lines.length, lines[0]]).toEqual([1_201, 'number,state,canonical,asked_at'])
  expect(lines[404]).toMatch(/^12025550404,not_on_whatsapp,,20/)
  expect((await w.api('GET', pathOf(id))).body).toMatchObject({ data: [{ check_id }], next_cursor: null })
})

test('a repeat with the same Idempotency-Key returns the same check, and a second check at the same time is refused', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'engine_down' })
  const headers = { 'idempotency-key': 'check-1' }
  const body = { numbers: numbersFrom(3) }
  const first = await w.api('POST', pathOf(id), body, { headers })
  const again = await w.api('POST', pathOf(id), body, { headers })
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true'])
  const other = await w.api('POST', pathOf(id), { numbers: numbersFrom(4) }, { headers })
  expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  const second = await w.api('POST', pathOf(id), { numbers: numbersFrom(4) })
  expect([second.status, second.body.error.code]).toEqual([409, 'invalid_state'])
  expect(await w.rows('SELECT 1 FROM number_checks')).toHaveLength(1)
})

test('invalid requests are refused, and start nothing', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  for (const numbers of [[], ['+12025550123'], ['12'], numbersFrom(10_001), 'all', [12_025_550_123]])
    expect((await w.api('POST', pathOf(id), { numbers })).status).toBe(400)
  expect((await w.api('GET', pathOf(id, 'nck_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'))).status).toBe(404)
  const official = await w.official()
  const refused = await w.api('POST', pathOf(official.id), { numbers: numbersFrom(1) })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'engine_mismatch'])
  await w.api('POST', `/v1/instances/${id}/disconnect`)
  const offline = await w.api('POST', pathOf(id), { numbers: numbersFrom(1) })
  expect([offline.status, offline.body.error.code]).toEqual([409, 'not_ready'])
  expect(await w.rows('SELECT 1 FROM number_checks')).toEqual([])
  expect(await w.rows('SELECT 1 FROM number_check_numbers')).toEqual([])
})

test('a check can be paused, resumed and permanently canceled, and keeps its results', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const { check_id } = (await w.api('POST', pathOf(id), { numbers: numbersFrom(600) })).body
  const set = async (state: string) => {
    const { status, body } = await w.api('PATCH', pathOf(id, check_id), { state })
    return status === 200 ? body.state : body.error.code
  }
  expect(await set('paused')).toBe('paused')
  expect(await set('paused')).toBe('paused')
  await w.pass(60_000)
  const { asked } = (await w.api('GET', pathOf(id, check_id))).body
  expect(asked).toBeLessThan(600)
  expect(await set('running')).toBe('running')
  expect(await ended(w, id, check_id)).toMatchObject({ state: 'completed', asked: 600 })
  for (const state of ['paused', 'running', 'canceled']) expect(await set(state)).toBe('invalid_state')
  const next = (await w.api('POST', pathOf(id), { numbers: numbersFrom(2) })).body.check_id
  const canceled = await w.api('PATCH', pathOf(id, next), { state: 'canceled' })
  expect(canceled.body).toMatchObject({ state: 'canceled', ended_reason: 'canceled' })
  await w.pass(60_000)
  expect((await w.api('GET', pathOf(id, next))).body).toMatchObject({ state: 'canceled', asked: 0 })
})

test('a check waits while the number is disconnected, and is canceled when the number signs out', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const { check_id } = (await w.api('POST', pathOf(id), { numbers: numbersFrom(600) })).body
  await w.api('PATCH', pathOf(id, check_id), { state: 'paused' })
  await w.api('POST', `/v1/instances/${id}/disconnect`)
  await w.api('PATCH', pathOf(id, check_id), { state: 'running' })
  await w.pass(60_000)
  expect((await w.api('GET', pathOf(id, check_id))).body).toMatchObject({
    ...{ state: 'running', waiting: { reason: 'not_connected', until: null } },
  })
  await w.api('POST', `/v1/instances/${id}/restart`)
  await w.quiet()
  await w.api('PATCH', pathOf(id, check_id), { state: 'paused' })
  await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'logout' })
  await w.quiet()
  expect((await w.api('GET', pathOf(id, check_id))).body).toMatchObject({
    ...{ state: 'canceled', ended_reason: 'signed_out', waiting: null },
  })
})

test('deleting an instance deletes its checks, and other instances cannot access them', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const { check_id } = (await w.api('POST', pathOf(id), { numbers: numbersFrom(3) })).body
  const other = await w.pair()
  expect((await w.api('GET', pathOf(other.id, check_id))).status).toBe(404)
  expect((await w.api('PATCH', pathOf(other.id, check_id), { state: 'canceled' })).status).toBe(404)
  await w.api('DELETE', `/v1/instances/${id}?confirm=true`)
  expect(await w.rows('SELECT 1 FROM number_checks')).toEqual([])
  expect(await w.rows('SELECT 1 FROM number_check_numbers')).toEqual([])
})

test('the oldest ended checks are removed first, with their numbers; running ones stay', async () => {
  const { db, raw, close } = await testDatabase()
  onTestFinished(close)
  const of = { accountId: 'a', total: 1, now: 0 }
  await db.commit(async (tx) => {
    for (const seq of [1, 2, 3, 4]) {
      await tx.run(insertCheck, { ...of, seq, id: `nck_${seq}`, instanceId: `i${seq}` })
      await tx.run(insertNumber, { seq, position: 1, number: '12025550123' })
      if (seq < 4) await tx.run(endCheck, { seq, state: 'completed', reason: 'completed', now: seq * 10 })
    }
    expect(await tx.run(pruneChecks, { before: 30, limit: 1 })).toBe(1)
  })
  const left = () => raw.prepare('SELECT check_seq FROM number_check_numbers ORDER BY 1').all()
  expect(left()).toEqual([{ check_seq: 2 }, { check_seq: 3 }, { check_seq: 4 }])
  await db.commit((tx) => tx.run(pruneChecks, { before: 30, limit: 10 }))
  expect(left()).toEqual([{ check_seq: 3 }, { check_seq: 4 }])
})

async function pairLive(w: World, whatsapp: WhatsApp): Promise<string> {
  const { id } = await w.instance({ network: 'live' })
  const qr = await until('a code', async () => (await w.api('GET', `/v1/instances/${id}/qr`)).body.qr ?? undefined)
  await whatsapp.phone('12025550200').scan(decodeQr(qr))
  await until('the connection', async () => {
    await w.pass(100)
    return (await w.api('GET', `/v1/instances/${id}/connection`)).body.connected || undefined
  })
  return id
}

test('a live number checks about 20 numbers in 10 seconds, and a new one five times its daily message limit per day', async () => {
  const whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  const w = await worldOfTest({ ...OUTSIDE, settings: { safetyWarmupLimits: [10] } })
  const id = await pairLive(w, whatsapp)
  const numbers = numbersFrom(70)
  const { check_id } = (await w.api('POST', pathOf(id), { numbers })).body
  const asked = async () => (await w.api('GET', pathOf(id, check_id))).body.asked
  await until('a portion', async () => (await asked()) === 20 || undefined)
  await w.pass(9_000)
  expect(await asked()).toBe(20)
  await until('the limit of the day', async () => {
    await w.pass(1_000)
    return (await w.api('GET', pathOf(id, check_id))).body.waiting?.reason === 'daily_limit' || undefined
  })
  expect(await asked()).toBe(50)
  const { waiting, state } = (await w.api('GET', pathOf(id, check_id))).body
  expect(state).toBe('running')
  expect(Date.parse(waiting.until) - w.clock.now()).toBeGreaterThan(23 * 3_600_000)
  const found = await pages(w, `${pathOf(id, check_id)}/numbers`)
  expect(found.slice(50).map((each) => each.state)).toEqual(Array.from({ length: 20 }, () => 'not_asked'))
})

test('a request made too early after a start of the service is refused with retry-after', async () => {
  const whatsapp = await startWhatsApp()
  whatsapp.takeRoute()
  onTestFinished(() => whatsapp.close())
  const before = await worldOfTest({ ...OUTSIDE, home: newHome() })
  const id = await pairLive(before, whatsapp)
  await before.close()
  const w = await worldOfTest({ ...OUTSIDE, home: before.home, vault: before.vault, clock: before.clock, seed: 2 })
  const asked = [
    w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550123', text: 'Hello' }),
    w.api('POST', `/v1/instances/${id}/engine/smv2/user/check`, { numbers: ['12025550123'] }),
    w.api('POST', pathOf(id), { numbers: numbersFrom(1) }),
  ]
  for (const { status, headers, body } of await Promise.all(asked)) {
    expect([status, headers['retry-after'], body.error.code]).toEqual([409, '5', 'not_ready'])
    expect(body.error.message).toMatch(/^The instance is reconnecting, so .* Wait 5 s, then /)
  }
})

test('a check continues some seconds after its number has reconnected', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const { check_id } = (await w.api('POST', pathOf(id), { numbers: numbersFrom(600) })).body
  const read = async () => (await w.api('GET', pathOf(id, check_id))).body
  await w.api('PATCH', pathOf(id, check_id), { state: 'paused' })
  await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'drop' })
  await w.pass(6_000)
  await w.api('PATCH', pathOf(id, check_id), { state: 'running' })
  await w.pass(100)
  expect(await read()).toMatchObject({ state: 'running', waiting: { reason: 'not_connected', until: null } })
  await w.pass(6_000)
  expect(await read()).toMatchObject({ state: 'completed', asked: 600, waiting: null })
})
