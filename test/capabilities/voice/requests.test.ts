import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { START_MS } from '../../support/clock.ts'
import { testAgents } from '../../support/voice.ts'
import { world, worldOfTest, type World } from '../../support/world.ts'
import { callingInstance, ended, until, voiceOf } from './calls.ts'

let w: World
let id: string
beforeAll(async () => {
  w = await world({ voiceAgents: testAgents() })
  id = await callingInstance(w)
})
afterAll(() => w.close())

const call = (body: object = {}, instance = id, headers = {}) =>
  w.api('POST', `${voiceOf(instance)}/calls`, { to_number: '12025550123', agent_id: 'agent-1', ...body }, { headers })
const inMinutes = (minutes: number) => new Date(w.clock.now() + minutes * 60_000).toISOString()
const errorOf = ({ status, body }: { status: number; body: any }) => `${status} ${body?.error?.code}`

describe('a call is refused', () => {
  test('before voice is enabled', async () => {
    const { id: other } = await w.pair()
    expect(errorOf(await call({}, other))).toBe('409 invalid_state')
    // Existence comes before state.
    expect(errorOf(await call({ agent_id: 'nobody' }, other))).toBe('404 not_found')
  })

  test('on an instance that is not connected', async () => {
    const { id: other } = await w.instance()
    await w.api('POST', `${voiceOf(other)}/enable`)
    expect(errorOf(await call({}, other))).toBe('409 not_ready')
  })

  test.each([
    ['a number with letters', { to_number: '+1202' }],
    ['more than 30 days ahead', { scheduled_at: new Date(START_MS + 40 * 86_400_000).toISOString() }],
    ['in the past', { scheduled_at: new Date(START_MS - 3_600_000).toISOString() }],
  ])('%s', async (_, body) => {
    expect(errorOf(await call(body))).toBe('400 validation_error')
  })

  test('to a person who has not allowed calls, and a scheduled one fails', async () => {
    expect(errorOf(await call({ to_number: '12025550463' }))).toBe('409 call_permission_required')
    const later = await call({ to_number: '12025550463', scheduled_at: inMinutes(1) })
    expect(later.status).toBe(201)
    const before = (await w.api('GET', voiceOf(id))).body.remaining
    expect(await ended(w, id, later.body.id)).toMatchObject({
      ...{ status: 'failed', end_reason: 'call_permission_required', attempt: 0, recording_id: null },
    })
    expect((await w.api('GET', voiceOf(id))).body.remaining).toBe(before)
  })
})

test.each([
  ['12025550486', 'busy'],
  ['12025550480', 'no_answer'],
  ['12025550603', 'rejected'],
])('%s is %s, and nothing is recorded', async (to_number, status) => {
  const made = await call({ to_number })
  expect(await ended(w, id, made.body.id)).toMatchObject({
    ...{ status, end_reason: status, answered_at: null, duration_seconds: null, recording_id: null, summary: null },
  })
})

test('a canceled call costs nothing, and is canceled once', async () => {
  const before = (await w.api('GET', voiceOf(id))).body
  const made = await call({ scheduled_at: inMinutes(10) })
  expect(made.body).toMatchObject({ status: 'scheduled', scheduled_at: inMinutes(10) })
  const cancel = () => w.api('POST', `${voiceOf(id)}/calls/${made.body.id}/cancel`)
  const canceled = await cancel()
  expect(canceled.body).toMatchObject({ status: 'canceled', end_reason: 'canceled', attempt: 0 })
  expect((await cancel()).body).toEqual(canceled.body)
  await w.pass(11 * 60_000)
  expect((await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}`)).body).toEqual(canceled.body)
  expect((await w.api('GET', voiceOf(id))).body).toEqual(before)
})

test('a running call is canceled, its recording is kept, and what has ended is refused', async () => {
  const made = await call()
  await until(
    w,
    async () => (await w.api('GET', `${voiceOf(id)}/calls/${made.body.id}/review`)).body.transcript,
    (lines) => lines.length > 1,
  )
  const canceled = await w.api('POST', `${voiceOf(id)}/calls/${made.body.id}/cancel`)
  expect(canceled.body).toMatchObject({ status: 'canceled', recording_id: expect.any(String) })
  const busy = await call({ to_number: '12025550486' })
  await ended(w, id, busy.body.id)
  expect(errorOf(await w.api('POST', `${voiceOf(id)}/calls/${busy.body.id}/cancel`))).toBe('409 invalid_state')
})

test('a repeat with the same key is the same call', async () => {
  const headers = { 'idempotency-key': 'once' }
  const body = { scheduled_at: inMinutes(60) }
  const first = await call(body, id, headers)
  const again = await call(body, id, headers)
  expect(again.body).toEqual(first.body)
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(errorOf(await call({ ...body, to_number: '12025550124' }, id, headers))).toBe('409 idempotency_conflict')
})

test('a batch is spaced, and skips numbers that cannot be called', async () => {
  const at = inMinutes(100)
  const made = await w.api('POST', `${voiceOf(id)}/calls/batch`, {
    numbers: ['12025550131', '+1 (202) 555-0132', '12025550131', '12'],
    ...{ agent_id: 'agent-1', interval_seconds: 45, scheduled_at: at },
  })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    scheduled: 2,
    skipped: [
      { to_number: '12025550131', reason: 'duplicate' },
      { to_number: '12', reason: 'invalid_number' },
    ],
  })
  expect(made.body.calls.map((one: any) => [one.to_number, Date.parse(one.scheduled_at) - Date.parse(at)])).toEqual([
    ['12025550131', 0],
    ['12025550132', 45_000],
  ])
  const listed = await w.api('GET', `${voiceOf(id)}/calls?batch_id=${made.body.batch_id}`)
  expect(listed.body.data).toEqual(made.body.calls.toReversed())
})

test('calling hours move a call to their next start', async () => {
  const other = await callingInstance(w)
  const hours = { start: '14:00', end: '18:00', timezone: 'UTC', days: [1, 2, 3, 4, 5] }
  expect((await w.api('PATCH', `${voiceOf(other)}/settings`, { calling_hours: hours })).body.calling_hours).toEqual(
    hours,
  )
  const made = await call({ scheduled_at: '2026-01-10T10:00:00.000Z' }, other)
  expect(made.body.scheduled_at).toBe('2026-01-12T14:00:00.000Z')
  expect(
    errorOf(await w.api('PATCH', `${voiceOf(other)}/settings`, { calling_hours: { ...hours, end: '14:00' } })),
  ).toBe('400 validation_error')
  await w.api('POST', `${voiceOf(other)}/calls/${made.body.id}/cancel`)
})

test('an unanswered call does not use up the trial', async () => {
  const other = await callingInstance(w)
  const numbers = Array.from({ length: 52 }, (_, i) => `12025${50 + i}0486`)
  const batch = await w.api('POST', `${voiceOf(other)}/calls/batch`, {
    numbers,
    agent_id: 'agent-1',
    interval_seconds: 0,
  })
  expect(batch.body.scheduled).toBe(52)
  const { data } = await until(
    w,
    async () => (await w.api('GET', `${voiceOf(other)}/calls?limit=200`)).body,
    (page) => page.data.every(({ status }: any) => status === 'busy' || status === 'failed'),
  )
  expect(data.filter(({ status }: any) => status === 'busy')).toHaveLength(52)
  expect((await w.api('GET', voiceOf(other))).body).toMatchObject({ remaining: 50, unlimited: false, active_calls: 0 })
})

test('the status has the fields of the specification, and an instance without a gateway says what is missing', async () => {
  expect((await w.api('GET', voiceOf(id))).body).toMatchObject({
    ...{ voice_available: true, enabled: true, unlimited: false, channels: 4, gateway: 'sandbox' },
    settings: { summary_enabled: true, summary_emails: [], coach_enabled: false, receive_enabled: false },
  })
  const live = await w.instance({ network: 'live' })
  expect((await w.api('GET', voiceOf(live.id))).body).toMatchObject({
    ...{ voice_available: false, enabled: false, remaining: 50, gateway: null, unavailable_reason: 'no_gateway' },
  })
})

test('widgets accept exact https origins only', async () => {
  const create = (allowed_origins: string[]) =>
    w.api('POST', `${voiceOf(id)}/widgets`, { name: 'Website', allowed_origins })
  for (const origin of [
    'http://www.example.com',
    'https://*.example.com',
    'https://example.com/page',
    'ftp://example.com',
  ])
    expect(errorOf(await create([origin])), origin).toBe('400 validation_error')
  const made = await create(['https://www.example.com/', 'http://localhost:8080'])
  expect(made.body).toMatchObject({
    allowed_origins: ['https://www.example.com', 'http://localhost:8080'],
    public_key: expect.stringMatching(/^wid_[0-9A-Z]{26}$/),
    video_enabled: false,
  })
  expect(made.body.embed_snippet).toContain(`/widget/v1.js" data-widget="${made.body.public_key}" async></script>`)
  const path = `${voiceOf(id)}/widgets/${made.body.id}`
  expect((await w.api('PATCH', path, { video_enabled: true })).body.video_enabled).toBe(true)
  expect((await w.api('GET', `${voiceOf(id)}/widgets`)).body.data).toHaveLength(1)
  expect((await w.api('DELETE', path)).status).toBe(204)
  expect(errorOf(await w.api('GET', path))).toBe('404 not_found')
})

test('deleting an instance deletes its calls and widgets', async () => {
  const other = await callingInstance(w)
  const scheduled = await call({ scheduled_at: inMinutes(5) }, other)
  const running = await call({}, other)
  await until(
    w,
    async () => (await w.rows<any>('SELECT status FROM voice_calls WHERE id = :id', { id: running.body.id }))[0],
    ({ status }) => status === 'in_progress',
  )
  await w.api('DELETE', `/v1/instances/${other}?confirm=true`)
  const rows = await until(
    w,
    () => w.rows<any>('SELECT id, status, end_reason AS reason FROM voice_calls WHERE instance_id = :other', { other }),
    (all) => all.every(({ status }: any) => status === 'canceled'),
  )
  expect(rows.map(({ reason }: any) => reason)).toEqual(['instance_deleted', 'instance_deleted'])
  await w.pass(10 * 60_000)
  expect(await w.rows('SELECT id FROM voice_calls WHERE attempt = 1 AND id = :id', scheduled.body)).toEqual([])
})

test('a call that was due while the app was closed is not made', async () => {
  const first = await worldOfTest({ voiceAgents: testAgents() })
  const line = await callingInstance(first)
  const at = new Date(first.clock.now() + 60_000).toISOString()
  const made = await first.api('POST', `${voiceOf(line)}/calls`, {
    ...{ to_number: '12025550123', agent_id: 'agent-1', scheduled_at: at },
  })
  // The wall clock jumps, as after sleep.
  first.clock.suspend(17 * 60_000)
  const call = await until(
    first,
    async () => (await first.api('GET', `${voiceOf(line)}/calls/${made.body.id}`)).body,
    ({ status }) => status !== 'scheduled',
  )
  expect(call).toMatchObject({ status: 'failed', end_reason: 'app_offline', attempt: 0 })
})

test('P-09 a call scheduled for tomorrow is not made because the clock is set forward', async () => {
  const w = await worldOfTest({ voiceAgents: testAgents() })
  const line = await callingInstance(w)
  const at = new Date(w.clock.now() + 86_400_000).toISOString()
  const made = await w.api('POST', `${voiceOf(line)}/calls`, {
    ...{ to_number: '12025550123', agent_id: 'agent-1', scheduled_at: at },
  })
  w.clock.set(w.clock.now() + 365 * 86_400_000)
  await w.pass(60_000)
  const { body } = await w.api('GET', `${voiceOf(line)}/calls/${made.body.id}`)
  expect(body).toMatchObject({ status: 'failed', end_reason: 'app_offline', attempt: 0 })
})
