import { beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance, EngineSignal } from '../../../main/engines/engine.ts'
import { createBackoff } from '../../../main/engines/smv2/backoff.ts'
import type { Verdict } from '../../../main/engines/smv2/close-codes.ts'
import { createCloseHandler, type CloseHandler } from '../../../main/engines/smv2/close-handler.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'

const MINUTE_MS = 60_000
const OUTDATED: Verdict = { kind: 'outdated' }
const REPLACED: Verdict = { kind: 'replaced' }
const BAD_SESSION: Verdict = { kind: 'bad_session' }

let clock: FakeClock
let handler: CloseHandler
let isNewVersion: boolean
let connects: number
let signals: EngineSignal[]
let waits: number[]

beforeEach(() => {
  clock = fakeClock()
  ;[isNewVersion, connects, signals, waits] = [false, 0, [], []]
  const random = seededRandom()
  handler = createCloseHandler({
    instance: { id: 'shop', accountId: 'account' } as unknown as EngineInstance,
    ...{ clock, random, backoff: createBackoff(clock, random) },
    sessionStatus: {
      read: async () => 'up',
      enable: async () => {},
      disable: async () => {},
      markEnded: async () => {},
      wipe: async () => {},
    },
    protocol: { refresh: async () => isNewVersion },
    version: () => [2, 3000, 1],
    publish: (signal) => signals.push(signal),
    connect: async () => {
      connects++
    },
    connectAgain: (waitMs) => waits.push(waitMs),
    dropSession: () => {},
    expire: () => {},
    beginPairingAgain: () => {},
  })
})

/** The waits in minutes after the same end, again and again. */
async function waitsAfter(verdict: Verdict, times: number): Promise<number[]> {
  waits = []
  for (let i = 0; i < times; i++) await handler.handle(verdict, 0)
  return waits.map((ms) => ms / MINUTE_MS)
}

/** Each wait lies between its minutes and half as much again. */
function expectWaits(waited: readonly number[], minutes: readonly number[]): void {
  expect(waited).toHaveLength(minutes.length)
  for (const [i, wait] of waited.entries()) {
    expect(wait).toBeGreaterThanOrEqual(minutes[i] ?? NaN)
    expect(wait).toBeLessThanOrEqual((minutes[i] ?? NaN) * 1.5 + 0.01)
  }
}

describe('a connection refused for its version', () => {
  test('is retried immediately if a newer version is known', async () => {
    isNewVersion = true
    await handler.handle(OUTDATED, 405)
    expect([connects, waits]).toEqual([1, []])
  })

  test('is retried at growing intervals forever if no newer version is known', async () => {
    expectWaits(await waitsAfter(OUTDATED, 5), [5, 30, 120, 120, 120])
    expect(signals.every(({ kind }) => kind === 'link_lost')).toBe(true)
    isNewVersion = true
    await handler.handle(OUTDATED, 405)
    expect(connects).toBe(1)
  })
})

describe('a session that is in use elsewhere', () => {
  test('is resumed at growing intervals, and never given up', async () => {
    expectWaits(await waitsAfter(REPLACED, 6), [0.5, 10, 60, 360, 360, 360])
    expect(signals.at(-1)).toMatchObject({ kind: 'link_lost', reason: 'replaced' })
  })

  test('keeps its intervals even if it was connected in between', async () => {
    await waitsAfter(REPLACED, 2)
    handler.stood()
    expectWaits(await waitsAfter(REPLACED, 1), [60])
  })

  test('starts with short intervals again after half a day without conflict, and when the number is restarted', async () => {
    await waitsAfter(REPLACED, 3)
    await clock.advance(721 * MINUTE_MS)
    expectWaits(await waitsAfter(REPLACED, 2), [0.5, 10])
    handler.reset()
    expectWaits(await waitsAfter(REPLACED, 1), [0.5])
  })
})

test('a session that the network refuses is given up after three retries, unless it was connected', async () => {
  await waitsAfter(BAD_SESSION, 2)
  handler.stood()
  expect(await waitsAfter(BAD_SESSION, 4)).toHaveLength(3)
  expect(signals.at(-1)).toEqual({ kind: 'link_ended', reason: 'bad_session', code: 0 })
})
