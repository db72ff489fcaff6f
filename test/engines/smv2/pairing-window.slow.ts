import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

/** Three minutes of real time: the client library, the engine and the stand-in all keep their own timers. */
const PATIENCE_MS = 300_000

let world: LineWorld
beforeAll(async () => {
  world = await lineWorld()
})
afterAll(() => world.close())

const pairing = () => {
  const found = world.smv2.engine.pairing
  if (!found) throw new Error('smv2 pairs')
  return found
}
const numberOf = (seconds: number) => `1202555${String(1_000 + seconds)}`

async function scanAfter(seconds: number): Promise<EngineInstance> {
  const instance = world.instance()
  await world.smv2.engine.start(instance)
  await world.qr(instance)
  await pause(seconds * 1_000)
  await world.whatsapp.phone(numberOf(seconds)).scan(await world.qr(instance))
  await world.heard(instance, 'connected')
  return instance
}

async function enterAfter(seconds: number): Promise<EngineInstance> {
  const instance = world.instance()
  const { pairingCode } = await pairing().code(instance, numberOf(seconds))
  await pause(seconds * 1_000)
  expect((await pairing().current(instance)).pairingCode).toBe(pairingCode)
  await world.whatsapp.phone(numberOf(seconds)).enter(pairingCode ?? '')
  await world.heard(instance, 'connected')
  return instance
}

/** @returns after how many seconds pairing expired. */
async function expireUnused(instance: EngineInstance): Promise<number> {
  await world.smv2.engine.start(instance)
  await world.qr(instance)
  const startedAt = performance.now()
  await until('expired', () => world.of(instance, 'qr_expired').length > 0, 200_000)
  return (performance.now() - startedAt) / 1_000
}

test(
  'a code pairs as long as it is shown; after the last one the pairing expires, and nothing happens until requested',
  { timeout: PATIENCE_MS },
  async () => {
    const unused = world.instance()
    const [expiredAfter, ...paired] = await Promise.all([
      expireUnused(unused),
      ...[5, 30, 55, 70, 100, 150].map(scanAfter),
      ...[35, 90, 170].map(enterAfter),
    ])
    expect(expiredAfter).toBeGreaterThan(155)
    expect(expiredAfter).toBeLessThan(175)
    // One registration each: a second one would have shown a code as the first again.
    expect(world.of(unused, 'qr').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    for (const instance of paired) expect(world.of(instance, 'qr')[0]).toMatchObject({ attempt: 1 })
    for (const instance of paired)
      expect(world.of(instance, 'qr').filter(({ attempt }) => attempt === 1)).toHaveLength(1)

    for (const instance of paired) await world.smv2.engine.stop(instance)
    await until('no connection', () => world.whatsapp.connections === 0)
    await pause(10_000)
    expect([world.whatsapp.connections, world.timers()]).toEqual([0, 0])
    expect(world.told(unused).filter(({ kind }) => kind !== 'qr')).toEqual([{ kind: 'qr_expired' }])
    expect(await pairing().current(unused)).toMatchObject({ state: 'expired', text: null, expiresAtMs: null })
  },
)
