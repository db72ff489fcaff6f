import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
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

test('a post in a channel is told with the channel, two of the same words twice, and each is acknowledged', async () => {
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

test('a post of while the line was away arrives once', async () => {
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
])('a picture in a channel is not encrypted%s, and is fetched as it is', async (_, extra) => {
  const file = { ...world.whatsapp.cdn.publishPlain(PICTURE), ...extra }
  device().post(CHANNEL, { imageMessage: { ...file, mimetype: 'image/jpeg', caption: 'Our bread' } })
  const { media } = await heard('Our bread')
  expect(media).toMatchObject({ mimeType: 'image/jpeg', size: PICTURE.length })
  const read = await world.smv2.engine.media?.(shop, media?.id ?? '')
  expect(read && (await buffer(Readable.from(read.content.parts())))).toEqual(PICTURE)
})

test('a picture in a channel that is not the one its author hashed is not kept', async () => {
  const file = { ...world.whatsapp.cdn.publishPlain(PICTURE), fileSha256: Buffer.alloc(32, 1) }
  device().post(CHANNEL, { imageMessage: { ...file, mimetype: 'image/jpeg', caption: 'Another' } })
  expect(await heard('Another')).toMatchObject({ media: null })
})

test('a picture in a channel without a hash says that it cannot be read, with its caption', async () => {
  const imageMessage = { directPath: '/m1/v/t62/x', mimetype: 'image/jpeg', caption: 'Our shop' }
  device().post(CHANNEL, { imageMessage })
  expect(await heard('Our shop')).toMatchObject({
    ...{ type: 'unavailable', media: null },
    content: { type: 'unavailable', reason: 'unsupported', kind: 'imageMessage' },
  })
})

test('a community and its groups are told apart', async () => {
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
])('%s is acknowledged once, and nobody is told of it', async (_, tag) => {
  const id = device().bring(tag, `${CHANNEL}@newsletter`)
  await until('acknowledged', () => device().waiting.length === 0)
  expect(device().heard.filter(({ tag: name, attrs }) => name === 'ack' && attrs['id'] === id)).toHaveLength(1)
  expect(world.told(shop)).toEqual([])
})

describe('what is done with channels', () => {
  const act = <K extends keyof DirectActs>(name: K): DirectActs[K] => {
    const found = world.smv2.engine.direct?.[name]
    if (found === undefined) throw new Error(`there is no ${name}`)
    return found
  }
  const NEWS = 'https://whatsapp.com/channel/'
  const of = (name: string, admins: readonly [string, ...string[]], description?: string) => {
    const channel = world.whatsapp.channel(name, admins, description)
    return { channel, id: `${channel.id}@newsletter` }
  }
  const listed = async () => (await act('channels')(shop)).map(({ name, role }) => [name, role])

  test('a channel is followed by its link or its id, listed, and unfollowed; a repeat changes nothing', async () => {
    const { channel, id } = of('Town news', [ANA], 'Every day')
    const seen = { id, name: 'Town news', description: 'Every day', role: 'follower', link: NEWS + channel.invite }
    for (const key of [{ invite: channel.invite }, { id }])
      expect(await act('followChannel')(shop, key)).toEqual({ ...seen, followers: 2 })
    expect(channel.followers).toEqual([ANA, OURS])
    expect(await act('channels')(shop)).toEqual([{ ...seen, followers: 2 }])
    for (let i = 0; i < 2; i++) await act('unfollowChannel')(shop, id)
    expect(channel.followers).toEqual([ANA])
    expect(await listed()).toEqual([])
  })

  test('the owner and admins post, and what they post can be read by everybody', async () => {
    const [own, shared] = [of('Bakery', [OURS]), of('Market', [ANA, OURS])]
    expect(await listed()).toEqual([
      ['Bakery', 'owner'],
      ['Market', 'admin'],
    ])
    for (const { channel, id } of [own, shared]) {
      const { engineMessageId } = await act('postToChannel')(shop, id, 'Fresh bread 🥖')
      expect(channel.posts).toEqual([{ id: engineMessageId, text: 'Fresh bread 🥖' }])
      await expect(act('unfollowChannel')(shop, id)).rejects.toMatchObject({ code: 'invalid_state' })
      expect(channel.followers).toContain(OURS)
    }
  })

  test('nobody else posts, and a channel that is not there is not found', async () => {
    const { channel, id } = of('Theirs', [ANA])
    await act('followChannel')(shop, { id })
    await expect(act('postToChannel')(shop, id, 'Me too')).rejects.toMatchObject({
      ...{ code: 'invalid_state', message: 'Only admins of the channel can do this.' },
    })
    expect(channel.posts).toEqual([])
    channel.remove()
    const gone = { code: 'not_found' }
    await expect(act('postToChannel')(shop, id, 'Hello')).rejects.toMatchObject(gone)
    await expect(act('followChannel')(shop, { id })).rejects.toMatchObject(gone)
    await expect(act('followChannel')(shop, { invite: '0029VaNothing' })).rejects.toMatchObject(gone)
    await expect(act('unfollowChannel')(shop, id)).rejects.toMatchObject(gone)
  })

  test('without a connection nothing is asked', async () => {
    const { id } = of('Later', [OURS])
    device().end('dropped')
    await until('offline', () => !device().isOnline)
    for (const asked of [act('channels')(shop), act('postToChannel')(shop, id, 'Hello')])
      await expect(asked).rejects.toMatchObject({ code: 'not_ready' })
    await until('online', () => device().isOnline)
  })
})
