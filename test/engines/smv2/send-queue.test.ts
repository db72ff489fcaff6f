import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSendQueue, type SendPace, type Turn } from '../../../main/engines/smv2/send-queue.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { fakeClock, settle } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'

const LINE = '0197f0c2-0000-7000-8000-000000000001' as InstanceId
const OTHER = '0197f0c2-0000-7000-8000-000000000002' as InstanceId
const ANA = '12025550101'
const BEN = '12025550102'
const PACE: SendPace = { line: { perMinute: 30, burst: 10 }, chat: { perMinute: 20, burst: 5 }, spacingMs: 500 }
const MAX_WAIT_MS = 10_000

interface Sent {
  readonly index: number
  readonly chat: string
  readonly atMs: number
}

function queueing(pace: SendPace | null = PACE) {
  const clock = fakeClock()
  const queue = createSendQueue({ clock, random: seededRandom(), pace: () => pace, maxWaitMs: MAX_WAIT_MS })
  const sent: Sent[] = []
  const turns: Turn[] = []
  let count = 0
  /** @param busyMs how long it is on its way. */
  async function send(chat: string, { line = LINE, busyMs = 0, signal = new AbortController().signal } = {}) {
    const index = count++
    const turn = await queue.turn(line, chat, signal)
    turns.push(turn)
    if (turn.kind !== 'go') return turn
    sent.push({ index, chat, atMs: clock.mono() })
    if (busyMs > 0) await clock.sleep(busyMs)
    turn.done()
    return turn
  }
  return { clock, queue, sent, turns, send }
}

/** Whether any window holds more of these moments than the limit allows. */
function exceeds(moments: readonly number[], { perMinute, burst }: SendPace['line']): boolean {
  return moments.some((from, i) =>
    moments.slice(i).some((to, more) => more + 1 > burst + ((to - from) * perMinute) / 60_000 + 1e-6),
  )
}

const limit = fc.record({ perMinute: fc.integer({ min: 1, max: 600 }), burst: fc.integer({ min: 1, max: 12 }) })
const arrivals = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5_000 })),
    chat: fc.constantFrom(ANA, BEN, 'garden@g.us'),
    busyMs: fc.constantFrom(0, 0, 0, 300),
  }),
  { minLength: 1, maxLength: 60 },
)

test('for any arrivals, no interval exceeds the limits, chats keep their order, and no message waits forever', async () => {
  await fc.assert(
    fc.asyncProperty(
      limit,
      limit,
      fc.integer({ min: 0, max: 1_000 }),
      arrivals,
      async (line, chat, spacingMs, asked) => {
        const { clock, sent, turns, send } = queueing({ line, chat, spacingMs })
        const all: Promise<unknown>[] = []
        for (const one of asked) {
          await clock.advance(one.afterMs)
          all.push(send(one.chat, { busyMs: one.busyMs }))
        }
        await clock.advance(MAX_WAIT_MS + 1_000)
        await Promise.all(all)

        expect(turns).toHaveLength(asked.length)
        expect(
          exceeds(
            sent.map(({ atMs }) => atMs),
            line,
          ),
        ).toBe(false)
        for (const [i, { atMs }] of sent.entries()) {
          if (i > 0) expect(atMs - (sent[i - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(spacingMs)
        }
        for (const name of [ANA, BEN, 'garden@g.us']) {
          const here = sent.filter((each) => each.chat === name)
          expect(
            exceeds(
              here.map(({ atMs }) => atMs),
              chat,
            ),
          ).toBe(false)
          expect(here.map(({ index }) => index)).toEqual(here.map(({ index }) => index).toSorted((a, b) => a - b))
        }
        expect(clock.waiting()).toBe(0)
      },
    ),
    { numRuns: 150 },
  )
})

test('of 300 messages at the same time, those within the longest wait are sent, and the others get a retry time', async () => {
  const { clock, sent, turns, send } = queueing()
  const all = Promise.all(Array.from({ length: 300 }, (_, i) => send(`1202555${String(i).padStart(4, '0')}`)))
  await settle()
  const refused = turns.filter(({ kind }) => kind === 'later')
  expect(refused.length).toBeGreaterThan(280)
  expect(refused[0]).toMatchObject({ retryAfterSeconds: expect.any(Number) })
  await clock.advance(MAX_WAIT_MS)
  await all
  expect(sent.length + refused.length).toBe(300)
  expect(sent.length).toBeGreaterThanOrEqual(10)
})

test('a chat that has to wait does not delay others, and keeps its order', async () => {
  const { clock, sent, send } = queueing({ ...PACE, spacingMs: 0 })
  const all = Promise.all([...Array.from({ length: 7 }, () => send(ANA)), send(BEN)])
  await settle()
  expect(sent.map(({ chat }) => chat).toSorted()).toEqual([ANA, ANA, ANA, ANA, ANA, BEN])
  await clock.advance(6_000)
  await all
  expect(sent.slice(-2)).toEqual([
    { index: 5, chat: ANA, atMs: 3_000 },
    { index: 6, chat: ANA, atMs: 6_000 },
  ])
})

test('a message waits until the previous one of its chat was sent', async () => {
  const { clock, sent, send } = queueing({ ...PACE, spacingMs: 0 })
  const all = Promise.all([send(ANA, { busyMs: 700 }), send(ANA), send(BEN)])
  await clock.advance(700)
  await all
  expect(sent.map(({ chat, atMs }) => [chat, atMs])).toEqual([
    [ANA, 0],
    [BEN, 0],
    [ANA, 700],
  ])
})

test('a message waits behind a hanging one of its chat only for the longest wait, and then gets a retry time', async () => {
  const { clock, send } = queueing()
  void send(ANA, { busyMs: 60_000 })
  const next = send(ANA)
  await clock.advance(MAX_WAIT_MS)
  expect(await next).toEqual({ kind: 'later', retryAfterSeconds: expect.any(Number) })
})

test('numbers do not wait for each other', async () => {
  const { sent, send } = queueing({ ...PACE, line: { perMinute: 1, burst: 1 } })
  await Promise.all([send(ANA), send(ANA, { line: OTHER })])
  expect(sent).toHaveLength(2)
})

test('a canceled send gives up its place', async () => {
  const { clock, sent, send } = queueing({ ...PACE, spacingMs: 0, chat: { perMinute: 20, burst: 1 } })
  const caller = new AbortController()
  const all = [send(ANA), send(ANA, { signal: caller.signal }), send(ANA)]
  await settle()
  caller.abort()
  expect(await all[1]).toEqual({ kind: 'given_up' })
  await clock.advance(3_000)
  await Promise.all(all)
  expect(sent.map(({ index }) => index)).toEqual([0, 2])
})

test('stopping a number cancels its waiting sends, and closing the queue cancels all of its sends', async () => {
  const { clock, queue, send } = queueing({ ...PACE, line: { perMinute: 6, burst: 1 } })
  await Promise.all([send(ANA), send(ANA, { line: OTHER })])
  const [here, there] = [send(BEN), send(BEN, { line: OTHER })]
  queue.release(LINE)
  expect(await here).toEqual({ kind: 'given_up' })
  queue.close()
  expect(await there).toEqual({ kind: 'given_up' })
  expect(await send(ANA)).toEqual({ kind: 'given_up' })
  expect(clock.waiting()).toBe(0)
})

test('the queue reports a retry time in advance, without taking a place', async () => {
  const { clock, queue, send } = queueing({ ...PACE, chat: { perMinute: 1, burst: 1 } })
  expect(queue.retryAfterSeconds(LINE, ANA)).toBeNull()
  await send(ANA)
  expect(queue.retryAfterSeconds(LINE, ANA)).toBe(60)
  expect(queue.retryAfterSeconds(LINE, BEN)).toBeNull()
  await clock.advance(50_000)
  expect(queue.retryAfterSeconds(LINE, ANA)).toBeNull()
})

test('without a pace messages are sent immediately', async () => {
  const { sent, send } = queueing(null)
  await Promise.all(Array.from({ length: 50 }, () => send(ANA)))
  expect(sent).toHaveLength(50)
})
