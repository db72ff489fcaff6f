import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { bytesOf } from '../../support/whatsapp/stanza.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550250'
const ANA = '12025551501'
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xd9])

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  world.whatsapp.phone(OURS, { name: 'Shop' })
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

const act = <K extends keyof DirectActs>(name: K): DirectActs[K] => {
  const found = world.smv2.engine.direct?.[name]
  if (!found) throw new Error(`smv2 cannot ${name}`)
  return found
}
const asked = (xmlns: string) =>
  world.whatsapp
    .phone(OURS)
    .device.heard.filter(({ attrs }) => attrs['xmlns'] === xmlns && attrs['type'] === 'set')
    .at(-1)

test('the profile name is changed on the phone too, and for everybody who sees it', async () => {
  const { appState, device } = world.whatsapp.phone(OURS)
  const version = () => appState.ledger('critical_block').version
  await until('the settings', () => version() > 0)
  const before = version()
  // The settings come some time after pairing.
  await until('changed', () =>
    act('setName')(shop, 'Bakery').then(
      () => true,
      () => undefined,
    ),
  )
  await until('on the phone', () => version() > before)
  world.forget()
  device.end('dropped')
  expect((await world.heard(shop, 'connected')).name).toBe('Bakery')
})

test('the about text is changed', async () => {
  await act('setAbout')(shop, 'Open till six ☕')
  expect(world.whatsapp.phone(OURS).about).toBe('Open till six ☕')
  await act('setAbout')(shop, '')
  expect(world.whatsapp.phone(OURS).about).toBe('')
})

test('people are blocked and unblocked', async () => {
  const { blocked } = world.whatsapp.phone(OURS)
  const bea = world.whatsapp.phone('12025551503')
  bea.behave({ shows: 'lid_only' })
  await bea.say(OURS, 'Hello')
  await world.heard(shop, 'received')
  await act('block')(shop, ANA, true)
  await act('block')(shop, bea.lid, true)
  expect(blocked).toEqual([ANA, bea.number])
  expect(await act('blocked')(shop, { limit: 50, after: null })).toEqual({
    people: [ANA, bea.lid].toSorted(),
    after: null,
  })
  const [first = ''] = [ANA, bea.lid].toSorted()
  expect(await act('blocked')(shop, { limit: 1, after: null })).toEqual({ people: [first], after: first })
  await act('block')(shop, ANA, false)
  await act('block')(shop, bea.lid, false)
  expect(blocked).toEqual([])
  // Nobody has asked for this one before.
  await act('block')(shop, '12025551504', false)
  world.whatsapp.phone('12025551505', { shows: 'number_only' })
  await expect(act('block')(shop, '12025551505', true)).rejects.toMatchObject({ code: 'not_found' })
  expect(blocked).toEqual([])
})

test('the picture of the number, and that of a group, are changed', async () => {
  await act('setPicture')(shop, null, JPEG)
  expect(asked('w:profile:picture')?.attrs['target']).toBeUndefined()
  expect(bytesOf(asked('w:profile:picture'), 'picture')).toEqual(JPEG)
  const { id } = world.whatsapp.group('Garden', [OURS, ANA])
  await act('setPicture')(shop, `${id}@g.us`, JPEG)
  expect(asked('w:profile:picture')?.attrs['target']).toBe(`${id}@g.us`)
})

test('a status is sent to its audience and to the own phone', async () => {
  const [ana, ben] = [world.whatsapp.phone(ANA), world.whatsapp.phone('12025551502')]
  await act('postStatus')(shop, 'Fresh bread', [ANA, '12025550404'])
  await until('there', () => ana.received().length === 1)
  expect(ana.received()).toMatchObject([{ text: 'Fresh bread', from: OURS }])
  await until('on the own phone', () => world.whatsapp.phone(OURS).copies.length > 0)
  expect(ben.received()).toEqual([])
  await expect(act('postStatus')(shop, 'x', ['12025550404'])).rejects.toMatchObject({ code: 'not_found' })
})

test('a status is deleted for everybody who saw it', async () => {
  const eve = world.whatsapp.phone('12025551503')
  const { engineMessageId } = await act('postStatus')(shop, 'Closed today', [eve.number])
  await until('there', () => eve.received().length === 1)
  await act('deleteStatus')(shop, engineMessageId, [eve.number])
  const deleted = await until('deleted', () => eve.received().find(({ type }) => type === 'delete'))
  expect(deleted.about).toBe(engineMessageId)
})

test('each privacy setting is read and changed separately', async () => {
  const before = await act('privacy')(shop)
  expect(before).toMatchObject({ lastSeen: 'everyone', readReceipts: 'everyone', calls: 'everyone' })
  const after = { ...before, lastSeen: 'contacts', online: 'same_as_last_seen', calls: 'known' }
  expect(await act('setPrivacy')(shop, { lastSeen: 'contacts', online: 'same_as_last_seen', calls: 'known' })).toEqual(
    after,
  )
  expect(await act('privacy')(shop)).toEqual(after)
})

test('a message is pinned for everybody in the chat, and unpinned', async () => {
  const ana = world.whatsapp.phone(ANA)
  const engineMessageId = await ana.say(OURS, 'The address')
  const message = { engineMessageId, chat: ANA, isOwn: false, participant: null }
  const pins = () => ana.received().filter(({ type }) => type === 'pin')
  await act('pinMessage')(shop, message, 604_800)
  await until('pinned', () => pins().length === 1)
  expect(pins()[0]).toMatchObject({
    about: engineMessageId,
    content: { pinInChatMessage: { type: 1 }, messageContextInfo: { messageAddOnDurationInSecs: 604_800 } },
  })
  await act('pinMessage')(shop, message, null)
  await until('unpinned', () => pins().length === 2)
  expect(pins()[1]).toMatchObject({ about: engineMessageId, content: { pinInChatMessage: { type: 2 } } })
})
