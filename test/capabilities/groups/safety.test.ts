import { beforeEach, expect, test } from 'vitest'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'
import { clientOf, pairedIn } from '../agency/agency-world.ts'
import { assistantOf } from '../approvals/assistant.ts'

const OURS = '12025550310'
const ANA = '12025550301'
const BEN = '12025550302'
const NOBODY = '12025550404'
/** Writing to them first gets the number restricted. */
const TOUCHY = '12025550463'

let w: World
let id: string
let path: string
beforeEach(async () => {
  w = await worldOfTest()
  id = (await w.pair(OURS)).id
  path = `/v1/instances/${id}/groups`
})

const codeOf = ({ status, body }: Reply) => [status, body?.error?.code]
const create = async (participants: string[], subject = 'Team') => w.api('POST', path, { subject, participants })
const at = (group: string) => `${path}/${encodeURIComponent(group)}`
const engine = (action: string, body: object) => w.api('POST', `/v1/instances/${id}/engine/smv2/group/${action}`, body)
const counted = async () => {
  const { today } = (await w.api('GET', `/v1/instances/${id}/safety`)).body
  return [today.sent, today.first_contacts]
}
const phonesIn = (body: { participants: { phone: string }[] }) => body.participants.map(({ phone }) => phone).toSorted()
const restrict = () => w.api('POST', `/v1/instances/${id}/messages`, { to: TOUCHY, text: 'Hi' })

test('strangers who are added to a group count as first contacts, and people who have written do not', async () => {
  await w.api('POST', `/v1/sandbox/phones/${BEN}/messages`, { to: OURS, text: 'Hi' })
  await w.quiet()
  const { group } = (await create([ANA, BEN])).body
  expect(await counted()).toEqual([1, 1])
  await w.api('PATCH', at(group), { subject: 'Crew', add_participants: ['12025550303', '12025550304'] })
  expect(await counted()).toEqual([3, 3])
  await w.api('PATCH', at(group), { remove_participants: [ANA], add_admins: [BEN] })
  expect(await counted()).toEqual([3, 3])
})

test('people who are added through an engine action count as well', async () => {
  const { group } = (await engine('create', { name: 'Team', participants: [ANA] })).body.result
  expect(await counted()).toEqual([1, 1])
  const change = { group_id: group.group_id, change: 'add', participants: [BEN, NOBODY] }
  expect((await engine('participant', change)).status).toBe(200)
  expect(await counted()).toEqual([3, 3])
})

test('a person who is already a member does not count, nor a refused addition', async () => {
  const { group } = (await create([ANA])).body
  const again = await w.api('PATCH', at(group), { add_participants: [ANA] })
  expect(again.body.results).toEqual([{ phone: ANA, done: false, reason: 'already_member' }])
  expect(await counted()).toEqual([1, 1])
  const other = await w.pair(ANA)
  const theirs = `/v1/instances/${other.id}/groups/${encodeURIComponent(group)}`
  expect(codeOf(await w.api('PATCH', theirs, { add_participants: [BEN] }))).toEqual([409, 'invalid_state'])
  expect(codeOf(await w.api('PATCH', theirs, { subject: 'Mine', add_participants: [BEN] }))).toEqual([
    409,
    'invalid_state',
  ])
  const { today } = (await w.api('GET', `/v1/instances/${other.id}/safety`)).body
  expect([today.sent, today.first_contacts]).toEqual([0, 0])
})

test('a number that may not start new chats cannot add strangers to groups, and the rest of that request is refused too', async () => {
  await w.api('POST', `/v1/sandbox/phones/${BEN}/messages`, { to: OURS, text: 'Hi' })
  await w.quiet()
  const { group } = (await create([BEN])).body
  await restrict()
  const before = await counted()
  const refused = await w.api('PATCH', at(group), { subject: 'Crew', add_participants: [ANA] })
  expect([...codeOf(refused), refused.body.error.message]).toEqual([
    ...[409, 'invalid_state'],
    expect.stringMatching(/^Nothing was changed, and nobody was added to the group\. .+ Try again after 20.+Z\.$/),
  ])
  expect(codeOf(await create([ANA], 'Second'))).toEqual([409, 'invalid_state'])
  const participant = { group_id: group, change: 'add', participants: [ANA] }
  expect(codeOf(await engine('participant', participant))).toEqual([409, 'invalid_state'])
  expect(codeOf(await engine('create', { name: 'Third', participants: [ANA] }))).toEqual([409, 'invalid_state'])
  const { data } = (await w.api('GET', path)).body
  expect(data).toMatchObject([{ group, subject: 'Team' }])
  expect(phonesIn(data[0])).toEqual([BEN, OURS])
  expect(await counted()).toEqual(before)
  await w.api('PATCH', at(group), { remove_participants: [BEN] })
  expect((await w.api('PATCH', at(group), { add_participants: [BEN] })).status).toBe(200)
  await w.pass(60_000)
  expect((await w.api('PATCH', at(group), { add_participants: [ANA] })).status).toBe(200)
})

test('a suspended account cannot add people to groups', async () => {
  const client = await clientOf(w)
  const line = await pairedIn(w, client, '12025550399')
  const groups = `/v1/instances/${line.id}/groups`
  const { group } = (await client.api('POST', groups, { subject: 'Team', participants: [ANA] })).body
  await w.api('POST', `/v1/agency/accounts/${client.id}/suspend`)
  const direct = (action: string) => `/v1/instances/${line.id}/engine/smv2/group/${action}`
  const asked = [
    client.api('POST', groups, { subject: 'Second', participants: [BEN] }),
    client.api('PATCH', `${groups}/${encodeURIComponent(group)}`, { add_participants: [BEN] }),
    client.api('POST', direct('participant'), { group_id: group, change: 'add', participants: [BEN] }),
    client.api('POST', direct('create'), { name: 'Third', participants: [BEN] }),
  ]
  for (const answer of await Promise.all(asked)) expect(codeOf(answer)).toEqual([403, 'account_suspended'])
  const { data } = (await client.api('GET', groups)).body
  expect(data.map(phonesIn)).toEqual([[ANA, '12025550399']])
})

test('an assistant can add people to groups only with approval', async () => {
  const { group } = (await create([ANA])).body
  const assistant = await assistantOf(w, 'sending')
  await assistant.callAndWait('create_group', { instance_id: id, subject: 'Second', participants: [BEN] })
  await assistant.callAndWait('update_group', { instance_id: id, group, add_participants: [BEN] })
  const { data } = (await w.api('GET', path)).body
  expect(data.map(phonesIn)).toEqual([[ANA, OURS]])
  expect(await counted()).toEqual([1, 1])
})
