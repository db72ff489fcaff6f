import { describe, expect, onTestFinished, test } from 'vitest'
import type { CampaignConfigInput } from '../../../main/contract/campaign.ts'
import { campaignBench, type Sent } from './campaign-bench.ts'
import { phonesFrom } from './campaign-world.ts'

const SECOND = 1_000
const HOUR = 3_600_000

async function benchOfTest(options: Parameters<typeof campaignBench>[0] = {}) {
  const bench = await campaignBench(options)
  onTestFinished(() => bench.close())
  return bench
}
type Bench = Awaited<ReturnType<typeof campaignBench>>

/** Passes what nobody has to do anything in. */
async function passQuickly(bench: Bench, ms: number): Promise<void> {
  const untilMs = bench.clock.now() + ms
  while (bench.clock.now() < untilMs) {
    bench.clock.skip(Math.min(untilMs - bench.clock.now(), 60 * SECOND))
    await bench.pass(1)
  }
}

const gapsOf = (sent: readonly Pick<Sent, 'instanceId' | 'atMs'>[], line: string): number[] => {
  const times = sent.filter(({ instanceId }) => instanceId === line).map(({ atMs }) => atMs)
  return times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0))
}
const shareOf = (sent: readonly Sent[], line: string) => sent.filter(({ instanceId }) => instanceId === line).length

const QUICK: CampaignConfigInput = { minDelay: 0.2, maxDelay: 0.6, checkNumbers: false }

describe('1,000 people and three numbers', () => {
  test('give each person one message; the numbers share them by weight and keep their delays', async () => {
    const bench = await benchOfTest()
    const lines = ['a', 'b', 'c'].map(bench.line)
    const [a = '', b = '', c = ''] = lines
    const id = await bench.create(lines, phonesFrom(1_000), { ...QUICK, weights: { [b]: 2, [c]: 1 } })
    for (let i = 0; i < 400 && (await bench.get(id)).status !== 'completed'; i++) await bench.pass(1)
    expect(new Set(bench.sent.map(({ to }) => to)).size).toBe(1_000)
    expect(bench.sent).toHaveLength(1_000)
    for (const [line, weight] of [
      [a, 1],
      [b, 2],
      [c, 1],
    ] as const) {
      const due = (1_000 * weight) / 4
      expect(Math.abs(shareOf(bench.sent, line) - due) / due, line).toBeLessThan(0.05)
      expect(Math.min(...gapsOf(bench.claims(id), line)), line).toBeGreaterThanOrEqual(200)
    }
    expect((await bench.get(id)).counts).toMatchObject({ total: 1_000, sent: 1_000, pending: 0 })
  })

  test('with one disconnected for a while neither stop nor make up for lost time', async () => {
    const bench = await benchOfTest()
    const lines = ['a', 'b', 'c'].map(bench.line)
    const [a, b] = lines
    if (a === undefined || b === undefined) throw new Error('no lines')
    const id = await bench.create(lines, phonesFrom(600), QUICK)
    await bench.pass(15)
    await bench.link(b, 'disconnected')
    await bench.pass(1)
    const before = shareOf(bench.sent, b)
    await bench.pass(20)
    expect(shareOf(bench.sent, b)).toBe(before)
    await bench.link(b, 'connected')
    const rejoined = { a: shareOf(bench.sent, a), b: shareOf(bench.sent, b) }
    for (let i = 0; i < 300 && (await bench.get(id)).status !== 'completed'; i++) await bench.pass(1)
    const gained = { a: shareOf(bench.sent, a) - rejoined.a, b: shareOf(bench.sent, b) - rejoined.b }
    expect(gained.b / gained.a).toBeGreaterThan(0.85)
    expect(gained.b / gained.a).toBeLessThan(1.15)
    expect(bench.sent).toHaveLength(600)
  })
})

describe('limits', () => {
  test('per hour apply to any period of an hour', async () => {
    const bench = await benchOfTest()
    const id = await bench.create([bench.line('a')], phonesFrom(100), {
      ...QUICK,
      hourlyLimit: 20,
      minDelay: 30,
      maxDelay: 60,
    })
    await passQuickly(bench, 6 * HOUR)
    const times = bench.sent.map(({ atMs }) => atMs)
    for (const from of times)
      expect(times.filter((atMs) => atMs >= from && atMs < from + HOUR).length).toBeLessThanOrEqual(20)
    expect((await bench.get(id)).status).toBe('completed')
  })

  test('per day end with the day of the time zone', async () => {
    const bench = await benchOfTest({ startMs: Date.UTC(2026, 2, 4, 1) })
    const window = { start: '00:00', end: '24:00', timezone: 'America/Sao_Paulo', days: [1, 2, 3, 4, 5, 6, 7] }
    await bench.create([bench.line('a')], phonesFrom(12), { ...QUICK, dailyLimit: 5, window })
    await passQuickly(bench, 2 * HOUR - 180 * SECOND)
    expect(bench.sent).toHaveLength(5)
    // Midnight in São Paulo is three in the morning UTC.
    await passQuickly(bench, HOUR)
    expect(bench.sent).toHaveLength(10)
    await passQuickly(bench, 24 * HOUR)
    expect(bench.sent).toHaveLength(12)
  })

  test('pause a number after so many sends', async () => {
    const bench = await benchOfTest()
    const config = { ...QUICK, minDelay: 1, maxDelay: 2, pauseAfter: 5, pauseFor: [300, 400] }
    await bench.create([bench.line('a')], phonesFrom(15), config)
    await passQuickly(bench, HOUR)
    const gaps = gapsOf(bench.sent, 'a')
    expect(
      gaps
        .map((gap) => gap > 200 * SECOND)
        .map((isRest, i) => (isRest ? i : -1))
        .filter((i) => i >= 0),
    ).toEqual([4, 9])
    for (const gap of [gaps[4], gaps[9]]) expect(gap).toBeGreaterThanOrEqual(300 * SECOND)
  })
})

describe('sending hours', () => {
  const berlin = { start: '09:00', end: '10:00', timezone: 'Europe/Berlin', days: [1, 2, 3, 4, 5, 6, 7] }
  const hour = (atMs: number) =>
    Number(new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', hour: 'numeric', hourCycle: 'h23' }).format(atMs))

  test.each([
    ['an ordinary day', Date.UTC(2026, 0, 6, 5)],
    ['the days around the change to summer time', Date.UTC(2026, 2, 28, 5)],
    ['the days around the change to winter time', Date.UTC(2026, 9, 24, 5)],
  ])('apply on %s', async (_name, startMs) => {
    const bench = await benchOfTest({ startMs })
    const id = await bench.create([bench.line('a')], phonesFrom(30), {
      ...QUICK,
      minDelay: 200,
      maxDelay: 260,
      window: berlin,
    })
    expect(await bench.get(id)).toMatchObject({ status: 'paused', pause_reason: 'outside_window' })
    await passQuickly(bench, 60 * HOUR)
    expect(bench.sent.length).toBeGreaterThan(25)
    for (const { atMs } of bench.sent) expect(hour(atMs)).toBe(9)
  })

  test('pause the campaign as soon as they end, and resume it as soon as they begin', async () => {
    const bench = await benchOfTest({ startMs: Date.UTC(2026, 0, 6, 8, 55) })
    const id = await bench.create([bench.line('a')], phonesFrom(9), {
      ...QUICK,
      minDelay: 240,
      maxDelay: 240,
      window: berlin,
    })
    expect((await bench.get(id)).status).toBe('running')
    await passQuickly(bench, 5 * 60 * SECOND + 3 * SECOND)
    expect(await bench.get(id)).toMatchObject({
      ...{ status: 'paused', pause_reason: 'outside_window', next_send_at: '2026-01-07T08:00:00.000Z' },
    })
    await passQuickly(bench, 22 * HOUR + 55 * 60 * SECOND)
    await passQuickly(bench, 10 * 60 * SECOND)
    expect((await bench.get(id)).status).toBe('running')
  })

  test('a number that has reached its daily limit says when it sends next, not when the day ends', async () => {
    // Berlin changes to summer time on this night, so the hours begin at seven in UTC.
    const bench = await benchOfTest({ startMs: Date.UTC(2026, 2, 28, 8, 5) })
    const id = await bench.create([bench.line('a')], phonesFrom(6), { ...QUICK, dailyLimit: 2, window: berlin })
    await passQuickly(bench, 10 * 60 * SECOND)
    expect(bench.sent).toHaveLength(2)
    expect(await bench.get(id)).toMatchObject({
      ...{ status: 'running', next_send_at: '2026-03-29T07:00:00.000Z' },
      per_instance: [{ state: 'waiting', next_send_at: '2026-03-29T07:00:00.000Z' }],
    })
  })

  test('a rest that is longer than the hours ends when they begin', async () => {
    const bench = await benchOfTest({ startMs: Date.UTC(2026, 9, 24, 7, 55) })
    const config = { ...QUICK, minDelay: 600, maxDelay: 600, window: berlin }
    const id = await bench.create([bench.line('a')], phonesFrom(6), config)
    await passQuickly(bench, 60 * SECOND)
    expect(bench.sent).toHaveLength(1)
    // The hours end at eight, before the next send is due. Berlin changes to winter time on this night.
    expect(await bench.get(id)).toMatchObject({ status: 'running', next_send_at: '2026-10-25T08:00:00.000Z' })
  })
})

test('a restart does not change the plan', async () => {
  const runs: Sent[][] = []
  for (const restarts of [false, true]) {
    const bench = await benchOfTest()
    await bench.create([bench.line('a'), bench.line('b')], phonesFrom(40), { ...QUICK, minDelay: 1, maxDelay: 3 })
    for (let i = 0; i < 60; i++) {
      await bench.pass(1)
      if (restarts && i % 7 === 3) await bench.restart()
    }
    runs.push(bench.sent)
  }
  const [whole = [], cut = []] = runs
  expect(cut.map(({ to, instanceId, text }) => [to, instanceId, text]).toSorted()).toEqual(
    whole.map(({ to, instanceId, text }) => [to, instanceId, text]).toSorted(),
  )
})

test('after hours of sleep it continues at its pace, without a burst', async () => {
  const bench = await benchOfTest()
  await bench.create([bench.line('a')], phonesFrom(20), { ...QUICK, minDelay: 10, maxDelay: 10 })
  await bench.pass(15)
  bench.clock.suspend(5 * HOUR)
  await bench.pass(15)
  expect(bench.sent).toHaveLength(4)
})

test('a campaign that should have continued more than twelve hours ago waits for a person', async () => {
  const bench = await benchOfTest()
  const id = await bench.create([bench.line('a')], phonesFrom(5), { ...QUICK, minDelay: 60, maxDelay: 60 })
  await bench.pass(5)
  bench.clock.suspend(13 * HOUR)
  await bench.restart()
  await bench.pass(5)
  expect(await bench.get(id)).toMatchObject({ status: 'paused', pause_reason: 'app_offline', counts: { sent: 1 } })
  await bench.act('resume', id)
  await bench.pass(5)
  expect((await bench.get(id)).counts.sent).toBe(2)
})
