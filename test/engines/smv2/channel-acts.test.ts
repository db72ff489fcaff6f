import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { contentOf } from '../../../main/kernel/file-content.ts'
import { sampleFile } from '../../support/samples.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

/** What a number does with channels. The second stand-in has none. */
const OURS = '12025550280'
const ANA = '12025551801'

let world: LineWorld
let shop: EngineInstance

beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

const device = () => world.whatsapp.phone(OURS).device
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

test('the owner and admins can post in a channel, and everybody can read their posts', async () => {
  const [own, shared] = [of('Bakery', [OURS]), of('Market', [ANA, OURS])]
  expect(await listed()).toEqual([
    ['Bakery', 'owner'],
    ['Market', 'admin'],
  ])
  for (const { channel, id } of [own, shared]) {
    const { engineMessageId } = await act('postToChannel')(shop, id, { text: 'Fresh bread 🥖' })
    expect(channel.posts).toEqual([{ id: engineMessageId, text: 'Fresh bread 🥖' }])
    await expect(act('unfollowChannel')(shop, id)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(channel.followers).toContain(OURS)
  }
})

test.each([
  ['image', 'image/jpeg', 'photo.jpg', 'Fresh bread 🥖'],
  ['video', 'video/mp4', 'clip.mp4', null],
] as const)(
  'a post with a file of the kind %s is uploaded unencrypted, for everybody to read',
  async (mediaType, mimeType, name, caption) => {
    const { channel, id } = of('Pictures', [OURS])
    const file = sampleFile(name)
    const post = { mediaType, mimeType, content: contentOf(file), caption }
    const { engineMessageId } = await act('postToChannel')(shop, id, post)
    expect(channel.posts).toEqual([{ id: engineMessageId, text: caption ?? '', kind: mediaType, mimeType, file }])
  },
)

test('a post whose file cannot be uploaded is not posted', async () => {
  const { channel, id } = of('Full', [OURS])
  world.whatsapp.cdn.refuseUploads(500)
  const content = contentOf(sampleFile('photo.jpg'))
  const post = { mediaType: 'image', mimeType: 'image/jpeg', content, caption: null } as const
  await expect(act('postToChannel')(shop, id, post)).rejects.toMatchObject({ code: 'upstream_unavailable' })
  world.whatsapp.cdn.refuseUploads(null)
  expect(channel.posts).toEqual([])
})

test('other people cannot post, and an unknown channel is not found', async () => {
  const { channel, id } = of('Theirs', [ANA])
  await act('followChannel')(shop, { id })
  await expect(act('postToChannel')(shop, id, { text: 'Me too' })).rejects.toMatchObject({
    ...{ code: 'invalid_state', message: 'Only admins of the channel can do this.' },
  })
  expect(channel.posts).toEqual([])
  channel.remove()
  const gone = { code: 'not_found' }
  await expect(act('postToChannel')(shop, id, { text: 'Hello' })).rejects.toMatchObject(gone)
  await expect(act('followChannel')(shop, { id })).rejects.toMatchObject(gone)
  await expect(act('followChannel')(shop, { invite: '0029VaNothing' })).rejects.toMatchObject(gone)
  await expect(act('unfollowChannel')(shop, id)).rejects.toMatchObject(gone)
})

test('no request is made without a connection', async () => {
  const { id } = of('Later', [OURS])
  device().end('dropped')
  await until('offline', () => !device().isOnline)
  for (const asked of [act('channels')(shop), act('postToChannel')(shop, id, { text: 'Hello' })])
    await expect(asked).rejects.toMatchObject({ code: 'not_ready' })
  await until('online', () => device().isOnline)
})
