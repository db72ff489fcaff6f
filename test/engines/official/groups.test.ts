import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DirectActs } from '../../../main/engines/direct.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { groupEvents } from '../../../main/engines/official/group-events.ts'
import { ANA, graphWorld, soon, type Credentials, type GraphWorld } from './graph-world.ts'

const OURS = '12025550100'
const BEN = '12025550102'

let world: GraphWorld
let number: Credentials
let us: EngineInstance
beforeAll(async () => {
  world = await graphWorld()
  number = await world.number(OURS)
  us = await world.connect(number)
})
afterAll(() => world.close())

const act = <K extends keyof DirectActs>(name: K): DirectActs[K] => {
  const found = world.official.engine.direct?.[name]
  if (!found) throw new Error(`official cannot ${name}`)
  return found
}
const create = async (name = 'Garden') => (await act('createGroup')(us, name, [])).group
const membersOf = async (id: string) => (await act('group')(us, id)).members.map(({ number: one }) => one)
const join = (id: string, user: string) => world.graph.joinGroup(number.phoneNumberId, id, user)

test('a group is created, renamed, described, listed and ended, and each change waits for its callback', async () => {
  const group = await create()
  expect(group).toMatchObject({ name: 'Garden', owner: OURS, members: [{ number: OURS, isAdmin: true }] })
  expect(group.id).toMatch(/^CAPI\w+@g\.us$/)
  await act('renameGroup')(us, group.id, 'Allotment')
  await act('describeGroup')(us, group.id, 'Tuesdays')
  expect(await act('group')(us, group.id)).toMatchObject({ name: 'Allotment', description: 'Tuesdays' })
  await act('describeGroup')(us, group.id, null)
  expect(await act('group')(us, group.id)).toMatchObject({ description: null })
  expect((await act('groups')(us)).map(({ id }) => id)).toContain(group.id)
  const fields = world.callbacks.map(({ entry }) => entry[0].changes[0].field)
  expect(fields).toContain('group_lifecycle_update')
  expect(fields).toContain('group_settings_update')
  await act('leaveGroup')(us, group.id)
  await expect(act('group')(us, group.id)).rejects.toMatchObject({ code: 'not_found' })
})

test('people cannot be added to a group, but join with its link, eight at most, and can be removed', async () => {
  await expect(act('createGroup')(us, 'Garden', [ANA])).rejects.toMatchObject({ code: 'engine_mismatch' })
  const { id } = await create()
  await expect(act('changeMembers')(us, id, 'add', [ANA])).rejects.toMatchObject({ code: 'engine_mismatch' })
  const link = await act('inviteLink')(us, id, false)
  expect(await act('inviteLink')(us, id, true)).not.toBe(link)
  for (let i = 0; i < 8; i++) expect(await join(id, `1202555012${i}`)).toBe('joined')
  expect(await join(id, ANA)).toBe('full')
  await soon('told', () =>
    world
      .of(us, 'line_event')
      .some(
        ({ event }) => event.type === 'group.participants_changed' && event.data.participants.includes('12025550127'),
      ),
  )
  const results = await act('changeMembers')(us, id, 'remove', ['12025550120', '12025550199'])
  expect(results).toEqual([
    { number: '12025550120', reason: null },
    { number: '12025550199', reason: 'not_member' },
  ])
  expect(await membersOf(id)).not.toContain('12025550120')
})

test('a message to a group gets its statuses, and messages in the group are shown in its chat', async () => {
  const { id } = await create()
  await join(id, ANA)
  await join(id, BEN)
  const { messageId, outcome } = await world.send(us, { to: id })
  expect(outcome.kind).toBe('accepted')
  await soon('read', () => world.statuses(us, messageId).includes('read'))
  const status = world.callbacks
    .flatMap(({ entry }) => entry[0].changes[0].value.statuses ?? [])
    .find(({ recipient_type: type }) => type === 'group')
  expect(status).toMatchObject({ recipient_id: id.replace('@g.us', ''), recipient_type: 'group' })
  expect(world.of(us, 'receipt').find((one) => one.messageId === messageId)?.billing?.recipient).toBeNull()
  await world.network.speak(world.accountId, ANA, { to: OURS, group: id, content: { type: 'text', text: 'Rain!' } })
  await soon('heard', () => world.of(us, 'received').some(({ text }) => text === 'Rain!'))
  expect(world.of(us, 'received').find(({ text }) => text === 'Rain!')).toMatchObject({
    ...{ chat: id, from: ANA, isGroup: true, participant: ANA, fromMe: false },
  })
})

test('a group of another number is not found, even if the token is valid for it', async () => {
  const { id } = await create()
  const other = await world.connect(await world.number('12025550109'))
  await expect(act('group')(other, id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(act('leaveGroup')(other, id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await membersOf(id)).toEqual([OURS])
})

test('a business without access to groups gets Meta’s message', async () => {
  world.graph.allowGroups(number.phoneNumberId, false)
  await expect(create()).rejects.toThrow(/131215/)
  world.graph.allowGroups(number.phoneNumberId, true)
})

const newApprovalGroup = async (): Promise<string> => {
  const made = await fetch(`${world.graph.url()}/v26.0/${number.phoneNumberId}/groups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${number.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', subject: 'Closed', join_approval_mode: 'approval_required' }),
  })
  const { request_id: requestId } = (await made.json()) as { request_id: string }
  const outcome = () =>
    world.callbacks
      .flatMap(({ entry }) => entry[0].changes[0].value.groups ?? [])
      .find(({ request_id: id }) => id === requestId)
  await soon('made', () => outcome() !== undefined)
  return `${outcome().group_id}@g.us`
}

test('join requests are listed, approved and rejected, and each result comes from Meta', async () => {
  const id = await newApprovalGroup()
  expect(await act('group')(us, id)).toMatchObject({ needsApproval: true })
  expect(await act('joinRequests')(us, id)).toEqual([])
  expect(await join(id, ANA)).toBe('asked')
  expect(await join(id, BEN)).toBe('asked')
  const requests = () =>
    world
      .of(us, 'line_event')
      .flatMap(({ event }) => (event.type === 'group.join_requests_changed' ? [event.data] : []))
      .filter(({ group_id }) => group_id === id)
  await soon('told', () => requests().length === 2)
  expect(requests()[0]).toEqual({ group_id: id, by: ANA, action: 'requested', participants: [ANA] })
  const waiting = await act('joinRequests')(us, id)
  expect(waiting.map(({ number: one }) => one)).toEqual([ANA, BEN])
  expect(Math.abs(Date.now() - (waiting[0]?.requestedAtMs ?? 0))).toBeLessThan(60_000)
  expect(await membersOf(id)).toEqual([OURS])
  expect(await act('answerJoinRequests')(us, id, [ANA, '12025550199'], true)).toEqual([
    { number: ANA, reason: null },
    { number: '12025550199', reason: 'not_requested' },
  ])
  expect(await membersOf(id)).toEqual([OURS, ANA])
  const told = () =>
    world.of(us, 'line_event').filter(({ event }) => 'group_id' in event.data && event.data.group_id === id)
  await soon('told', () => told().some(({ event }) => event.type === 'group.participants_changed'))
  expect(await act('answerJoinRequests')(us, id, [BEN], false)).toEqual([{ number: BEN, reason: null }])
  expect(await act('answerJoinRequests')(us, id, [BEN], true)).toEqual([{ number: BEN, reason: 'not_requested' }])
  expect(await act('joinRequests')(us, id)).toEqual([])
  expect(await membersOf(id)).toEqual([OURS, ANA])
})

test('a withdrawn join request is reported, and one without a person is not', async () => {
  const revoked = { group_id: 'Y2Fw', type: 'group_join_request_revoked', join_request_id: '2' }
  const nameOf = async ({ number: digits, userId }: { number: string | null; userId: string | null }) =>
    digits ?? userId ?? ''
  expect(await groupEvents({ ...revoked, wa_id: ANA }, nameOf)).toEqual([
    {
      type: 'group.join_requests_changed',
      data: { group_id: 'Y2Fw@g.us', by: ANA, action: 'withdrawn', participants: [ANA] },
    },
  ])
  expect(await groupEvents({ ...revoked, user_id: 'US.1' }, nameOf)).toMatchObject([{ data: { by: 'US.1' } }])
  expect(await groupEvents(revoked, nameOf)).toEqual([])
})

test('a group that Meta suspends is shown in the health of the number until the suspension ends', async () => {
  const { id } = await create()
  const issues = () =>
    (world.official.engine.evidence(us).issues ?? []).filter(({ code }) => code === 'group_suspended')
  await world.graph.suspendGroup(number.phoneNumberId, id, true)
  await soon('shown', () => issues().length === 1)
  expect(issues()[0]?.message).toContain(id)
  expect(issues()[0]?.facts).toEqual({ groupIds: [id] })
  await world.graph.suspendGroup(number.phoneNumberId, id, false)
  await soon('over', () => issues().length === 0)
})

test('several suspended groups are one issue with their count and names, and each ends separately', async () => {
  const ids = [(await create()).id, (await create()).id, (await create()).id]
  const issues = () =>
    (world.official.engine.evidence(us).issues ?? []).filter(({ code }) => /^groups?_suspended$/.test(code))
  const suspend = (id: string | undefined, isSuspended: boolean) =>
    world.graph.suspendGroup(number.phoneNumberId, id ?? '', isSuspended)
  for (const id of ids) await suspend(id, true)
  await suspend(ids[1], true)
  await soon('three', () => issues()[0]?.message.includes('3 groups') === true)
  expect(issues()).toMatchObject([{ code: 'groups_suspended' }])
  for (const id of ids) expect(issues()[0]?.message).toContain(id)
  expect(issues()[0]?.facts?.groupIds?.toSorted()).toEqual(ids.toSorted())
  await suspend(ids[0], false)
  await soon('two', () => issues()[0]?.message.includes('2 groups') === true)
  expect(issues()[0]?.message).not.toContain(ids[0])
  await suspend(ids[1], false)
  await soon('one', () => issues()[0]?.code === 'group_suspended')
  expect(issues()[0]?.message).toContain(ids[2])
  await suspend(ids[2], false)
  await soon('none', () => issues().length === 0)
})

test('a group can be created that requires approval of new members', async () => {
  const { group } = await act('createGroup')(us, 'Garden', [], true)
  expect(group.needsApproval).toBe(true)
  expect(await world.graph.joinGroup(number.phoneNumberId, group.id, ANA)).toBe('asked')
  expect((await act('group')(us, group.id)).needsApproval).toBe(true)
  const open = await act('createGroup')(us, 'Garden', [])
  expect(open.group.needsApproval).toBe(false)
})

test('a number that is also used in the Business app cannot create groups, and gets an error before Meta is asked', async () => {
  const shared = await world.number('12025550108')
  world.graph.useApp(shared.phoneNumberId, true)
  const instance = await world.connect(shared)
  const refused = {
    code: 'engine_mismatch',
    message: expect.stringContaining('also used in the WhatsApp Business app'),
  }
  await expect(act('createGroup')(instance, 'Garden', [])).rejects.toMatchObject(refused)
  await expect(act('groups')(instance)).rejects.toMatchObject(refused)
})
