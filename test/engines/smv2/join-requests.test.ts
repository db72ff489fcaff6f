import type { BinaryNode } from 'baileys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { readJoinRequestNotice } from '../../../main/engines/smv2/join-request-notices.ts'
import { until as eventually } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550250'
const [ANA, BEN, CLEO] = ['12025551301', '12025551302', '12025551303'] as const

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
const ours = (...others: readonly string[]) => {
  const group = world.whatsapp.group('Garden', [OURS, ...others])
  return { group, id: `${group.id}@g.us` }
}
const numbersIn = async (id: string) => (await act('joinRequests')(shop, id)).map(({ number }) => number)

test('the approval of new members is turned on and off, and the next read shows it', async () => {
  const { group, id } = ours(ANA)
  expect(await act('group')(shop, id)).toMatchObject({ needsApproval: false, isAddedToByAdmins: false })
  await act('setJoinRules')(shop, id, { needsApproval: true, isAddedToByAdmins: true })
  expect(group).toMatchObject({ needsApproval: true, isAddedToByAdmins: true })
  expect(await act('group')(shop, id)).toMatchObject({ needsApproval: true, isAddedToByAdmins: true })
  await act('setJoinRules')(shop, id, { isAddedToByAdmins: false })
  expect(group).toMatchObject({ needsApproval: true, isAddedToByAdmins: false })
  await act('setJoinRules')(shop, id, { needsApproval: false })
  expect(await act('group')(shop, id)).toMatchObject({ needsApproval: false, isAddedToByAdmins: false })
})

test('requests to join are listed, approved or rejected, each once', async () => {
  const { group, id } = ours()
  await act('setJoinRules')(shop, id, { needsApproval: true })
  for (const number of [ANA, BEN, CLEO]) {
    await world.whatsapp.phone(number).say(OURS, 'May I join?')
    await world.heard(shop, 'received', ({ chat }) => chat === number)
    group.request(number)
  }
  expect(await numbersIn(id)).toEqual([ANA, BEN, CLEO])
  expect(await act('answerJoinRequests')(shop, id, [ANA, '12025551399'], true)).toEqual([
    { number: ANA, reason: null },
    { number: '12025551399', reason: 'not_requested' },
  ])
  expect(group.members).toEqual([OURS, ANA])
  expect(await act('answerJoinRequests')(shop, id, [BEN], false)).toEqual([{ number: BEN, reason: null }])
  expect(group.members).toEqual([OURS, ANA])
  expect(await numbersIn(id)).toEqual([CLEO])
  for (const number of [ANA, BEN])
    expect(await act('answerJoinRequests')(shop, id, [number], true)).toEqual([{ number, reason: 'not_requested' }])
  expect((await act('group')(shop, id)).members.map(({ number }) => number)).toEqual([OURS, ANA])
})

test('a person without a visible number is listed by the hidden id, and can be approved by it', async () => {
  const { group, id } = ours()
  group.request('12025551304')
  const { lid } = world.whatsapp.phone('12025551304')
  expect(await numbersIn(id)).toEqual([lid])
  expect(await act('answerJoinRequests')(shop, id, [lid], true)).toEqual([{ number: lid, reason: null }])
  expect(group.members).toContain('12025551304')
})

test('members who are not admins cannot see requests or change the group', async () => {
  const group = world.whatsapp.group('Theirs', [ANA, OURS])
  const id = `${group.id}@g.us`
  group.request(BEN)
  const refused = { code: 'invalid_state', message: 'Only group admins can do this.' }
  await expect(act('joinRequests')(shop, id)).rejects.toMatchObject(refused)
  await expect(act('answerJoinRequests')(shop, id, [BEN], true)).rejects.toMatchObject(refused)
  await expect(act('setJoinRules')(shop, id, { needsApproval: true })).rejects.toMatchObject(refused)
  expect(group).toMatchObject({ needsApproval: false, requests: [BEN], members: [ANA, OURS] })
})

test('a change by another person is seen at the next read', async () => {
  const { group, id } = ours(ANA)
  await act('group')(shop, id)
  const other = await world.connect('12025550251')
  const { group: theirs } = { group: world.whatsapp.group('Shared', ['12025550251', OURS]) }
  const shared = `${theirs.id}@g.us`
  expect(await act('group')(shop, shared)).toMatchObject({ needsApproval: false })
  await act('setJoinRules')(other, shared, { needsApproval: true })
  await eventually('seen', async () => (await act('group')(shop, shared)).needsApproval)
  expect(group.needsApproval).toBe(false)
})

describe('events about requests to join', () => {
  const told = (instance: EngineInstance, id: string) =>
    world
      .of(instance, 'line_event')
      .flatMap(({ event }) => (event.type === 'group.join_requests_changed' ? [event.data] : []))
      .filter(({ group_id }) => group_id === id)
  const until = (instance: EngineInstance, id: string, most: number) =>
    eventually('told', () => told(instance, id).length >= most)

  test('and about their withdrawal go to admins', async () => {
    const { group, id } = ours()
    group.request('12025551310', 'number')
    group.request('12025551311')
    const { lid } = world.whatsapp.phone('12025551311')
    group.withdraw('12025551311')
    await until(shop, id, 3)
    expect(told(shop, id)).toEqual([
      { group_id: id, by: '12025551310', action: 'requested', participants: ['12025551310'] },
      { group_id: id, by: lid, action: 'requested', participants: [lid] },
      { group_id: id, by: lid, action: 'withdrawn', participants: [lid] },
    ])
  })

  test('contain the admin who rejects somebody, and do not go to other members', async () => {
    const [admin, member] = [await world.connect('12025550260'), await world.connect('12025550261')]
    const group = world.whatsapp.group('Told', ['12025550260', OURS, '12025550261'])
    const id = `${group.id}@g.us`
    await act('changeMembers')(admin, id, 'promote', [OURS])
    group.request('12025551312', 'number')
    for (const one of [shop, admin]) await until(one, id, 1)
    expect(await act('answerJoinRequests')(admin, id, ['12025551312'], false)).toMatchObject([{ reason: null }])
    await until(shop, id, 2)
    expect(told(shop, id)[1]).toMatchObject({ by: '12025550260', action: 'rejected', participants: ['12025551312'] })
    expect(told(member, id).filter(({ action }) => action === 'requested')).toEqual([])
  })

  test('are parsed without an error from a notice with no people or with many', () => {
    const notice = (content: BinaryNode[], more: object = {}): BinaryNode => ({
      tag: 'notification',
      attrs: { from: '1@g.us', type: 'w:gp2', id: '1', ...more },
      content,
    })
    const many = Array.from({ length: 3 }, (_, i) => ({ tag: 'requested_user', attrs: { jid: `${i}@lid` } }))
    expect(readJoinRequestNotice(notice([{ tag: 'created_membership_requests', attrs: {} }]))).toBeUndefined()
    expect(readJoinRequestNotice({ tag: 'notification', attrs: {} })).toBeUndefined()
    expect(readJoinRequestNotice(notice([{ tag: 'subject', attrs: {} }], { participant: '1@lid' }))).toBeUndefined()
    expect(
      readJoinRequestNotice(notice([{ tag: 'created_membership_requests', attrs: {} }], { participant: '1@lid' })),
    ).toMatchObject({ people: [{ jid: '1@lid' }] })
    expect(
      readJoinRequestNotice(
        notice([{ tag: 'created_membership_requests', attrs: {}, content: many }], { participant: '9@lid' }),
      ),
    ).toMatchObject({ by: '9@lid', people: many.map(({ attrs }) => attrs) })
  })
})
