import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { STAND_INS } from '../../support/stand-in.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550260'
const ANA = '12025551601'

/** The shortest story that needs most of the protocol; test/config/slow.config.ts runs the long ones over it too. */
let world: LineWorld
let shop: EngineInstance
beforeAll(async () => {
  world = await lineWorld({ start: STAND_INS.second })
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

test('messages are sent and received, also after a lost connection', async () => {
  const ana = world.whatsapp.phone(ANA, { name: 'Ana' })
  const { messageId, outcome } = await world.send(shop, { to: ANA, text: 'Olá 🌱' })
  expect(outcome).toMatchObject({ kind: 'accepted' })
  await until('read', () => world.statuses(shop, messageId).includes('read'))
  expect(world.statuses(shop, messageId)).toEqual(['sent', 'delivered', 'read'])
  expect(ana.received()).toMatchObject([{ type: 'text', text: 'Olá 🌱', from: OURS, times: 1 }])

  await ana.say(OURS, 'Is it open?')
  expect(await world.heard(shop, 'received')).toMatchObject({ text: 'Is it open?', chat: ANA, pushName: 'Ana' })
  const { device } = world.whatsapp.phone(OURS)
  device.end('dropped')
  await until('offline', () => !device.isOnline)
  await ana.say(OURS, 'Meanwhile')
  await world.heard(shop, 'received', ({ text }) => text === 'Meanwhile')
  await until('all of it acknowledged', () => device.waiting.length === 0)
  expect(world.of(shop, 'received').map(({ text }) => text)).toEqual(['Is it open?', 'Meanwhile'])
  expect(world.of(shop, 'link_lost')).toMatchObject([{ reason: 'connection_lost' }])
})
