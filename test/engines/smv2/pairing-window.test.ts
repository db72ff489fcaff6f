import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'

/** The same in real time, with every QR code the client library shows: pairing-window.slow.ts. */
let world: LineWorld
let time: FakeClock
let shop: EngineInstance

beforeEach(async () => {
  time = fakeClock()
  world = await lineWorld({ time })
  shop = world.instance()
})
afterEach(() => world.close())

const pairing = () => {
  const found = world.smv2.engine.pairing
  if (!found) throw new Error('smv2 pairs')
  return found
}

/** Lets an alarm ring, and the connection that follows be opened. */
const afterBackoff = (what: string, is: () => Promise<boolean> | boolean) =>
  until(what, async () => {
    await time.advance(1_000)
    return is()
  })

test.each([24, 26, 59])('the first QR code still pairs after %i seconds without a message', async (seconds) => {
  await world.smv2.engine.start(shop)
  const text = await world.qr(shop)
  await time.advance(seconds * 1_000)
  expect((await pairing().current(shop)).text).toBe(text)
  await world.whatsapp.phone(OURS).scan(text)
  await world.heard(shop, 'connected')
})

test.each([61, 100, 159])('another QR code is shown after %i seconds, and pairs', async (seconds) => {
  await world.smv2.engine.start(shop)
  const first = await world.qr(shop)
  await time.advance(seconds * 1_000)
  const text = await world.qr(shop)
  expect(text).not.toBe(first)
  await world.whatsapp.phone(OURS).scan(text)
  await world.heard(shop, 'connected')
})

test('six QR codes are shown, for 60 and five times 20 seconds, and pairing expires after the last one', async () => {
  await world.smv2.engine.start(shop)
  await world.qr(shop)
  const startMs = time.now()
  await time.advance(159_000)
  expect(world.of(shop, 'qr').map(({ attempt, expiresAtMs }) => [attempt, (expiresAtMs - startMs) / 1_000])).toEqual([
    [1, 60],
    [2, 80],
    [3, 100],
    [4, 120],
    [5, 140],
    [6, 160],
  ])
  expect(world.of(shop, 'qr_expired')).toEqual([])
  await time.advance(1_000)
  await world.heard(shop, 'qr_expired')
  expect([world.whatsapp.connections, world.timers()]).toEqual([0, 0])
})

test.each([35, 150])('a pairing code still pairs after %i seconds without a message', async (seconds) => {
  const { pairingCode } = await pairing().code(shop, OURS)
  await time.advance(seconds * 1_000)
  expect((await pairing().current(shop)).pairingCode).toBe(pairingCode)
  await world.whatsapp.phone(OURS).enter(pairingCode ?? '')
  await world.heard(shop, 'connected')
})

test('a pairing code that is requested late gets a connection that lasts as long as the code', async () => {
  await world.smv2.engine.start(shop)
  const first = await world.qr(shop)
  await time.advance(100_000)
  const { pairingCode, text } = await pairing().code(shop, OURS)
  expect(text).not.toBe(first)
  // The network ends the connection of the first codes about now. Nothing depends on it any more.
  await time.advance(110_000)
  expect([world.whatsapp.connections, (await pairing().current(shop)).pairingCode]).toEqual([1, pairingCode])
  await time.advance(60_000)
  await world.whatsapp.phone(OURS).enter(pairingCode ?? '')
  await world.heard(shop, 'connected')
})

test('a pairing code that is requested early leaves the QR code valid', async () => {
  await world.smv2.engine.start(shop)
  const shown = await world.qr(shop)
  await time.advance(15_000)
  expect((await pairing().code(shop, OURS)).text).toBe(shown)
})

test('a connection lost during pairing gets a new code, and after the last code the pairing expires', async () => {
  await world.smv2.engine.start(shop)
  const first = await world.qr(shop)
  await time.advance(100_000)
  world.whatsapp.cut()
  await afterBackoff('another code', async () => {
    const { text } = await pairing().current(shop)
    return text !== null && text !== first
  })
  await time.advance(70_000)
  world.whatsapp.cut()
  await until('expired', () => world.of(shop, 'qr_expired').length > 0)
  const { length: codes } = world.of(shop, 'qr')
  await time.advance(3_600_000)
  expect(await pairing().current(shop)).toMatchObject({ state: 'expired', text: null, pairingCode: null })
  expect([world.whatsapp.connections, world.timers(), world.of(shop, 'qr').length]).toEqual([0, 0, codes])
  await pairing().refresh(shop)
  await world.whatsapp.phone(OURS).scan(await world.qr(shop))
  await afterBackoff('connected', () => world.of(shop, 'connected').length > 0)
})

test('if the network accepts a pairing but does not restart the connection, the engine reconnects and logs in', async () => {
  world.whatsapp.faults.withholdRestart()
  await world.smv2.engine.start(shop)
  await world.whatsapp.phone(OURS).scan(await world.qr(shop))
  await time.advance(24_000)
  expect(world.of(shop, 'connected')).toEqual([])
  await afterBackoff('connected', () => world.of(shop, 'connected').length > 0)
  expect(world.of(shop, 'qr_expired')).toEqual([])
})
