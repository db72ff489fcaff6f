import { contentOf } from '../../../main/kernel/file-content.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DirectActs, MessageRef } from '../../../main/engines/direct.ts'
import type { EngineInstance, Outgoing } from '../../../main/engines/engine.ts'
import { networkId, phoneMessageId } from '../../../main/engines/sandbox/network-ids.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { bytesOf } from '../../support/file.ts'
import { settle } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'
import { ANA, BEN, networkWorld, OURS, type NetworkWorld } from './network-world.ts'

let w: NetworkWorld
let us: EngineInstance
beforeEach(async () => {
  w = await networkWorld([0, 0, 0, 0])
  us = await w.connected('smv2')
})
afterEach(() => w.close())

const act = <K extends keyof DirectActs>(name: K, engine: 'smv2' | 'official' = 'smv2'): DirectActs[K] => {
  const found = w.engine(engine).direct?.[name]
  if (!found) throw new Error(`${engine} cannot ${name}`)
  return found
}
const ref = (engineMessageId: string, isOwn = false): MessageRef => ({
  engineMessageId,
  chat: ANA,
  isOwn,
  participant: null,
})
const lastOf = async (number: string) =>
  (await w.network.listMessages(w.accountId, number, Number.MAX_SAFE_INTEGER, 1))[0]
const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'done',
    (error: unknown) => (error as { code?: unknown }).code,
  )
const say = async (from: string, text: string, group: string | null = null) =>
  (await w.network.speak(w.accountId, from, { to: OURS, group, content: { type: 'text', text } })).message
const told = async () => {
  await settle()
  const signals = w.told(us)
  w.forget()
  return signals
}

describe('a message of another kind', () => {
  const KINDS: [Outgoing, object][] = [
    [
      { kind: 'location', to: ANA, latitude: -23.55, longitude: -46.63, name: 'Sé', address: null },
      {
        ...{
          type: 'location',
          text: 'Sé',
          details: { latitude: -23.55, longitude: -46.63, name: 'Sé', address: null },
        },
        content: {
          type: 'location',
          latitude: -23.55,
          longitude: -46.63,
          name: 'Sé',
          address: null,
          url: null,
          live: false,
        },
      },
    ],
    [
      { kind: 'contact', to: ANA, name: 'Ben', number: BEN },
      { type: 'contact', text: 'Ben', details: { name: 'Ben', number: BEN } },
    ],
    [
      { kind: 'poll', to: ANA, question: 'When?', options: ['now', 'later'], maxChoices: 2 },
      {
        ...{ type: 'poll', text: 'When?', details: { question: 'When?', options: ['now', 'later'], max_choices: 2 } },
        content: { type: 'poll', question: 'When?', options: ['now', 'later'], max_choices: null },
      },
    ],
    [
      { kind: 'text', to: ANA, text: 'See x', preview: { url: 'https://x.example', title: 'X', description: null } },
      { type: 'text', text: 'See x', details: { url: 'https://x.example', title: 'X', description: null } },
    ],
  ]
  test.each(KINDS)('arrives on the phone with its content: %j', async (out, content) => {
    expect((await w.send(us, out)).kind).toBe('accepted')
    expect((await lastOf(ANA))?.content).toMatchObject(content)
  })

  test('is received by another instance with its kind and text', async () => {
    const other = await w.connected('smv2', BEN)
    await w.send(us, { kind: 'poll', to: BEN, question: 'When?', options: ['now', 'later'], maxChoices: 1 })
    expect(w.of(other, 'received')).toMatchObject([{ type: 'poll', text: 'When?', from: OURS, fromMe: false }])
  })
})

describe('actions on messages', () => {
  test('a reaction is shown on the phone and reported once to the instance as its own, and an empty one removes it', async () => {
    const said = await say(ANA, 'Hello')
    await told()
    await act('react')(us, ref(said.id), '👍')
    expect(await told()).toMatchObject([{ kind: 'reaction', emoji: '👍', from: OURS, fromMe: true, chat: ANA }])
    expect((await lastOf(OURS))?.reactions).toEqual({ [OURS]: '👍' })
    await act('react')(us, ref(said.id), '')
    expect(await told()).toMatchObject([{ kind: 'reaction', emoji: '' }])
    expect((await lastOf(OURS))?.reactions).toEqual({})
  })

  test('sent messages are edited and deleted on the phone, and reported', async () => {
    const { messageId } = await w.send(us, { to: ANA })
    const id = networkId('smv2', messageId)
    await told()
    await act('edit')(us, ref(id, true), 'Hello again')
    expect((await lastOf(ANA))?.content.text).toBe('Hello again')
    expect(await told()).toMatchObject([{ kind: 'edited', text: 'Hello again', engineMessageId: id, fromMe: true }])
    await act('remove')(us, ref(id, true))
    expect(await lastOf(ANA)).toMatchObject({ content: { text: null } })
    expect(await told()).toMatchObject([{ kind: 'deleted', deletedBy: OURS, fromMe: true }])
    expect(await codeOf(act('edit')(us, ref(id, true), 'Too late'))).toBe('invalid_state')
  })

  test('messages of others cannot be edited or deleted, and messages of other chats are not found', async () => {
    const said = await say(ANA, 'Hello')
    const strange = phoneMessageId(w.clock.now(), seededRandom(9))
    await told()
    expect(await codeOf(act('edit')(us, ref(said.id), 'x'))).toBe('invalid_state')
    expect(await codeOf(act('remove')(us, ref(said.id)))).toBe('invalid_state')
    const between = await w.network.speak(w.accountId, ANA, {
      to: BEN,
      group: null,
      content: { type: 'text', text: 'x' },
    })
    for (const id of [strange, between.message.id, '', "' OR 1=1"]) {
      expect(await codeOf(act('react')(us, ref(id), '👍'))).toBe('not_found')
      expect(await codeOf(act('markRead')(us, ref(id)))).toBe('not_found')
    }
    expect(await told()).toEqual([])
  })

  test('marking as read works on both engines, without an event', async () => {
    const said = await say(ANA, 'Hello')
    const official = await w.connected('official', BEN)
    const heard = (
      await w.network.speak(w.accountId, ANA, { to: BEN, group: null, content: { type: 'text', text: 'x' } })
    ).message
    await told()
    await act('markRead')(us, ref(said.id))
    await act('markRead', 'official')(official, ref(heard.id))
    expect(w.engine('official').direct?.react).toBeUndefined()
    expect(await told()).toEqual([])
  })
})

describe('people', () => {
  test('a check reports who is on the network', async () => {
    expect(await act('check')(us, [ANA, '12025550404'])).toEqual([
      { number: ANA, exists: true, canonical: ANA },
      { number: '12025550404', exists: false, canonical: null },
    ])
  })

  test('a profile has the name of the phone, and unknown numbers have neither profile nor picture', async () => {
    await w.network.changePhone(w.accountId, ANA, { name: 'Ana Souza' })
    expect(await act('profile')(us, ANA)).toMatchObject({ number: ANA, name: 'Ana Souza', isBusiness: false })
    expect(await act('profile')(us, BEN)).toMatchObject({ name: 'Sandbox phone 0102' })
    expect(await act('avatar')(us, ANA)).toBe('https://media.sandbox/image.png')
    expect(await codeOf(act('profile')(us, '12025550404'))).toBe('not_found')
    expect(await codeOf(act('avatar')(us, '12025550404'))).toBe('not_found')
  })

  test('messages of a blocked person do not arrive, except in groups, until the person is unblocked', async () => {
    await act('block')(us, ANA, true)
    await act('block')(us, ANA, true)
    await say(ANA, 'Hello?')
    expect(await lastOf(OURS)).toBeUndefined()
    expect(await told()).toEqual([])
    await say(BEN, 'I am not blocked')
    await say(ANA, 'In the group', 'family')
    expect((await told()).map((signal) => ('text' in signal ? signal.text : ''))).toEqual(
      ['I am not blocked', 'In the group'], // oxfmt-ignore
    )
    await act('block')(us, ANA, false)
    await say(ANA, 'Back again')
    expect(await told()).toMatchObject([{ kind: 'received', text: 'Back again' }])
  })

  test('a message to a number that has blocked the sender is accepted and never received', async () => {
    const other = await w.connected('smv2', BEN)
    await act('block')(us, BEN, true)
    expect((await w.send(other, { to: OURS })).kind).toBe('accepted')
    expect(await told()).toEqual([])
  })
})

describe('groups', () => {
  test('a created group has its creator as admin, and reports who could not be added', async () => {
    const { group, results } = await act('createGroup')(us, 'Family', [ANA, BEN, '12025550404'])
    expect(group).toMatchObject({
      ...{ name: 'Family', owner: OURS, createdAtMs: w.clock.now() },
      members: [
        { number: OURS, isAdmin: true },
        { number: ANA, isAdmin: false },
        { number: BEN, isAdmin: false },
      ],
    })
    expect(group.id).toMatch(/^SANDBOX[0-9A-Z]+@g\.us$/)
    expect(results.map(({ reason }) => reason)).toEqual([null, null, 'not_on_whatsapp'])
    expect(await act('groups')(us)).toEqual([group])
    expect(await act('group')(us, group.id)).toEqual(group)
  })

  test('members are added, removed, promoted and demoted, each with a result', async () => {
    const { group } = await act('createGroup')(us, 'Family', [ANA])
    const change = act('changeMembers')
    const reasons = async (...how: Parameters<typeof change> extends [unknown, ...infer R] ? R : never) =>
      (await change(us, ...how)).map(({ reason }) => reason)
    expect(await reasons(group.id, 'add', [BEN, ANA])).toEqual([null, 'already_member'])
    expect(await reasons(group.id, 'promote', [ANA, '12025550199'])).toEqual([null, 'not_member'])
    expect(await reasons(group.id, 'remove', [BEN, '12025550199'])).toEqual([null, 'not_member'])
    expect((await act('group')(us, group.id)).members).toEqual([
      { number: OURS, isAdmin: true },
      { number: ANA, isAdmin: true },
    ])
    expect(await reasons(group.id, 'demote', [OURS])).toEqual([null])
    expect(await codeOf(change(us, group.id, 'add', [BEN]))).toBe('invalid_state')
  })

  test('only members see a group, and only admins change it', async () => {
    const other = await w.connected('smv2', BEN)
    const { group } = await act('createGroup')(us, 'Family', [ANA])
    expect(await act('groups')(other)).toEqual([])
    expect(await codeOf(act('group')(other, group.id))).toBe('not_found')
    expect(await codeOf(act('changeMembers')(other, group.id, 'add', [BEN]))).toBe('not_found')
    await act('changeMembers')(us, group.id, 'add', [BEN])
    expect((await act('groups')(other)).map(({ id }) => id)).toEqual([group.id])
    expect(await codeOf(act('inviteLink')(other, group.id, false))).toBe('invalid_state')
    for (const id of ['', 'nothing', "' OR 1=1 --"]) expect(await codeOf(act('group')(us, id))).toBe('not_found')
  })

  test('the invite link stays until it is renewed', async () => {
    const { group } = await act('createGroup')(us, 'Family', [ANA])
    const link = await act('inviteLink')(us, group.id, false)
    expect(link).toMatch(/^https:\/\/chat\.sandbox\/[0-9A-Z]{24}$/)
    expect(await act('inviteLink')(us, group.id, false)).toBe(link)
    const next = await act('inviteLink')(us, group.id, true)
    expect(next).not.toBe(link)
    expect(await act('inviteLink')(us, group.id, false)).toBe(next)
  })

  test('a member who leaves is removed; the last admin passes on the role, and the last member ends the group', async () => {
    const other = await w.connected('smv2', BEN)
    const { group } = await act('createGroup')(us, 'Family', [BEN])
    await act('leaveGroup')(us, group.id)
    expect(await act('groups')(us)).toEqual([])
    expect(await codeOf(act('leaveGroup')(us, group.id))).toBe('not_found')
    expect((await act('group')(other, group.id)).members).toEqual([{ number: BEN, isAdmin: true }])
    await act('leaveGroup')(other, group.id)
    expect(w.data.raw.prepare('SELECT * FROM sandbox_group_members').all()).toEqual([])
    expect(w.data.raw.prepare('SELECT * FROM sandbox_groups').all()).toEqual([])
  })

  test('a group message adds its sender and its recipient as members', async () => {
    await say(ANA, 'Hello all', 'family@g.us')
    expect(await act('groups')(us)).toMatchObject([
      {
        ...{ id: 'family@g.us', name: 'family@g.us', owner: ANA },
        members: [
          { number: OURS, isAdmin: false },
          { number: ANA, isAdmin: true },
        ],
      },
    ])
  })
})

describe('files', () => {
  const media = async (instance: EngineInstance, id: string) => {
    const file = await w.engine(instance.engine).media?.(instance, id)
    return file ? { mimeType: file.mimeType, filename: file.filename, bytes: await bytesOf(file) } : null
  }
  const fileFrom = async (from: string, filename: string | null = 'cat.png') => {
    const { bytes, mimeType } = sampleOf('image')
    const content = { type: 'image', text: null, media: { mimeType, size: bytes.length, filename, caption: 'Look' } }
    return (await w.network.speak(w.accountId, from, { to: OURS, group: null, content })).message
  }

  test('a file from a phone is a sample of its kind, and accessible only to its recipients', async () => {
    const { id } = await fileFrom(ANA)
    expect(w.of(us, 'received')[0]?.media).toMatchObject({ id })
    const { bytes, mimeType } = sampleOf('image')
    expect(await media(us, id)).toEqual({ mimeType, filename: 'cat.png', bytes })
    expect(await media(await w.connected('smv2', BEN), id)).toBeNull()
    expect(await media(w.instance('smv2'), id)).toBeNull()
    for (const none of ['', 'nothing', "' OR 1=1 --"]) expect(await media(us, none)).toBeNull()
  })

  test('a file between instances is kept unchanged until its message is removed', async () => {
    const other = await w.connected('official', BEN)
    const bytes = Buffer.from('%PDF-1.4 not really')
    const file = {
      mediaType: 'document',
      mimeType: 'application/pdf',
      content: contentOf(bytes),
      caption: null,
      filename: 'a.pdf',
    } as const
    const { messageId } = await w.send(us, { kind: 'media', to: BEN, ...file })
    const id = w.of(other, 'received')[0]?.media?.id ?? ''
    expect(id).toBe(networkId('smv2', messageId))
    expect(await media(other, id)).toEqual({ mimeType: 'application/pdf', filename: 'a.pdf', bytes })
    w.data.raw.prepare('DELETE FROM sandbox_messages').run()
    expect(w.data.raw.prepare('SELECT * FROM sandbox_files').all()).toEqual([])
    await settle()
    expect(await media(other, id)).toBeNull()
  })

  test('files for phones are not stored, because nobody can request them', async () => {
    const file = {
      mediaType: 'image',
      mimeType: 'image/png',
      content: contentOf(Buffer.alloc(9)),
      caption: null,
      filename: null,
    } as const
    await w.send(us, { kind: 'media', to: ANA, ...file })
    expect(w.data.raw.prepare('SELECT * FROM sandbox_files').all()).toEqual([])
  })

  test('deleting a message deletes its file, and wiping a session deletes all of its files', async () => {
    const first = await fileFrom(ANA)
    const second = await fileFrom(ANA)
    await w.network.remove(w.accountId, ANA, first.id)
    expect(await media(us, first.id)).toBeNull()
    expect(await media(us, second.id)).not.toBeNull()
    await w.engine('smv2').wipe(us)
    expect(await media(us, second.id)).toBeNull()
  })
})

describe('templates', () => {
  test('an official number has three templates in the format of Graph, with pages', async () => {
    const official = await w.connected('official', BEN)
    const templates = w.engine('official').templates
    if (!templates) throw new Error('official has templates')
    const { list } = templates
    const all = await list(official, { limit: 50, after: null })
    expect(all.templates.map(({ name, status }) => [name, status])).toEqual([
      ['hello_world', 'APPROVED'],
      ['order_update', 'APPROVED'],
      ['spring_offer', 'APPROVED'],
    ])
    expect(all.after).toBeNull()
    const names: string[] = []
    for (let after: string | null = null, more = true; more;) {
      const page: { templates: readonly { name: string }[]; after: string | null } = await list(official, {
        limit: 1,
        after,
      })
      names.push(...page.templates.map(({ name }) => name))
      after = page.after
      more = after !== null
    }
    expect(names).toEqual(['hello_world', 'order_update', 'spring_offer'])
    expect(w.engine('smv2').templates).toBeUndefined()
  })

  test('a number that is not onboarded has no templates', async () => {
    const fresh = w.instance('official')
    expect(await codeOf(Promise.resolve(w.engine('official').templates?.list(fresh, { limit: 1, after: null })))).toBe(
      'not_ready',
    )
  })
})

describe('nothing is done without a connection', () => {
  const CALLS: [string, () => Promise<unknown>][] = [
    ['react', () => act('react')(us, ref('x'), '👍')],
    ['check', () => act('check')(us, [ANA])],
    ['block', () => act('block')(us, ANA, true)],
    ['createGroup', () => act('createGroup')(us, 'Family', [ANA])],
    ['groups', () => act('groups')(us)],
  ]
  test.each(CALLS)(
    '%s answers not_ready when stopped, and upstream_unavailable while the engine is down',
    async (_name, call) => {
      await w.network.failSends(us, 'engine_down', 1)
      expect(await codeOf(call())).toBe('upstream_unavailable')
      await w.engine('smv2').stop(us)
      await w.network.failSends(us, 'engine_down', 0)
      expect(await codeOf(call())).toBe('not_ready')
      expect(w.data.raw.prepare('SELECT * FROM sandbox_groups').all()).toEqual([])
      expect(w.data.raw.prepare('SELECT * FROM sandbox_blocks').all()).toEqual([])
    },
  )
})

test('a group is renamed by its members, and joined with its link', async () => {
  const { group } = await act('createGroup')(us, 'Team', [ANA])
  const other = await w.connected('smv2', '12025550109')
  await act('renameGroup')(us, group.id, 'Team B')
  expect(await codeOf(act('renameGroup')(other, group.id, 'Mine'))).toBe('not_found')
  const code = (await act('inviteLink')(us, group.id, false)).split('/').at(-1) ?? ''
  expect(await act('joinGroup')(other, code)).toBe(group.id)
  expect(await codeOf(act('joinGroup')(other, code))).toBe('invalid_state')
  expect(await codeOf(act('joinGroup')(other, `${code}X`))).toBe('not_found')
  expect(await act('group')(other, group.id)).toMatchObject({ name: 'Team B' })
})

test('requests to join are reported once to each instance of an admin', async () => {
  const { group } = await act('createGroup')(us, 'Team', [BEN])
  const member = await w.connected('smv2', BEN)
  await act('setJoinRules')(us, group.id, { needsApproval: true })
  const code = (await act('inviteLink')(us, group.id, false)).split('/').at(-1) ?? ''
  for (let i = 0; i < 2; i++) expect(await w.network.enterGroup(w.accountId, ANA, code)).toMatchObject({ waits: true })
  expect(await act('answerJoinRequests')(us, group.id, [ANA, '12025550198'], false)).toHaveLength(2)
  await settle()
  const told = (instance: EngineInstance) => w.of(instance, 'line_event').map(({ event }) => event)
  const data = { group_id: group.id, participants: [ANA] }
  expect(told(us)).toEqual([
    { type: 'group.join_requests_changed', data: { ...data, by: ANA, action: 'requested' } },
    { type: 'group.join_requests_changed', data: { ...data, by: OURS, action: 'rejected' } },
  ])
  expect(told(member)).toEqual([])
})

test('typing is shown only to existing people and groups', async () => {
  await act('showTyping')(us, ANA, 'typing')
  await act('setOnline')(us, true)
  expect(await codeOf(act('showTyping')(us, '12025550404', 'typing'))).toBe('not_found')
  expect(await codeOf(act('showTyping')(us, '120363041234567890@g.us', 'typing'))).toBe('not_found')
})

test('changes survive a restart', async () => {
  await act('setAbout')(us, 'Open')
  await act('setChatTimer')(us, ANA, 86_400)
  await act('changeChat')(us, ANA, { kind: 'pin', isSet: true }, null)
  const before = await w.network.profile(w.accountId, OURS)
  expect(before).toMatchObject({ about: 'Open', chats: [{ chat: ANA, isPinned: true }] })
  await w.restart()
  await w.network.smv2.begin()
  expect(await w.network.profile(w.accountId, OURS)).toEqual(before)
  expect(await act('chatTimer')(us, ANA)).toBe(86_400)
  await w.send(us, { to: ANA })
  const shown = await lastOf(ANA)
  expect((shown?.disappearsAtMs ?? 0) - (shown?.sentAtMs ?? 0)).toBe(86_400_000)
})

test('every member may set the timer of a group unless it is locked', async () => {
  const { group } = await act('createGroup')(us, 'Team', [BEN])
  const member = await w.connected('smv2', BEN)
  await act('setChatTimer')(member, group.id, 604_800)
  expect(await act('chatTimer')(us, group.id)).toBe(604_800)
  await act('setGroupRules')(us, group.id, { isLocked: true })
  expect(await codeOf(act('setChatTimer')(member, group.id, 0))).toBe('invalid_state')
  expect(await codeOf(act('setPicture')(member, group.id, Buffer.from('a')))).toBe('invalid_state')
  expect(await act('chatTimer')(us, group.id)).toBe(604_800)
})

test('members can add others if the group allows it', async () => {
  const { group } = await act('createGroup')(us, 'Team', [BEN])
  const member = await w.connected('smv2', BEN)
  expect(await codeOf(act('changeMembers')(member, group.id, 'add', [ANA]))).toBe('invalid_state')
  await act('setJoinRules')(us, group.id, { isAddedToByAdmins: false })
  expect(await act('changeMembers')(member, group.id, 'add', [ANA])).toEqual([{ number: ANA, reason: null }])
  expect(await codeOf(act('changeMembers')(member, group.id, 'remove', [ANA]))).toBe('invalid_state')
})

test('a blocked person sees no status', async () => {
  await act('block')(await w.connected('smv2', BEN), OURS, true)
  await act('postStatus')(us, 'Fresh rolls', [ANA, BEN])
  expect((await lastOf(ANA))?.content).toEqual({ type: 'status', text: 'Fresh rolls' })
  expect(await lastOf(BEN)).toBeUndefined()
})
