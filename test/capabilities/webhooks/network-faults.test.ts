import { expect, test } from 'vitest'
import type { OutboundAnswer, OutboundFailure, OutboundRequest } from '../../../main/outbound/outbound.ts'
import { bodyText } from '../../support/body-text.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { sized } from '../../support/sized.ts'
import { ACCOUNT, HOUR, MINUTE, SECOND, webhookWorld, type WebhookWorld } from './world.ts'

/** What hosts outside answer, in place of sockets. */
type Network = (host: string) => OutboundAnswer | 'silence'

const DAY = 24 * HOUR

const good: OutboundAnswer = {
  kind: 'response',
  status: 200,
  headers: {},
  body: Buffer.alloc(0),
  truncated: false,
  remoteIp: '93.184.216.34',
}

const failure = (stage: OutboundFailure['stage'], code: string): OutboundFailure => {
  return { kind: 'failure', stage, code, message: `Nothing came of it (${code}).`, sent: false }
}
const noName = failure('dns', 'EAI_AGAIN')
const noTrust = failure('tls', 'SELF_SIGNED_CERT_IN_CHAIN')

interface Asked {
  readonly host: string
  readonly eventId: string
  readonly attempt: number
  readonly atMs: number
}

/** The room with a network outside that the test makes and breaks. */
async function outsideWorld(more: { attached?: boolean } = {}) {
  const asked: Asked[] = []
  const state = { network: (() => good) as Network, isAttached: more.attached ?? true, revision: 1 }
  const time: { clock?: FakeClock } = {}
  const request = async ({ url, body, signal }: OutboundRequest): Promise<OutboundAnswer> => {
    const { host } = new URL(url)
    const { event_id: eventId, attempt } = JSON.parse(bodyText(body)) as { event_id: string; attempt: number }
    asked.push({ host, eventId, attempt, atMs: time.clock?.now() ?? 0 })
    const answer = state.network(host)
    if (answer !== 'silence') return answer
    const { promise: calledOff, resolve } = Promise.withResolvers<OutboundAnswer>()
    signal?.addEventListener('abort', () => resolve({ ...failure('protocol', 'aborted'), sent: true }))
    const late = time.clock?.sleep(10 * SECOND).then((): OutboundAnswer => {
      return { ...failure('timeout', 'headers_timeout'), sent: true }
    })
    return Promise.race([calledOff, late ?? calledOff])
  }
  const world = await webhookWorld({
    watchesTime: true,
    outbound: { request, hasNetwork: () => state.isAttached, networkRevision: () => state.revision },
  })
  time.clock = world.clock
  const hook = (host: string, settings: object = {}) => world.hook('hook', { url: `https://${host}/hook`, ...settings })
  return { world, asked, state, hook }
}

const attemptsOf = (world: WebhookWorld) =>
  world.database.raw
    .prepare(
      'SELECT outcome, counted, COUNT(*) AS many FROM delivery_attempts GROUP BY outcome, counted ORDER BY outcome',
    )
    .all()
const deliveriesOf = (world: WebhookWorld) =>
  world.database.raw.prepare('SELECT status, COUNT(*) AS many FROM deliveries GROUP BY status ORDER BY status').all()

test('P-01 attempts running when the machine slept are interrupted, not counted, and repeated with a higher number', async () => {
  const { world, asked, state, hook } = await outsideWorld()
  await hook('shop.example', { max_in_flight: 4 })
  await world.happenTimes(20)
  await world.idle()
  state.network = () => 'silence'
  await world.happenTimes(4)
  await world.idle()
  const before = asked.length
  expect(before).toBe(24)
  // It sleeps: the clock on the wall goes on, nothing runs; then every deadline is past at once.
  world.clock.set(world.clock.now() + 9 * HOUR)
  state.network = () => good
  await world.pass(SECOND)
  expect(attemptsOf(world)).toEqual([
    { outcome: 'interrupted', counted: 0, many: 4 },
    { outcome: 'success', counted: 0, many: 20 },
  ])
  await world.pass(15 * SECOND)
  expect(deliveriesOf(world)).toEqual([{ status: 'delivered', many: 24 }])
  const pairs = asked.map(({ eventId, attempt }) => `${eventId} ${attempt}`)
  expect(new Set(pairs).size).toBe(pairs.length)
  expect(asked.slice(before).map(({ attempt }) => attempt)).toEqual([2, 2, 2, 2])
})

test('P-01 a deadline that passed during the sleep is not taken for a slow receiver', async () => {
  const { world, state, hook } = await outsideWorld()
  await hook('shop.example')
  state.network = () => 'silence'
  await world.clock.advance(500)
  await world.happen()
  await world.idle()
  // Awake for most of the ten seconds, then asleep: the deadline is the first to run, half a second before the tick.
  await world.clock.advance(9_700)
  world.clock.set(world.clock.now() + HOUR)
  await world.clock.advance(400)
  await world.idle()
  await world.pass(2 * SECOND)
  expect(attemptsOf(world)).toEqual([{ outcome: 'interrupted', counted: 0, many: 1 }])
})

test.each([
  ['an hour ahead', HOUR],
  ['three days ahead', 3 * DAY],
  ['an hour back', -HOUR],
  ['a day back', -DAY],
])(
  'P-02 a clock set %s parks nothing longer than its gap, and costs each delivery one early attempt at most',
  async (_, ms) => {
    const { world, asked, state, hook } = await outsideWorld()
    state.network = () => ({ ...good, kind: 'response', status: 500 })
    await hook('shop.example', { max_in_flight: 8 })
    await world.happenTimes(3)
    await world.pass(2 * MINUTE)
    const before = asked.length
    // Two or three attempts each so far; the next is about ten minutes off.
    const gaps = world.database.raw.prepare('SELECT seq, gap_ms AS gap FROM deliveries').all() as {
      seq: number
      gap: number
    }[]
    world.clock.set(world.clock.now() + ms)
    await world.pass(5 * SECOND)
    const now = world.clock.now()
    const rows = world.database.raw.prepare('SELECT seq, next_attempt_at AS next FROM deliveries').all() as {
      seq: number
      next: number
    }[]
    for (const { seq, next } of rows) {
      expect(next).toBeLessThanOrEqual(now + Math.max(gaps.find((one) => one.seq === seq)?.gap ?? 0, 2_700_000 * 1.2))
    }
    expect(asked.length - before).toBeLessThanOrEqual(3)
    state.network = () => good
    await world.pass(HOUR)
    expect(deliveriesOf(world)).toEqual([{ status: 'delivered', many: 3 }])
  },
)

test('P-02 a clock that was in 2038 or in 1970 when a delivery failed does not delay it once it is right', async () => {
  for (const wrong of [Date.UTC(2038, 0, 20), 0]) {
    const { world, state, hook } = await outsideWorld()
    const right = world.clock.now()
    await hook('shop.example')
    state.network = () => ({ ...good, kind: 'response', status: 500 })
    world.clock.set(wrong)
    await world.happen()
    await world.pass(5 * SECOND)
    world.clock.set(right)
    state.network = () => good
    await world.pass(MINUTE)
    expect(deliveriesOf(world)).toEqual([{ status: 'delivered', many: 1 }])
    await world.close()
  }
})

const OFFLINE_HOURS = sized(1, 9)
const MISSED = sized(500, 10_000)

test(`P-03 ${OFFLINE_HOURS} hours without network cost no attempt: one probe in 30 s, and all is delivered when it is back`, async () => {
  const { world, asked, state, hook } = await outsideWorld({ attached: false })
  state.network = () => noName
  await hook('shop.example', { max_in_flight: 8 })
  await world.happenTimes(MISSED)
  await world.pass(OFFLINE_HOURS * HOUR, 5)
  expect(attemptsOf(world)).toEqual([{ outcome: 'local_fault', counted: 0, many: asked.length }])
  expect(asked.length).toBeLessThanOrEqual(122 * OFFLINE_HOURS)
  expect(asked.length).toBeGreaterThanOrEqual(111 * OFFLINE_HOURS)
  expect(world.webhooks().machineProblems()).toEqual([
    expect.stringMatching(/^Since 2026-\S+, this computer has had no internet/),
  ])

  state.network = () => good
  state.isAttached = true
  state.revision++
  const before = asked.length
  await world.pass(SECOND)
  // It is noticed at once, by one delivery; then by more and more at a time.
  expect(asked.length).toBeGreaterThan(before)
  await world.pass(15 * MINUTE)
  expect(deliveriesOf(world)).toEqual([{ status: 'delivered', many: MISSED }])
  expect(world.webhooks().machineProblems()).toEqual([])
})

test('P-03 after 72 hours failures count again, so a removed receiver is not kept forever', async () => {
  const { world, state, hook } = await outsideWorld({ attached: false })
  state.network = () => noName
  await hook('shop.example')
  await world.happen()
  await world.pass(72 * HOUR, 5)
  expect(await world.delivery()).toMatchObject({ status: 'pending' })
  await world.pass(24 * HOUR, 5)
  expect(await world.delivery()).toMatchObject({ status: 'exhausted' })
})

test('P-04 behind a captive portal nothing is counted, from the first failure on', async () => {
  const { world, state, hook } = await outsideWorld()
  state.network = () => noTrust
  for (const host of ['a.example', 'b.example', 'c.example']) await hook(host, { max_in_flight: 8 })
  await world.happenTimes(20)
  await world.pass(30 * MINUTE)
  expect(attemptsOf(world)).toEqual([{ outcome: 'local_fault', counted: 0, many: expect.any(Number) as number }])
  expect(world.webhooks().machineProblems()).toEqual([expect.stringContaining('an untrusted certificate')])
  state.network = () => good
  await world.pass(5 * MINUTE)
  expect(deliveriesOf(world)).toEqual([{ status: 'delivered', many: 60 }])
})

test('P-04 receivers without a valid certificate, or without a name, beside a healthy one count as their own fault', async () => {
  const { world, state, hook } = await outsideWorld()
  const answers: Record<string, OutboundAnswer> = { well: good, bad: noTrust, gone: noName }
  state.network = (host) => answers[host.split('-')[0] ?? ''] ?? 'silence'
  await hook('well-1.example')
  await world.happen()
  await world.idle()
  for (const host of ['bad-1.example', 'bad-2.example', 'gone-1.example']) await hook(host)
  for (let i = 0; i < 20; i++) {
    await world.happen()
    await world.pass(30 * SECOND)
  }
  const outcomes = attemptsOf(world) as { outcome: string; counted: number }[]
  expect(outcomes.map(({ outcome, counted }) => `${outcome} ${counted}`)).toEqual(['dns 1', 'success 0', 'tls 1'])
  expect(world.webhooks().machineProblems()).toEqual([])
})

test('P-04 a lone receiver that cannot be reached is counted while this machine has a network', async () => {
  const { world, state, hook } = await outsideWorld()
  state.network = () => failure('connect', 'ECONNREFUSED')
  await hook('shop.example')
  await world.happen()
  await world.pass(2 * MINUTE)
  expect(await world.delivery()).toMatchObject({ status: 'failed' })
  expect((attemptsOf(world) as { outcome: string; counted: number }[])[0]).toMatchObject({
    outcome: 'connect',
    counted: 1,
  })
})

test('two receivers that refuse connections count as two refusals, not as a fault of this machine', async () => {
  const { world, state, hook } = await outsideWorld()
  state.network = () => failure('connect', 'ECONNREFUSED')
  for (const host of ['a.example', 'b.example']) await hook(host)
  await world.happenTimes(3)
  await world.pass(2 * MINUTE)
  expect(attemptsOf(world)).toEqual([{ outcome: 'connect', counted: 1, many: expect.any(Number) as number }])
})

test('P-05 synthetic addresses from a VPN use up no attempts, and the warning explains them', async () => {
  const { world, state, hook } = await outsideWorld()
  state.network = () => failure('blocked', 'fake_address')
  for (const host of ['a.example', 'b.example']) await hook(host)
  await world.happenTimes(2)
  await world.pass(10 * MINUTE)
  expect(attemptsOf(world)).toEqual([{ outcome: 'local_fault', counted: 0, many: expect.any(Number) as number }])
  expect(world.webhooks().machineProblems()).toEqual([expect.stringContaining('egress.trusted_ranges')])
})

test.each([
  ['fast', -400, true],
  ['slow', 400, true],
  ['slow', 90, false],
  ['right', 20, undefined],
])('P-06 a clock that is %s by %d s is reported, and timestamps are not changed', async (how, seconds, isRefused) => {
  const { world, state, hook } = await outsideWorld()
  state.network = () => {
    const date = new Date(world.clock.now() + seconds * 1_000).toUTCString()
    return { ...good, kind: 'response', headers: { date } }
  }
  for (const host of ['a.example', 'b.example']) await hook(host)
  await world.happenTimes(20)
  await world.idle()
  // Two hosts may share a mistake.
  expect(world.webhooks().machineProblems()).toEqual([])
  await hook('c.example')
  await world.happen()
  await world.idle()
  const said = world.webhooks().machineProblems()
  if (isRefused === undefined) return expect(said).toEqual([])
  // Half of a second is added for what `Date` cuts off.
  const about = `is (${Math.abs(seconds)}|${Math.abs(seconds) + 1}) seconds ${how}`
  expect(said).toEqual([expect.stringMatching(about)])
  expect(said[0]?.includes('reject')).toBe(isRefused)
  const stamps = world.database.raw
    .prepare('SELECT sent_timestamp AS at, started_at AS began FROM delivery_attempts')
    .all()
  for (const { at, began } of stamps as { at: number; began: number }[]) expect(at).toBe(Math.floor(began / 1_000))
  // Once it is set right the old responses say nothing.
  world.clock.set(world.clock.now() + seconds * 1_000)
  await world.pass(SECOND)
  expect(world.webhooks().machineProblems()).toEqual([])
})

test('P-08 after a day asleep with 5,000 due no webhook gets more than one request in the first second', async () => {
  const { world, asked, state, hook } = await outsideWorld()
  for (let i = 0; i < 10; i++) await hook(`receiver-${i}.example`, { max_in_flight: 64 })
  state.network = () => ({ ...good, kind: 'response', status: 500 })
  await world.happenTimes(500)
  await world.idle()
  await world.pass(2 * MINUTE)
  const before = asked.length
  state.network = () => good
  world.clock.set(world.clock.now() + DAY)
  const woke = world.clock.now()
  await world.pass(2 * MINUTE)
  const inFirstSecond = asked.slice(before).filter(({ atMs }) => atMs < woke + 2 * SECOND)
  // The tick that notices comes within a second, and the calm lasts one more.
  expect(inFirstSecond.length).toBeLessThanOrEqual(10)
  expect(inFirstSecond.length).toBeGreaterThan(0)
  expect(deliveriesOf(world)).toEqual([{ status: 'delivered', many: 5_000 }])
})

test('offline, hosts answered inside the service still work', async () => {
  const { world, state, hook } = await outsideWorld({ attached: false })
  state.network = (host) => (host === 'catcher.sandbox' ? { ...good, remoteIp: null } : noName)
  await hook('shop.example')
  await hook('catcher.sandbox')
  await world.happen()
  await world.pass(3 * SECOND)
  for (let i = 0; i < 5; i++) {
    await world.happen()
    await world.pass(SECOND)
  }
  expect(deliveriesOf(world)).toEqual([
    { status: 'delivered', many: 6 },
    { status: 'pending', many: 6 },
  ])
})

test('waits of the room end when it stops', async () => {
  const clock = fakeClock()
  expect(clock.waiting()).toBe(0)
  const { world, state, hook } = await outsideWorld()
  state.network = (host) => (host === 'slow.example' ? 'silence' : noName)
  await hook('slow.example')
  await hook('gone.example')
  await world.happen()
  await world.idle()
  await world.webhooks().stop(0)
  expect(await world.webhooks().listDeliveries(ACCOUNT, { limit: 10 })).toMatchObject({
    data: [{ status: 'pending' }, { status: 'pending' }],
  })
})
