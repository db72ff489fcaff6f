import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { startRawServer } from '../../support/raw-server.ts'
import { until } from '../../support/service-process.ts'
import { takeRoute } from '../../support/whatsapp/route.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'

let world: LineWorld
let shop: EngineInstance

beforeEach(async () => {
  world = await lineWorld()
  shop = world.instance()
})
afterEach(() => world.close())

const pairing = () => {
  const found = world.smv2.engine.pairing
  if (!found) throw new Error('smv2 pairs')
  return found
}
const stored = () => world.data.raw.prepare('SELECT COUNT(*) AS rows FROM smv2_sessions').get()

test('a QR code is valid for a minute, and nothing is stored before the phone has confirmed', async () => {
  await world.smv2.engine.start(shop)
  await world.qr(shop)
  const view = await pairing().current(shop)
  expect(view).toMatchObject({ state: 'ready', attempt: 1, pairingCode: null })
  expect((view.expiresAtMs ?? 0) - Date.now()).toBeGreaterThan(55_000)
  expect(world.of(shop, 'qr')).toMatchObject([{ attempt: 1, expiresAtMs: view.expiresAtMs }])
  expect(stored()).toEqual({ rows: 0 })
  await world.whatsapp.phone(OURS).scan(view.text ?? '')
  expect(await world.heard(shop, 'connected')).toMatchObject({ number: OURS })
  // The restart that the network asks for after a pairing is no loss to anybody.
  expect(world.told(shop).map(({ kind }) => kind)).toEqual(['qr', 'connected'])
  expect(stored()).toEqual({ rows: 1 })
  expect(await pairing().current(shop)).toMatchObject({ state: 'connected', text: null })
})

test('a pairing code also pairs, stays the same when requested again, and leaves the QR code valid', async () => {
  const view = await pairing().code(shop, OURS)
  expect(view).toMatchObject({ state: 'ready', pairingCode: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/) })
  expect(view.text).not.toBeNull()
  expect((await pairing().code(shop, OURS)).pairingCode).toBe(view.pairingCode)
  expect(stored()).toEqual({ rows: 0 })
  await world.whatsapp.phone(OURS).enter(view.pairingCode ?? '')
  await world.heard(shop, 'connected')
})

test('a pairing that is interrupted before the phone confirms starts again with a new code', async () => {
  const before = await pairing().code(shop, OURS)
  world.whatsapp.cut()
  await until('another code', async () => {
    const { text, pairingCode } = await pairing().current(shop)
    return text !== null && text !== before.text && pairingCode === null
  })
  await world.whatsapp.phone(OURS).scan(await world.qr(shop))
  await world.heard(shop, 'connected')
  expect(world.of(shop, 'auth_failed')).toEqual([])
})

test('while the network is unreachable no qr_expired is reported, and a code is shown once it is reachable', async () => {
  const nobody = await startRawServer((socket) => void socket.destroy(), { layer: 'tcp' })
  takeRoute({ ...world.whatsapp.route, port: nobody.port })
  await world.smv2.engine.start(shop)
  await until('a second try', () => nobody.connections > 1)
  expect(await pairing().current(shop)).toMatchObject({ state: 'pending', text: null, attempt: 0 })
  world.whatsapp.takeRoute()
  await world.qr(shop)
  expect(world.of(shop, 'qr_expired')).toEqual([])
  await nobody.close()
})

test.each(['hmac', 'account_signature'] as const)(
  'a pairing with a forged %s is refused and not stored',
  async (tamper) => {
    await world.smv2.engine.start(shop)
    const text = await world.qr(shop)
    await world.whatsapp
      .phone(OURS)
      .scan(text, { tamper })
      .catch(() => {})
    await until('another code', async () => (await pairing().current(shop)).text !== text)
    expect(world.of(shop, 'connected')).toEqual([])
    expect(stored()).toEqual({ rows: 0 })
  },
)

test('after a stop the session connects again without a scan, and after a logout the phone shows no device', async () => {
  const line = await world.connect(OURS)
  await world.smv2.engine.stop(line)
  expect(await world.smv2.engine.resume(line)).toBe('no_session')
  await world.smv2.engine.start(line)
  await world.heard(line, 'connected')
  await world.smv2.engine.logout(line)
  await until('the phone shows no device', () => world.whatsapp.phone(OURS).linked.length === 0)
  for (const table of ['sessions', 'keys', 'inbound', 'sent', 'people']) {
    expect(world.data.raw.prepare(`SELECT COUNT(*) AS rows FROM smv2_${table}`).get(), table).toEqual({ rows: 0 })
  }
  // What the network says about a device that left by itself is no news.
  expect(world.of(line, 'auth_failed')).toEqual([])
})
