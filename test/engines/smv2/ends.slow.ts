import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance, EngineSignal } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import type { Ending } from '../../support/whatsapp/index.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'

let world: LineWorld
let shop: EngineInstance

beforeEach(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterEach(() => world.close())

const device = () => world.whatsapp.phone(OURS).device
const kinds = () => world.told(shop).map(({ kind }) => kind)

/** The link heals by itself; what is told meanwhile. */
const HEALS: readonly { how: Ending; told: readonly EngineSignal['kind'][]; reasons: readonly string[] }[] = [
  { how: 'restart', told: ['connected'], reasons: [] },
  { how: 'dropped', told: ['link_lost', 'connected'], reasons: ['connection_lost'] },
  { how: 'stream_end', told: ['link_lost', 'connected'], reasons: ['connection_lost'] },
  { how: 'unavailable', told: ['link_lost', 'connected'], reasons: ['network_unavailable'] },
  { how: 'bad_session', told: ['link_lost', 'connected'], reasons: ['bad_session'] },
  { how: 'codeless', told: ['link_lost', 'connected'], reasons: ['connection_lost'] },
]

describe('a connection end that recovers', () => {
  test.each(HEALS)('$how', async ({ how, told, reasons }) => {
    device().end(how)
    await world.heard(shop, 'connected')
    expect(kinds()).toEqual(told)
    expect(world.of(shop, 'link_lost').map(({ reason }) => reason)).toEqual(reasons)
    expect((await world.send(shop, { to: '12025550101' })).outcome).toMatchObject({ kind: 'accepted' })
  })
})

test('if removed on the phone, the session is wiped, and the next start pairs again', async () => {
  device().end('removed')
  expect(await world.heard(shop, 'auth_failed')).toMatchObject({ reason: 'logged_out', code: 401 })
  expect(world.data.raw.prepare('SELECT COUNT(*) AS rows FROM smv2_keys').get()).toEqual({ rows: 0 })
  await world.smv2.engine.start(shop)
  await world.qr(shop)
})

test('if banned, the session is kept for investigation until the next start pairs again', async () => {
  device().refuse({ reason: 403 })
  expect(await world.heard(shop, 'auth_failed')).toMatchObject({ reason: 'banned', code: 403 })
  expect(world.data.raw.prepare('SELECT ended FROM smv2_sessions').get()).toEqual({ ended: 1 })
  expect(await world.smv2.engine.resume(shop)).toBe('no_session')
  await world.smv2.engine.start(shop)
  await world.qr(shop)
  expect(world.data.raw.prepare('SELECT COUNT(*) AS rows FROM smv2_sessions').get()).toEqual({ rows: 0 })
})

test('if banned temporarily, the end of the ban is reported, and the session is valid afterwards', async () => {
  device().refuse({ reason: 402, expireSeconds: 3_600 })
  const { reason, untilMs } = await world.heard(shop, 'auth_failed')
  expect([reason, Math.abs((untilMs ?? 0) - Date.now() - 3_600_000) < 10_000]).toEqual(['temporary_ban', true])
  device().refuse(null)
  await world.smv2.engine.start(shop)
  await world.heard(shop, 'connected')
})

test('if the session is used elsewhere, the number does not compete for it', async () => {
  device().end('replaced')
  const { reason, nextRetryAtMs } = await world.heard(shop, 'link_lost')
  expect([reason, (nextRetryAtMs ?? 0) - Date.now() > 25_000]).toEqual(['replaced', true])
  expect(world.of(shop, 'connected')).toEqual([])
})

test('if its version is refused, the number looks up another one, reports why it waits, and does not reconnect constantly', async () => {
  world.whatsapp.faults.demandVersion(4_000_000_000)
  device().end('dropped')
  const isRefused = () => world.of(shop, 'link_lost').find(({ reason }) => reason === 'client_outdated')
  await until('refused', () => isRefused() !== undefined)
  const { code, nextRetryAtMs } = isRefused() ?? {}
  expect([code, (nextRetryAtMs ?? 0) - Date.now() > 4 * 60_000]).toEqual([405, true])
  const { logins } = device()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(device().logins).toBe(logins)
})

test('one refused number does not affect the other one', async () => {
  const other = await world.connect('12025550201')
  device().refuse({ reason: 403 })
  await world.heard(shop, 'auth_failed')
  expect((await world.send(other, { to: '12025550101' })).outcome).toMatchObject({ kind: 'accepted' })
  expect(world.told(other).filter(({ kind }) => kind !== 'receipt')).toEqual([])
})

test('a connection that the network keeps closing is reported once for each time it was open', async () => {
  for (let i = 0; i < 3; i++) {
    world.forget()
    device().end('dropped')
    await world.heard(shop, 'connected')
  }
  await until('quiet', () => world.of(shop, 'link_lost').length === 1)
})
