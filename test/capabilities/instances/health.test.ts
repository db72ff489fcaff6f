import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LinkSignal } from '../../../main/capabilities/instances/index.ts'
import type { IssueFacts } from '../../../main/engines/engine.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { settle } from '../../support/clock.ts'
import { HEALTHY } from '../../support/engine.ts'
import { instancesRoom, type InstancesRoom } from '../../support/instances.ts'

let room: InstancesRoom

beforeEach(async () => {
  room = await instancesRoom()
})
afterEach(() => room.close())

const health = (id: InstanceId) => room.instances.health(id)
const codes = async (id: InstanceId) => (await health(id)).issues.map(({ code }) => code)
const iso = (ms: number) => new Date(ms).toISOString()

test('the health of a healthy instance has every field and no issues', async () => {
  const { id } = await room.connected()
  const since = room.clock.now()
  await room.clock.advance(90_500)
  room.smv2.script.evidence = { ...HEALTHY, lastSeenAtMs: since }
  room.gauges.lastMessageAtMs = async () => since + 1
  expect(await health(id)).toEqual({
    instance_id: id,
    engine: 'smv2',
    status: 'ok',
    connected: true,
    logged_in: true,
    engine_reachable: true,
    checked_at: iso(room.clock.now()),
    last_seen_at: iso(since),
    last_message_at: iso(since + 1),
    latency_ms: 40,
    uptime_seconds: 90,
    reconnects_24h: 0,
    queue: { pending: 0, oldest_seconds: null },
    webhooks: { pending: 0, failing: 0 },
    restriction: null,
    quality: null,
    issues: [],
  })
})

test('an unreachable engine makes the status down, with an issue that says what to do', async () => {
  const { id } = await room.connected()
  room.smv2.script.evidence = { ...HEALTHY, reachable: false, latencyMs: null, lastSeenAtMs: 5_000 }
  expect(await health(id)).toMatchObject({
    status: 'down',
    connected: true,
    engine_reachable: false,
    latency_ms: null,
    issues: [
      { code: 'engine_unreachable', message: expect.stringContaining('restart the instance'), since: iso(5_000) },
    ],
  })
})

test('an engine that throws makes the status unknown', async () => {
  const { id } = await room.connected()
  room.smv2.script.evidence = new Error('boom')
  expect(await health(id)).toMatchObject({
    status: 'unknown',
    engine_reachable: null,
    last_seen_at: null,
    issues: [{ code: 'engine_unknown' }],
  })
})

test('gauges that fail or hang are null, and the response comes after one second', async () => {
  const { id } = await room.connected()
  room.gauges.queue = () => new Promise(() => {})
  room.gauges.webhooks = () => {
    throw new Error('boom')
  }
  room.gauges.lastMessageAtMs = () => Promise.reject(new Error('boom'))
  let answer: Awaited<ReturnType<typeof health>> | undefined
  void health(id).then((view) => (answer = view))
  await settle()
  expect(answer).toBeUndefined()
  await room.clock.advance(1_000)
  expect(answer).toMatchObject({
    status: 'ok',
    queue: { pending: null, oldest_seconds: null },
    webhooks: { pending: null, failing: null },
    last_message_at: null,
    reconnects_24h: 0,
  })
  expect(room.clock.waiting()).toBe(0)
})

describe('reconnects_24h', () => {
  const back: LinkSignal = { kind: 'connected', number: '12025550123', name: 'Acme' }
  const lose = async (id: InstanceId, downMs: number) => {
    await room.instances.onSignal(id, {
      kind: 'link_lost',
      reason: 'connection_lost',
      code: 428,
      nextRetryAtMs: null,
    })
    await room.clock.advance(downMs)
    await room.instances.onSignal(id, back)
  }
  const announced = () =>
    room.newEvents().filter(({ type, data }) => type === 'instance.connected' && data['reconnected'] === true).length

  test('counts the reported outages of the last day, and no silent reconnects', async () => {
    const { id } = await room.connected()
    for (const downMs of [10_000, 1_000, 6_000]) {
      await lose(id, downMs)
      await room.clock.advance(3_600_000)
    }
    expect(await health(id)).toMatchObject({ reconnects_24h: 2, uptime_seconds: 3_600 })
    expect(announced()).toBe(2)
    await room.clock.advance(21.5 * 3_600_000)
    expect(await health(id)).toMatchObject({ reconnects_24h: 1 })
  })

  test.each([100, 20_000])('does not count a restart of the number that takes %d ms', async (ms) => {
    const { id } = await room.connected()
    await room.instances.restart(id)
    await room.clock.advance(ms)
    await room.instances.onSignal(id, back)
    expect(await health(id)).toMatchObject({ connected: true, reconnects_24h: 0 })
  })

  test.each([100, 20_000])('does not count a restart of the service that takes %d ms', async (ms) => {
    const { id } = await room.connected()
    room.smv2.script.links.set(id, 'connecting')
    await room.restarted().resumeAll()
    await room.clock.advance(ms)
    await room.instances.onSignal(id, back)
    expect(await health(id)).toMatchObject({ connected: true, reconnects_24h: 0 })
  })

  test('does not count a disconnect that a user requested', async () => {
    const { id } = await room.connected()
    await room.instances.disconnect(id, false)
    await room.instances.restart(id)
    await room.instances.onSignal(id, back)
    expect(await health(id)).toMatchObject({ connected: true, reconnects_24h: 0 })
  })
})

test('a restriction of the network is shown until it ends', async () => {
  const { id } = await room.connected()
  const untilMs = room.clock.now() + 60_000
  room.smv2.script.evidence = { ...HEALTHY, restriction: { kind: 'reachout', sinceMs: 1_000, untilMs } }
  expect(await health(id)).toMatchObject({
    status: 'degraded',
    restriction: { active: true, kind: 'reachout', until: iso(untilMs) },
    issues: [{ code: 'restricted', since: iso(1_000), kind: 'reachout', until: iso(untilMs) }],
  })
  await room.clock.advance(60_000)
  expect(await health(id)).toMatchObject({ status: 'ok', restriction: { active: false }, issues: [] })
})

test('the quality is what the official engine reports about the number', async () => {
  const { id } = await room.connected('12025550123', { engine: 'official' })
  room.official.script.evidence = {
    ...HEALTHY,
    quality: { rating: 'GREEN', messagingLimit: 'TIER_250', accountMode: 'LIVE' },
  }
  expect(await health(id)).toMatchObject({
    engine: 'official',
    quality: { rating: 'GREEN', messaging_limit: 'TIER_250', account_mode: 'LIVE' },
  })
})

describe('issues', () => {
  test.each([
    ['unreachable', { ...HEALTHY, reachable: false }, 'engine_unreachable'],
    ['unknown', new Error('boom'), 'engine_unknown'],
  ])('of an engine that is %s suggest a remedy that exists for that engine', async (_name, evidence, code) => {
    for (const [engine, way, other] of [
      ['smv2', /restart the instance/, /metastatus/],
      ['official', /metastatus\.com/, /restart/],
    ] as const) {
      const { id } = await room.connected(engine === 'smv2' ? '12025550123' : '12025550124', { engine })
      room[engine].script.evidence = evidence
      const [issue] = (await health(id)).issues
      expect(issue).toMatchObject({ code, message: expect.stringMatching(way) })
      expect(issue?.message).not.toMatch(other)
    }
  })

  test('contain a stuck queue, and failing calls of the instance webhook', async () => {
    const { id } = await room.connected()
    room.gauges.queue = async () => ({ pending: 3, oldestSeconds: 61 })
    room.gauges.failingOwnCalls = async () => 2
    expect(await health(id)).toMatchObject({
      status: 'degraded',
      queue: { pending: 3, oldest_seconds: 61 },
      issues: [
        { code: 'queue_stuck', since: iso(room.clock.now() - 61_000) },
        { code: 'webhooks_failing', count: 2 },
      ],
    })
  })

  test('do not contain a failing account webhook, because it is not a problem of the number', async () => {
    const { id } = await room.connected()
    room.gauges.webhooks = async () => ({ pending: 5, failing: 2 })
    expect(await health(id)).toMatchObject({ status: 'ok', webhooks: { pending: 5, failing: 2 }, issues: [] })
  })

  test('contain only the known facts besides the message', async () => {
    const { id } = await room.connected('12025550123', { engine: 'official' })
    const issue = (facts: IssueFacts) =>
      ({ code: 'account_alert', message: 'Read it.', sinceMs: 1_000, facts }) as const
    const all: Required<IssueFacts> = {
      ...{ untilMs: 2_000, nextRetryAtMs: 3_000, kind: 'A_KIND', reason: 'A_REASON', username: 'acme' },
      ...{ groupIds: ['g1', 'g2'], fields: ['security'], requesterId: '61555', graphVersion: 'v23.0' },
      ...{ providerCode: 131_000, providerMessage: 'Went wrong', count: 2, limit: 5 },
    }
    room.official.script.evidence = { ...HEALTHY, issues: [issue(all), issue({ untilMs: null })] }
    const told = { code: 'account_alert', message: 'Read it.', since: iso(1_000) }
    expect((await health(id)).issues).toEqual([
      {
        ...{ ...told, until: iso(2_000), next_retry_at: iso(3_000), kind: 'A_KIND', reason: 'A_REASON' },
        ...{ username: 'acme', group_ids: ['g1', 'g2'], fields: ['security'], requester_id: '61555' },
        ...{ graph_version: 'v23.0', provider_code: 131_000, provider_message: 'Went wrong', count: 2, limit: 5 },
      },
      told,
    ])
  })

  test('contain the next retry after a lost connection, and the end of a ban', async () => {
    const { id } = await room.connected()
    const atMs = room.clock.now() + 60_000
    await room.instances.onSignal(id, { kind: 'link_lost', reason: 'replaced', code: 440, nextRetryAtMs: atMs })
    await room.clock.advance(5_000)
    expect((await health(id)).issues).toMatchObject([{ code: 'replaced', next_retry_at: iso(atMs) }])
    await room.instances.onSignal(id, { kind: 'auth_failed', reason: 'temporary_ban', code: 402, untilMs: atMs })
    expect((await health(id)).issues).toMatchObject([{ code: 'temporary_ban', until: iso(atMs) }])
  })

  test('say for every status what is wrong and since when', async () => {
    const { id } = await room.create()
    expect(await health(id)).toMatchObject({
      status: 'down',
      logged_in: false,
      uptime_seconds: null,
      issues: [{ code: 'not_paired' }],
    })
    await room.clock.advance(1_000)
    await room.instances.qr.read(id, undefined)
    expect(await health(id)).toMatchObject({ issues: [{ code: 'connecting', since: iso(room.clock.now()) }] })
    const found: string[] = []
    const step = async (signal: LinkSignal) => {
      await room.instances.onSignal(id, signal)
      found.push(...(await codes(id)))
    }
    await step({ kind: 'qr', attempt: 1, expiresAtMs: 1 })
    await step({ kind: 'qr_expired' })
    await room.instances.restart(id)
    await step({ kind: 'qr', attempt: 1, expiresAtMs: 2 })
    await step({ kind: 'passkey_required' })
    await room.instances.restart(id)
    await step({ kind: 'connected', number: '12025550123', name: null })
    await step({ kind: 'link_lost', reason: 'connection_lost', code: null, nextRetryAtMs: null })
    await room.clock.advance(5_000)
    found.push(...(await codes(id)))
    await room.instances.disconnect(id, false)
    found.push(...(await codes(id)))
    await room.instances.disconnect(id, true)
    found.push(...(await codes(id)))
    expect(found).toEqual([
      'waiting_for_scan',
      'qr_expired',
      'waiting_for_scan',
      'passkey_required',
      'connecting',
      'link_lost',
      'disconnected_by_user',
      'logged_out',
    ])
  })

  test.each([
    ['logged_out', 'logged_out'],
    ['banned', 'banned'],
    ['temporary_ban', 'temporary_ban'],
    ['token_revoked', 'token_revoked'],
  ] as const)('after a login that was refused as %s have the code %s', async (reason, code) => {
    const { id } = await room.connected()
    const untilMs = reason === 'temporary_ban' ? room.clock.now() + 3_600_000 : null
    await room.instances.onSignal(id, { kind: 'auth_failed', reason, code: 402, untilMs })
    const view = await health(id)
    expect(view).toMatchObject({ status: 'down', logged_in: false, issues: [{ code }] })
    expect(view.restriction).toEqual(
      untilMs === null ? null : { active: true, kind: 'temporary_ban', until: iso(untilMs) },
    )
  })
})
