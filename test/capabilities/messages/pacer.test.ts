import { expect, test } from 'vitest'
import { createPacer } from '../../../main/capabilities/messages/pacer.ts'
import type { Pace } from '../../../main/engines/engine.ts'
import { fakeClock, settle } from '../../support/clock.ts'
import { accepted, bench, INSTANCE } from './bench.ts'

const PACE: Pace = { perSecond: 80, toOne: { everyMs: 6_000, burst: 45 } }
const ANA = '12025550101'
const THROTTLED = { kind: 'nothing_sent', message: 'x', throttles: 'pair', retryAfterSeconds: 1 } as const

function pacing(pace = PACE) {
  const clock = fakeClock()
  const pacer = createPacer(clock)
  const left: number[] = []
  const startedMs = clock.now()
  const turn = async (to: string, mostMs = 10_000) => {
    const given = await pacer.acquire({ instanceId: 'a', to, pace }, mostMs)
    if (given.kind === 'go') left.push(clock.now() - startedMs)
    return given
  }
  return { clock, pacer, left, turn }
}

test('a number sends no faster than its pace and delays the rest', async () => {
  const { clock, left, turn } = pacing()
  const all = Promise.all(Array.from({ length: 800 }, (_, i) => turn(`1202555${String(i).padStart(4, '0')}`, 20_000)))
  for (let i = 0; i < 200; i++) await clock.advance(100)
  await all
  expect(left).toHaveLength(800)
  const inSecond = Array.from(
    { length: 11 },
    (_, second) => left.filter((ms) => Math.floor(ms / 1_000) === second).length,
  )
  // The first holds a tenth of a second's worth in advance.
  expect(inSecond[0]).toBeLessThanOrEqual(88)
  for (const count of inSecond.slice(1)) expect(count).toBeLessThanOrEqual(80)
  expect(Math.max(...left)).toBeGreaterThan(9_800)
})

test('delayed messages are sent in their original order', async () => {
  const { clock, turn } = pacing({ perSecond: 10, toOne: null })
  const order: number[] = []
  const all = Promise.all(Array.from({ length: 20 }, async (_, i) => turn('1').then(() => order.push(i))))
  for (let i = 0; i < 40; i++) await clock.advance(100)
  await all
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i))
})

test('one person gets 45 messages immediately; the next waits six seconds, and another gets a retry time', async () => {
  const { clock, left, turn } = pacing({ perSecond: 1_000, toOne: { everyMs: 6_000, burst: 45 } })
  for (let i = 0; i < 45; i++) await turn(ANA)
  expect(Math.max(...left)).toBe(0)
  const waiting = turn(ANA)
  expect(await turn(ANA)).toEqual({ kind: 'later', retryAfterSeconds: 12 })
  expect(await turn('12025550102')).toMatchObject({ kind: 'go', waitedMs: 0 })
  await clock.advance(6_000)
  expect(await waiting).toEqual({ kind: 'go', waitedMs: 6_000 })
})

test('a refused message does not use up the pace', async () => {
  const { clock, turn } = pacing({ perSecond: 1, toOne: null })
  await turn('1')
  for (let i = 0; i < 20; i++) expect((await turn('1', 500)).kind).toBe('later')
  await clock.advance(1_000)
  expect(await turn('1', 0)).toMatchObject({ kind: 'go', waitedMs: 0 })
})

test('the pause for a throttled chat grows fourfold each time, until a message is accepted', async () => {
  const { clock, pacer, turn } = pacing()
  const heard = (outcome: Parameters<typeof pacer.report>[1]) => pacer.report({ instanceId: 'a', to: ANA }, outcome)
  for (const seconds of [4, 16, 64]) {
    expect(heard(THROTTLED)).toMatchObject({ retryAfterSeconds: seconds })
    expect(await turn(ANA, 0)).toEqual({ kind: 'later', retryAfterSeconds: seconds })
    await clock.advance(seconds * 1_000)
  }
  heard(accepted('wamid.1', 'queued'))
  expect(heard(THROTTLED)).toMatchObject({ retryAfterSeconds: 4 })
  expect((await turn('12025550102')).kind).toBe('go')
})

test('a throttled number pauses for all people, for the time that the network requests', async () => {
  const { pacer, turn } = pacing()
  pacer.report({ instanceId: 'a', to: ANA }, { ...THROTTLED, throttles: 'number', retryAfterSeconds: 30 })
  expect(await turn('12025550102')).toEqual({ kind: 'later', retryAfterSeconds: 30 })
})

test('a send waits for its turn before anything is stored, and gets 429 if that would take too long', async () => {
  const b = await bench()
  Object.assign(b.engine, { pace: () => ({ perSecond: 1, toOne: null }) })
  const send = (key: string) => b.send({ to: ANA, text: 'x' }, { key })
  await send('first')
  const stored = () => b.raw.prepare('SELECT count(*) AS n FROM messages').get()
  const second = send('second')
  await settle()
  expect([b.engine.asked.length, stored()]).toEqual([1, { n: 1 }])
  await b.clock.advance(1_000)
  await second
  const waiting = Array.from({ length: 12 }, (_, i) => send(`more ${i}`).catch((error: unknown) => error))
  await settle()
  // A repeat is answered from what is kept and takes no turn.
  expect(await send('first')).toMatchObject({ replayed: true })
  for (let i = 0; i < 12; i++) await b.clock.advance(1_000)
  const outcomes = await Promise.all(waiting)
  const refused = outcomes.filter((outcome) => outcome instanceof Error)
  expect(refused).toHaveLength(2)
  expect(refused[0]).toMatchObject({
    code: 'rate_limited',
    headers: { 'Retry-After': expect.stringMatching(/^1[12]$/) },
  })
  expect(b.engine.asked.every(({ instanceId }) => instanceId === INSTANCE)).toBe(true)
  expect(stored()).toEqual({ n: 12 })
  await b.close()
})

test('a message that would wait too long in the engine is refused before anything is downloaded or stored', async () => {
  const b = await bench()
  await b.send({ to: ANA, text: 'x' }, { key: 'first' })
  Object.assign(b.engine, { retryAfterSeconds: (_: unknown, to: string) => (to === ANA ? 17 : null) })
  const body = { to: ANA, media_url: 'https://media.example/a.png', media_type: 'image' } as const
  await expect(b.send(body, { key: 'second' })).rejects.toMatchObject({
    code: 'rate_limited',
    headers: { 'Retry-After': '17' },
  })
  expect(b.raw.prepare('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 1 })
  expect(b.keyState('second')).toBeUndefined()
  expect(await b.send({ to: ANA, text: 'x' }, { key: 'first' })).toMatchObject({ replayed: true })
  expect(await b.send({ to: '12025550102', text: 'x' })).toMatchObject({ replayed: false })
  expect(b.engine.asked).toHaveLength(2)
  await b.close()
})
