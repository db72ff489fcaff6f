import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'
import { refusal, tappedNetwork, type TappedNetwork } from './tapped-network.ts'

const OURS = '12025550200'
const HELLO = 'link_code_companion_reg'

let time: FakeClock
let world: LineWorld
let tap: TappedNetwork
let shop: EngineInstance
let asked: number

beforeEach(async () => {
  time = fakeClock()
  world = await lineWorld({ time })
  tap = await tappedNetwork()
  shop = world.instance()
  asked = 0
})
afterEach(async () => {
  await world.close()
  await tap.close()
})

const pairing = () => {
  const found = world.smv2.engine.pairing
  if (!found) throw new Error('smv2 pairs')
  return found
}
/** The next connection waits its turn. */
const connected = () =>
  until('connected', async () => {
    await time.advance(100)
    return world.of(shop, 'connected').length > 0
  })
const refuse = (code: number, text: string) =>
  tap.answer(HELLO, (node) => {
    asked++
    return refusal(node, code, text)
  })

describe('a pairing code that WhatsApp refuses', () => {
  test.each([
    { code: 400, text: 'bad-request', error: 'upstream_unavailable', headers: {}, waitMs: 30_000 },
    { code: 429, text: 'rate-overlimit', error: 'rate_limited', headers: { 'Retry-After': '300' }, waitMs: 300_000 },
  ])('with $code is not shown, and not requested again for a while', async ({ code, text, waitMs, ...expected }) => {
    refuse(code, text)
    const failed = { code: expected.error, headers: expected.headers, message: expect.stringContaining(String(code)) }
    await expect(pairing().code(shop, OURS)).rejects.toMatchObject(failed)
    expect(await pairing().current(shop)).toMatchObject({ state: 'ready', pairingCode: null })
    await time.advance(waitMs - 1_000)
    await expect(pairing().code(shop, OURS)).rejects.toMatchObject(failed)
    expect(asked).toBe(1)
  })

  test('can be requested again later, and for another number immediately unless WhatsApp throttles', async () => {
    refuse(400, 'bad-request')
    await expect(pairing().code(shop, OURS)).rejects.toThrow('400')
    await expect(pairing().code(shop, '12025550201')).rejects.toThrow('400')
    expect(asked).toBe(2)
    tap.answer(HELLO, () => undefined)
    await time.advance(31_000)
    const { pairingCode } = await pairing().code(shop, OURS)
    await tap.network.phone(OURS).enter(pairingCode ?? '')
    await connected()
  })

  test('leaves the QR code valid', async () => {
    refuse(429, 'rate-overlimit')
    await expect(pairing().code(shop, OURS)).rejects.toThrow('429')
    await expect(pairing().code(shop, '12025550201')).rejects.toThrow('429')
    expect(asked).toBe(1)
    await tap.network.phone(OURS).scan(await world.qr(shop))
    await connected()
  })
})

test('a pairing code that is requested twice at the same time is the same code', async () => {
  const [one, other] = await Promise.all([pairing().code(shop, OURS), pairing().code(shop, OURS)])
  expect(one.pairingCode).toBe(other.pairingCode)
  await tap.network.phone(OURS).enter(one.pairingCode ?? '')
  await connected()
})

test('a pairing code keeps its connection for its 180 seconds, and not longer', async () => {
  await world.smv2.engine.start(shop)
  await world.qr(shop)
  await time.advance(100_000)
  const { pairingCode } = await pairing().code(shop, OURS)
  await time.advance(179_000)
  expect(await pairing().current(shop)).toMatchObject({ state: 'ready', text: null, pairingCode })
  expect(world.of(shop, 'qr_expired')).toEqual([])
  await time.advance(1_000)
  await world.heard(shop, 'qr_expired')
  expect(world.timers()).toBe(0)
})
