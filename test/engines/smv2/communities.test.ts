import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550270'
const [ANA, BEN, CLEO] = ['12025551701', '12025551702', '12025551703'] as const

let world: LineWorld
let shop: EngineInstance
beforeAll(async () => {
  world = await lineWorld()
  shop = await world.connect(OURS)
})
afterAll(() => world.close())

function act<K extends keyof DirectActs>(name: K): DirectActs[K] {
  const found = world.smv2.engine.direct?.[name]
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}
const groupOf = (name: string, members: readonly [string, ...string[]]) => {
  const group = world.whatsapp.group(name, members)
  return { group, id: `${group.id}@g.us` }
}
const namesIn = async (id: string) => (await act('communityGroups')(shop, id)).map(({ name }) => name).toSorted()

test('a community is created with its announcement group, and listed among the groups', async () => {
  const made = await act('createCommunity')(shop, 'Village', 'Everybody who lives here')
  expect(made).toMatchObject({
    ...{ kind: 'community', communityId: null, name: 'Village', description: 'Everybody who lives here' },
    members: [{ number: OURS, isAdmin: true }],
  })
  const [announcements, ...others] = await act('communityGroups')(shop, made.id)
  expect([announcements, others]).toMatchObject([{ kind: 'announcements', name: 'Village', memberCount: 1 }, []])
  const kinds = (await act('groups')(shop)).map(({ id, kind, communityId }) => [id, kind, communityId])
  expect(kinds).toEqual([
    [made.id, 'community', null],
    [announcements?.id, 'announcements', made.id],
  ])
  expect(await act('createCommunity')(shop, 'Plain', null)).toMatchObject({ name: 'Plain', description: null })
})

test('groups are linked and unlinked, and a repeat changes nothing', async () => {
  const { id } = await act('createCommunity')(shop, 'Market', null)
  const { group, id: garden } = groupOf('Garden', [OURS, ANA])
  const digits = id.replace('@g.us', '')
  for (let i = 0; i < 2; i++) {
    await act('linkGroup')(shop, id, garden)
    expect(group.communityId).toBe(digits)
    expect(await namesIn(id)).toEqual(['Garden', 'Market'])
  }
  expect(await act('group')(shop, garden)).toMatchObject({ communityId: id })
  for (let i = 0; i < 2; i++) {
    await act('unlinkGroup')(shop, id, garden)
    expect(group.communityId).toBeNull()
    expect(await namesIn(id)).toEqual(['Market'])
  }
})

test('members of all its groups are members of the community, once, by hidden id if they show no number', async () => {
  const { id } = await act('createCommunity')(shop, 'Hills', null)
  for (const others of [
    [ANA, BEN],
    [BEN, CLEO],
  ])
    await act('linkGroup')(shop, id, groupOf('Club', [OURS, ...others]).id)
  expect((await act('communityMembers')(shop, id)).toSorted()).toEqual([OURS, ANA, BEN, CLEO].toSorted())
})

test('impossible links and unlinks are refused with the reason, and nothing changes', async () => {
  const { id } = await act('createCommunity')(shop, 'Port', null)
  const { id: other } = await act('createCommunity')(shop, 'Bay', null)
  const theirs = groupOf('Theirs', [ANA, OURS])
  const [first, ...rest] = ['One', 'Two', 'Three', 'Four'].map((name) => groupOf(name, [OURS]))
  const link = (groupId: string, community = id) => act('linkGroup')(shop, community, groupId)
  const unlink = (groupId: string, community = id) => act('unlinkGroup')(shop, community, groupId)
  const admins = /admin of the community and of the group/
  await expect(link(theirs.id)).rejects.toMatchObject({ code: 'invalid_state', message: expect.stringMatching(admins) })
  await expect(link(other)).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringMatching(/part of a community/),
  })
  await expect(link('120363999999999999@g.us')).rejects.toMatchObject({ code: 'not_found' })
  await expect(link(theirs.id, first?.id)).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringMatching(/not a community/),
  })
  await link(first?.id ?? '')
  await expect(link(first?.id ?? '', other)).rejects.toMatchObject({
    message: expect.stringMatching(/another community/),
  })
  await expect(unlink(first?.id ?? '', other)).rejects.toMatchObject({ code: 'not_found' })
  const [announcements] = await act('communityGroups')(shop, id)
  await expect(unlink(announcements?.id ?? '')).rejects.toMatchObject({ code: 'invalid_state' })
  for (const { id: each } of rest.slice(0, 2)) await link(each)
  await expect(link(rest[2]?.id ?? '')).rejects.toMatchObject({
    message: expect.stringMatching(/as many groups as WhatsApp allows/),
  })
  expect(await namesIn(id)).toEqual(['One', 'Port', 'Three', 'Two'])
  expect([theirs.group.communityId, rest[2]?.group.communityId]).toEqual([null, null])
})

test('a member who is not an admin of the community cannot change it, but sees its groups', async () => {
  const community = groupOf('Others', [ANA, OURS])
  community.group.placeIn('itself')
  const { group, id } = groupOf('Ours', [OURS])
  await expect(act('linkGroup')(shop, community.id, id)).rejects.toMatchObject({
    ...{ code: 'invalid_state', message: 'Only group admins can do this.' },
  })
  expect(group.communityId).toBeNull()
  expect(await act('communityGroups')(shop, community.id)).toEqual([])
  const foreign = groupOf('Foreign', [ANA])
  foreign.group.placeIn('itself')
  await expect(act('communityGroups')(shop, foreign.id)).rejects.toMatchObject({ code: 'not_found' })
})
