import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'
const ANA = '12025550101'

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

test('a text is accepted, decrypted on the phone, delivered and read', async () => {
  const { messageId, outcome } = await world.send(shop, { to: ANA, text: 'Your order is ready 🌱' })
  expect(outcome).toMatchObject({
    kind: 'accepted',
    status: 'sent',
    engineMessageId: expect.stringMatching(/^3EB0[0-9A-F]{18}$/),
  })
  await until('read', () => world.statuses(shop, messageId).includes('read'))
  expect(world.statuses(shop, messageId)).toEqual(['sent', 'delivered', 'read'])
  expect(world.whatsapp.phone(ANA).received()).toMatchObject([{ text: 'Your order is ready 🌱', times: 1 }])
})

test('a received message is reported with the person’s number', async () => {
  await world.whatsapp.phone(ANA).say(OURS, 'Is it open?')
  expect(await world.heard(shop, 'received')).toMatchObject({
    ...{ text: 'Is it open?', chat: ANA, from: ANA, fromMe: false, isGroup: false, type: 'text', media: null },
  })
})
