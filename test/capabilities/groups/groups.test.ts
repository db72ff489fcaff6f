import { beforeEach, describe, expect, test } from 'vitest'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'

const OURS = '12025550310'
const ANA = '12025550301'
const BEN = '12025550302'
const NOBODY = '12025550404'

let w: World
let path: string
beforeEach(async () => {
  w = await worldOfTest()
  path = `/v1/instances/${(await w.pair(OURS)).id}/groups`
})

const codeOf = ({ status, body }: Reply) => [status, body?.error?.code]
const create = async (body: object = { subject: 'Team', participants: [ANA] }) => w.api('POST', path, body)
const at = (group: string) => `${path}/${encodeURIComponent(group)}`
const phonesIn = (body: { participants: { phone: string }[] }) => body.participants.map(({ phone }) => phone).toSorted()

test('a group is created, listed, read, changed and left', async () => {
  const made = await create({ subject: 'Team', description: 'Who does what', participants: [ANA, NOBODY] })
  expect(made.status).toBe(201)
  const { results, ...record } = made.body
  expect(record).toMatchObject({ subject: 'Team', description: 'Who does what', owner: OURS, announce: false })
  expect(results).toEqual([
    { phone: ANA, done: true, reason: null },
    { phone: NOBODY, done: false, reason: 'not_on_whatsapp' },
  ])
  expect((await w.api('GET', path)).body).toEqual({ data: [record], next_cursor: null, has_more: false })
  expect((await w.api('GET', at(record.group))).body).toEqual(record)
  const body = { subject: 'Crew', description: null, announce: true, add_participants: [BEN], add_admins: [ANA] }
  const changed = await w.api('PATCH', at(record.group), body)
  expect([changed.status, changed.body]).toMatchObject([200, { subject: 'Crew', description: null, announce: true }])
  expect(phonesIn(changed.body)).toEqual([ANA, BEN, OURS].toSorted())
  expect(changed.body.results).toEqual([BEN, ANA].map((phone) => ({ phone, done: true, reason: null })))
  const removed = await w.api('PATCH', at(record.group), { remove_participants: [BEN], remove_admins: [BEN] })
  expect(removed.body.results).toEqual([
    { phone: BEN, done: true, reason: null },
    { phone: BEN, done: false, reason: 'not_member' },
  ])
  expect((await w.api('DELETE', at(record.group))).status).toBe(204)
  expect(codeOf(await w.api('GET', at(record.group)))).toEqual([404, 'not_found'])
  expect(codeOf(await w.api('DELETE', at(record.group)))).toEqual([404, 'not_found'])
  expect(codeOf(await w.api('PATCH', at(record.group), { subject: 'X' }))).toEqual([404, 'not_found'])
})

test('on both engines a group can be created that requires an admin to approve new members', async () => {
  const made = await create({ subject: 'Team', participants: [ANA], join_approval: true })
  expect([made.status, made.body.join_approval]).toEqual([201, true])
  expect((await w.api('GET', at(made.body.group))).body.join_approval).toBe(true)
  expect((await create()).body.join_approval).toBe(false)

  const official = `/v1/instances/${(await w.official('12025550311')).id}/groups`
  const closed = (await w.api('POST', official, { subject: 'Clients', join_approval: true })).body
  expect(closed.join_approval).toBe(true)
  expect((await w.api('GET', `${official}/${encodeURIComponent(closed.group)}`)).body.join_approval).toBe(true)
  expect((await w.api('POST', official, { subject: 'Clients' })).body.join_approval).toBe(false)
})

test('a message to a group reaches its members', async () => {
  const { group } = (await create()).body
  const sent = await w.api('POST', path.replace('/groups', '/messages'), { to: group, text: 'Hello all' })
  expect(sent.body).toMatchObject({ sent: true })
  await w.pass(2_000)
  const { data } = (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body
  expect(data).toMatchObject([{ group, text: 'Hello all' }])
})

test('the list can be searched by a part of the name and by kind', async () => {
  const smv2 = path.replace('/groups', '/engine/smv2')
  for (const subject of ['Jardín de Ana', 'Kitchen', '🎈']) await create({ subject })
  const { community } = (await w.api('POST', `${smv2}/community/create`, { name: 'Village garden' })).body.result
  const found = async (query: string) => {
    const { data } = (await w.api('GET', `${path}?${query}`)).body
    return data.map(({ subject, kind }: { subject: string; kind: string }) => [subject, kind]).toSorted()
  }
  expect(await found('q=JARDIN')).toEqual([['Jardín de Ana', 'group']])
  expect(await found(`q=${encodeURIComponent('🎈')}`)).toEqual([['🎈', 'group']])
  expect(await found('q=garden&kind=community')).toEqual([['Village garden', 'community']])
  expect(await found('kind=announcements')).toEqual([['Village garden', 'announcements']])
  expect(await found('q=nothing')).toEqual([])
  const [announcements] = (await w.api('GET', `${path}?kind=announcements`)).body.data
  expect(announcements).toMatchObject({ community: community.group_id, admin: true, announce: true })
})

test('a group record shows whether this number is an admin', async () => {
  const { group, admin } = (await create()).body
  expect(admin).toBe(true)
  await w.api('PATCH', at(group), { add_admins: [ANA], remove_admins: [OURS] })
  expect((await w.api('GET', at(group))).body.admin).toBe(false)
})

test('the list has pages', async () => {
  const made = [await create(), await create()].map(({ body }) => body.group).toSorted()
  const first = (await w.api('GET', `${path}?limit=1`)).body
  expect(first).toMatchObject({ data: [{ group: made[0] }], has_more: true })
  const second = (await w.api('GET', `${path}?limit=1&cursor=${first.next_cursor}`)).body
  expect(second).toMatchObject({ data: [{ group: made[1] }], next_cursor: null, has_more: false })
  expect(codeOf(await w.api('GET', `${path}?cursor=x`))).toEqual([400, 'invalid_cursor'])
})

test('the invite link is shown only on request, and renewing it replaces the old one', async () => {
  const { group } = (await create()).body
  const { invite_link: link } = (await w.api('PATCH', at(group), { invite_link: 'show' })).body
  expect(link).toMatch(/^https:\/\/chat\.sandbox\//)
  expect((await w.api('GET', at(group))).body).not.toHaveProperty('invite_link')
  const { invite_link: renewed } = (await w.api('PATCH', at(group), { invite_link: 'renew' })).body
  expect(renewed).not.toBe(link)
  expect((await w.api('PATCH', at(group), { invite_link: 'show' })).body.invite_link).toBe(renewed)
})

test('a change that the engine does not support is refused, and nothing is changed', async () => {
  const { id } = await w.official('12025550320')
  const groups = `/v1/instances/${id}/groups`
  const made = await w.api('POST', groups, { subject: 'Team' })
  const group = `${groups}/${encodeURIComponent(made.body.group)}`
  const refused = await w.api('PATCH', group, { subject: 'Changed', announce: true })
  expect(codeOf(refused)).toEqual([400, 'engine_mismatch'])
  expect((await w.api('GET', group)).body.subject).toBe('Team')
})

test('a group cannot be changed by a number that is not an admin', async () => {
  const other = await w.pair(ANA)
  const { group } = (await create()).body
  const theirs = `/v1/instances/${other.id}/groups/${encodeURIComponent(group)}`
  expect(codeOf(await w.api('PATCH', theirs, { add_participants: [BEN] }))).toEqual([409, 'invalid_state'])
  expect(phonesIn((await w.api('GET', at(group))).body)).toEqual([ANA, OURS].toSorted())
})

describe('invalid input', () => {
  test.each([
    ['no subject', {}],
    ['an empty subject', { subject: '' }],
    ['a participant that is no number', { subject: 'Team', participants: ['ana'] }],
    ['the same participant twice', { subject: 'Team', participants: [ANA, ANA] }],
    ['another field', { subject: 'Team', name: 'Team' }],
  ])('%s is refused, and no group is created', async (_, body) => {
    expect(codeOf(await create(body))).toEqual([400, 'validation_error'])
    expect((await w.api('GET', path)).body.data).toEqual([])
  })

  test('an invalid group id answers not_found', async () => {
    expect(codeOf(await w.api('GET', `${path}/12025550301`))).toEqual([404, 'not_found'])
    expect(codeOf(await w.api('DELETE', `${path}/nonsense`))).toEqual([404, 'not_found'])
  })

  test('groups cannot be listed or created while the number is not connected', async () => {
    const { id } = await w.instance()
    expect(codeOf(await w.api('GET', `/v1/instances/${id}/groups`))).toEqual([409, 'not_ready'])
    expect(codeOf(await w.api('POST', `/v1/instances/${id}/groups`, { subject: 'Team' }))).toEqual([409, 'not_ready'])
  })

  test('a read-only key cannot create a group', async () => {
    const { key } = await w.key({ scopes: ['messages:read'] })
    expect((await w.api('GET', path, undefined, { key })).status).toBe(200)
    expect((await w.api('POST', path, { subject: 'Team' }, { key })).status).toBe(403)
  })
})
