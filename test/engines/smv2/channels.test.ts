import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { sampleFile } from '../../support/samples.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550280'
const ANA = '12025551801'
const CHANNEL = '120363144038483540'

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())
beforeEach(() => world.forget())

const device = () => world.whatsapp.phone(OURS).device
const heard = (text: string) => world.heard(shop, 'received', (signal) => signal.text === text)

test('each post in a channel is reported with its channel and acknowledged, also with the same text', async () => {
  const ids = ['Fresh bread', 'Fresh bread'].map((conversation) => device().post(CHANNEL, { conversation }))
  await until('both', () => world.of(shop, 'received').length === 2)
  const chat = `${CHANNEL}@newsletter`
  expect(world.of(shop, 'received')).toMatchObject(
    ids.map((engineMessageId) => ({
      ...{ engineMessageId, chat, from: chat, fromMe: false, isGroup: true, participant: null },
      ...{ type: 'text', text: 'Fresh bread', fromLid: null },
    })),
  )
  await until('acknowledged', () => device().waiting.length === 0)
})

test('a post made while the number was offline arrives once', async () => {
  device().end('dropped')
  await until('offline', () => !device().isOnline)
  device().post(CHANNEL, { conversation: 'Meanwhile' })
  await heard('Meanwhile')
  await until('acknowledged', () => device().waiting.length === 0)
  expect(world.of(shop, 'received')).toHaveLength(1)
})

const PICTURE = sampleFile('photo.jpg')

test.each([
  ['', {}],
  [', and comes with a key all the same', { mediaKey: Buffer.alloc(32, 7) }],
])('a picture in a channel is not encrypted%s, and is downloaded unchanged', async (_, extra) => {
  const file = { ...world.whatsapp.cdn.publishPlain(PICTURE), ...extra }
  device().post(CHANNEL, { imageMessage: { ...file, mimetype: 'image/jpeg', caption: 'Our bread' } })
  const { media } = await heard('Our bread')
  expect(media).toMatchObject({ mimeType: 'image/jpeg', size: PICTURE.length })
  const read = await world.smv2.engine.media?.(shop, media?.id ?? '')
  expect(read && (await buffer(Readable.from(read.content.parts())))).toEqual(PICTURE)
})

test('a picture in a channel that does not match its hash is not stored', async () => {
  const file = { ...world.whatsapp.cdn.publishPlain(PICTURE), fileSha256: Buffer.alloc(32, 1) }
  device().post(CHANNEL, { imageMessage: { ...file, mimetype: 'image/jpeg', caption: 'Another' } })
  expect(await heard('Another')).toMatchObject({ media: null })
})

test('a picture in a channel without a hash is reported as unreadable, with its caption', async () => {
  const imageMessage = { directPath: '/m1/v/t62/x', mimetype: 'image/jpeg', caption: 'Our shop' }
  device().post(CHANNEL, { imageMessage })
  expect(await heard('Our shop')).toMatchObject({
    ...{ type: 'unavailable', media: null },
    content: { type: 'unavailable', reason: 'unsupported', kind: 'imageMessage' },
  })
})

test('a community and its groups are reported as different kinds', async () => {
  const [community, announcements, garden, club] = ['Village', 'News', 'Garden', 'Club'].map((name) =>
    world.whatsapp.group(name, [OURS, ANA]),
  )
  community?.placeIn('itself')
  const id = community?.id ?? ''
  announcements?.placeIn({ id, isAnnouncements: true })
  garden?.placeIn({ id })
  const kindOf = async (group = club) => {
    const { kind, communityId } = (await world.smv2.engine.direct?.group?.(shop, `${group?.id ?? ''}@g.us`)) ?? {}
    return [kind, communityId]
  }
  expect(await kindOf(community)).toEqual(['community', null])
  expect(await kindOf(announcements)).toEqual(['announcements', `${id}@g.us`])
  expect(await kindOf(garden)).toEqual(['group', `${id}@g.us`])
  expect(await kindOf(club)).toEqual(['group', null])
})

test.each([
  ['the status of a channel', 'status'],
  ['an element of a kind that is not known', 'novelty'],
])('%s is acknowledged once, and not reported', async (_, tag) => {
  const id = device().bring(tag, `${CHANNEL}@newsletter`)
  await until('acknowledged', () => device().waiting.length === 0)
  expect(device().heard.filter(({ tag: name, attrs }) => name === 'ack' && attrs['id'] === id)).toHaveLength(1)
  expect(world.told(shop)).toEqual([])
})
