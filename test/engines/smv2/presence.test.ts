import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550240'
const ANA = '12025551401'

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
const heard = (tag: string) => world.whatsapp.phone(OURS).device.heard.filter((node) => node.tag === tag)

test('typing, recording and pausing are shown in a chat and in a group', async () => {
  const { id } = world.whatsapp.group('Garden', [OURS, ANA])
  await act('showTyping')(shop, ANA, 'typing')
  await act('showTyping')(shop, ANA, 'recording')
  await act('showTyping')(shop, `${id}@g.us`, 'paused')
  await until('all three', () => heard('chatstate').length === 3)
  expect(heard('chatstate')).toMatchObject([
    { attrs: { to: `${ANA}@s.whatsapp.net` }, content: [{ tag: 'composing', attrs: {} }] },
    { attrs: { to: `${ANA}@s.whatsapp.net` }, content: [{ tag: 'composing', attrs: { media: 'audio' } }] },
    { attrs: { to: `${id}@g.us` }, content: [{ tag: 'paused' }] },
  ])
  for (const { attrs } of heard('chatstate')) expect(Object.keys(attrs)).toEqual(['to'])
  await expect(act('showTyping')(shop, '12025550404', 'typing')).rejects.toMatchObject({ code: 'not_found' })
})

test('a number set to online is online again after it reconnects', async () => {
  const last = () => heard('presence').at(-1)?.attrs['type']
  // The phone sends its name some time after pairing.
  await until('a name', () =>
    act('setOnline')(shop, true).then(
      () => true,
      () => undefined,
    ),
  )
  await until('online', () => last() === 'available')
  world.forget()
  world.whatsapp.phone(OURS).device.end('dropped')
  await world.heard(shop, 'connected')
  await until('online again', () => heard('presence').length > 0 && last() === 'available')
  await act('setOnline')(shop, false)
  await until('offline', () => last() === 'unavailable')
})

test('a group is renamed, and joined by its invite link', async () => {
  const theirs = world.whatsapp.group('Theirs', [ANA])
  const ours = world.whatsapp.group('Ours', [OURS, ANA])
  await act('renameGroup')(shop, `${ours.id}@g.us`, 'Garden')
  expect(await act('group')(shop, `${ours.id}@g.us`)).toMatchObject({ name: 'Garden' })
  await expect(act('renameGroup')(shop, `${theirs.id}@g.us`, 'Mine')).rejects.toMatchObject({ code: 'not_found' })
  expect(await act('joinGroup')(shop, `Invite${theirs.id.slice(-10)}`)).toBe(`${theirs.id}@g.us`)
  expect((await act('group')(shop, `${theirs.id}@g.us`)).members.map(({ number }) => number)).toContain(OURS)
  await expect(act('joinGroup')(shop, 'InviteNobody')).rejects.toMatchObject({ code: 'not_found' })
})
