import { expect, test } from 'vitest'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import type { ACTIONS } from '../../../main/capabilities/direct/contract.ts'
import { worldOfTest, type World } from '../../support/world.ts'

const ANA = '12025550301'
const BEN = '12025550302'
const MISSING = '12025550404'

type ActionName = { [G in keyof typeof ACTIONS]: `${G}/${(typeof ACTIONS)[G][number]}` }[keyof typeof ACTIONS]

/** A number of the sandbox, its phones, and what they have. */
async function scene() {
  const w: World = await worldOfTest()
  const { id, phone_number: own } = await w.pair()
  const done = async (action: string, body?: object) => {
    const answer = await w.api('POST', `/v1/instances/${id}/engine/smv2/${action}`, body)
    expect([answer.status, answer.body.error?.message], action).toEqual([answer.status === 201 ? 201 : 200, undefined])
    return answer.body.result ?? answer.body
  }
  const refused = async (action: string, body: object) => {
    const answer = await w.api('POST', `/v1/instances/${id}/engine/smv2/${action}`, body)
    return answer.body.error?.code ?? answer.status
  }
  const on = async (number: string) =>
    (await w.api('GET', `/v1/sandbox/phones/${number}/messages?limit=1`)).body.data[0]
  const profile = async (number = own) => (await w.api('GET', `/v1/sandbox/phones/${number}/profile`)).body
  const chat = async (name: string) => (await profile()).chats.find((each: { chat: string }) => each.chat === name)
  const said = async (from: string, text = 'Hello') => {
    const { id: engineId } = (await w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to: own, text })).body
    await w.quiet()
    const event = (await w.events()).findLast(({ type }) => type === 'message.received')
    return { engineId, message_id: event?.data['message_id'] as string }
  }
  const sent = async (text = 'The address') => {
    const { message_id } = await done('send/text', { to: ANA, text })
    await w.quiet()
    return message_id as string
  }
  const group = async () => {
    const { group: made } = await done('group/create', { name: 'Garden', participants: [ANA] })
    return made.group_id as string
  }
  const enter = async (number: string, link: string) =>
    (await w.api('POST', `/v1/sandbox/phones/${number}/groups`, { link })).body
  return { w, id, own, done, refused, on, profile, chat, said, sent, group, enter }
}
type Scene = Awaited<ReturnType<typeof scene>>

const names = (of: readonly { name: string }[]) => of.map(({ name }) => name)

/** A community with a group that Ana is in. */
async function village({ done, group }: Scene) {
  const { community } = await done('community/create', { name: 'Village', description: 'Who lives here' })
  const group_id = await group()
  const community_id = community.group_id as string
  const groups = async () => (await done('community/groups', { community_id })).groups
  return { community, community_id, group_id, groups }
}

/** What each action changes, and who sees it. A new action does not compile without one. */
const PLAYED: Readonly<Record<ActionName, (s: Scene) => Promise<void>>> = {
  async 'send/text'({ sent, on }) {
    await sent('Hi')
    expect((await on(ANA)).text).toBe('Hi')
  },
  async 'send/link'({ done, w, on }) {
    await done('send/link', { to: ANA, url: 'https://x.example', title: 'X' })
    await w.quiet()
    expect((await on(ANA)).details).toMatchObject({ title: 'X' })
  },
  async 'send/media'({ done, w, on }) {
    await done('send/media', { to: ANA, media_url: 'https://media.sandbox/image.png', media_type: 'image' })
    await w.quiet()
    expect((await on(ANA)).type).toBe('image')
  },
  async 'send/poll'({ done, w, on }) {
    await done('send/poll', { to: ANA, question: 'When?', options: ['now', 'later'] })
    await w.quiet()
    expect((await on(ANA)).type).toBe('poll')
  },
  async 'send/sticker'({ done, w, on }) {
    await done('send/sticker', { to: ANA, media_url: 'https://media.sandbox/sticker.webp' })
    await w.quiet()
    expect((await on(ANA)).type).toBe('sticker')
  },
  async 'send/location'({ done, w, on }) {
    await done('send/location', { to: ANA, latitude: 1, longitude: 2 })
    await w.quiet()
    expect((await on(ANA)).type).toBe('location')
  },
  async 'send/contact'({ done, w, on }) {
    await done('send/contact', { to: ANA, name: 'Ben', number: BEN })
    await w.quiet()
    expect((await on(ANA)).type).toBe('contact')
  },

  async 'message/forward'({ done, said, w, on }) {
    const { message_id } = await said(ANA, 'Pass it on')
    await done('message/forward', { message_id, to: BEN })
    await w.quiet()
    expect(await on(BEN)).toMatchObject({ text: 'Pass it on', details: { forwarded: true } })
  },
  async 'message/react'({ done, said, on, own }) {
    const { message_id } = await said(ANA)
    await done('message/react', { message_id, emoji: '👍' })
    expect((await on(own)).reactions).toEqual([{ from: own, emoji: '👍' }])
  },
  async 'message/edit'({ done, sent, on }) {
    await done('message/edit', { message_id: await sent(), text: 'Another' })
    expect((await on(ANA)).text).toBe('Another')
  },
  async 'message/delete'({ done, sent, on }) {
    await done('message/delete', { message_id: await sent() })
    expect((await on(ANA)).text).toBeNull()
  },
  async 'message/markread'({ done, said }) {
    const { message_id } = await said(ANA)
    expect(await done('message/markread', { message_id })).toEqual({ message_id, read: true })
  },
  async 'message/star'({ done, refused, said, profile }) {
    const { message_id, engineId } = await said(ANA)
    for (let times = 0; times < 2; times++) await done('message/star', { message_id, starred: true })
    expect((await profile()).starred).toEqual([engineId])
    expect((await profile(ANA)).starred).toEqual([])
    await done('message/star', { message_id, starred: false })
    expect((await profile()).starred).toEqual([])
    expect(await refused('message/star', { message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD', starred: true })).toBe(
      'not_found',
    )
  },
  async 'message/pin'({ done, sent, on }) {
    await done('message/pin', { message_id: await sent(), pinned: true })
    expect((await on(ANA)).details.pinned_until).toMatch(/Z$/)
  },

  async 'call/reject'({ done, refused, w, own }) {
    const { call_id } = (await w.api('POST', `/v1/sandbox/phones/${ANA}/calls`, { to: own })).body
    await w.quiet()
    expect(await done('call/reject', { call_id })).toEqual({ call_id, rejected: true })
    expect(await refused('call/reject', { call_id })).toBe('not_found')
  },

  async 'user/check'({ done }) {
    expect(await done('user/check', { numbers: [ANA, MISSING] })).toEqual({
      numbers: [
        { number: ANA, exists: true, canonical: ANA },
        { number: MISSING, exists: false, canonical: null },
      ],
    })
  },
  async 'user/info'({ done }) {
    expect(await done('user/info', { number: ANA })).toMatchObject({ number: ANA, about: 'On the sandbox network' })
  },
  async 'user/avatar'({ done }) {
    expect(await done('user/avatar', { number: ANA })).toEqual({ number: ANA, url: 'https://media.sandbox/image.png' })
  },
  async 'user/block'({ done, w, own }) {
    await done('user/block', { number: ANA })
    const mark = await w.mark()
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: own, text: 'Hello?' })
    expect(await w.typesSince(mark)).toEqual([])
  },
  async 'user/unblock'({ done, w, own }) {
    await done('user/block', { number: ANA })
    await done('user/unblock', { number: ANA })
    const mark = await w.mark()
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages`, { to: own, text: 'Hello?' })
    expect(await w.typesSince(mark)).toContain('message.received')
  },

  async 'group/list'({ done, group }) {
    const group_id = await group()
    expect((await done('group/list')).groups).toMatchObject([{ group_id }])
  },
  async 'group/info'({ done, group }) {
    expect(await done('group/info', { group_id: await group() })).toMatchObject({
      ...{ name: 'Garden', kind: 'group', join_approval: false, member_add: 'admins' },
    })
  },
  async 'group/create'({ done }) {
    const { participants } = await done('group/create', { name: 'Garden', participants: [ANA, MISSING] })
    expect(participants).toEqual([
      { number: ANA, done: true, reason: null },
      { number: MISSING, done: false, reason: 'not_on_whatsapp' },
    ])
  },
  async 'group/participant'({ done, group }) {
    const group_id = await group()
    await done('group/participant', { group_id, change: 'add', participants: [BEN] })
    expect((await done('group/info', { group_id })).participants).toHaveLength(3)
  },
  async 'group/subject'({ done, group }) {
    const group_id = await group()
    await done('group/subject', { group_id, name: 'Orchard' })
    expect((await done('group/info', { group_id })).name).toBe('Orchard')
  },
  async 'group/description'({ done, group }) {
    const group_id = await group()
    await done('group/description', { group_id, description: 'Apples' })
    expect((await done('group/info', { group_id })).description).toBe('Apples')
  },
  async 'group/settings'({ done, group }) {
    const group_id = await group()
    const rules = { announce: true, locked: true, join_approval: true, member_add: 'everyone' }
    await done('group/settings', { group_id, ...rules })
    expect(await done('group/info', { group_id })).toMatchObject(rules)
    await done('group/settings', { group_id, join_approval: false })
    expect(await done('group/info', { group_id })).toMatchObject({ ...rules, join_approval: false })
  },
  async 'group/picture'({ done, refused, group }) {
    const media_url = 'https://media.sandbox/picture.jpg'
    expect(await done('group/picture', { group_id: await group(), media_url })).toMatchObject({ changed: true })
    expect(await refused('group/picture', { group_id: '1@g.us', media_url })).toBe('not_found')
    const png = { group_id: await group(), media_url: 'https://media.sandbox/image.png' }
    expect(await refused('group/picture', png)).toBe('validation_error')
  },
  async 'group/invitelink'({ done, group }) {
    const group_id = await group()
    const { link } = await done('group/invitelink', { group_id })
    expect((await done('group/invitelink', { group_id, renew: true })).link).not.toBe(link)
  },
  async 'group/join'({ done, refused, w, group }) {
    const group_id = await group()
    const { link } = await done('group/invitelink', { group_id })
    expect(await refused('group/join', { link })).toBe('invalid_state')
    const other = await w.pair()
    const join = () => w.api('POST', `/v1/instances/${other.id}/engine/smv2/group/join`, { link })
    await done('group/settings', { group_id, join_approval: true })
    const waiting = (await join()).body.error
    expect([waiting.code, waiting.message]).toEqual([
      'invalid_state',
      'An admin of the group must approve the request to join.',
    ])
    await done('group/settings', { group_id, join_approval: false })
    expect((await join()).body.result).toEqual({ group_id, joined: true })
  },
  async 'group/leave'({ done, group }) {
    await done('group/leave', { group_id: await group() })
    expect((await done('group/list')).groups).toEqual([])
  },
  async 'community/list'(s) {
    const { community } = await village(s)
    expect((await s.done('community/list')).communities).toEqual([community])
    expect(names((await s.done('group/list')).groups).toSorted()).toEqual(['Garden', 'Village', 'Village'])
  },
  async 'community/create'(s) {
    const { community, groups } = await village(s)
    expect(community).toMatchObject({
      ...{ kind: 'community', community_id: null, name: 'Village', description: 'Who lives here' },
      participants: [{ number: s.own, admin: true }],
    })
    expect(await groups()).toMatchObject([{ kind: 'announcements', name: 'Village', members: 1 }])
  },
  async 'community/groups'(s) {
    const { group_id } = await village(s)
    expect(await s.refused('community/groups', { community_id: group_id })).toBe('invalid_state')
    expect(await s.refused('community/groups', { community_id: 'nowhere@g.us' })).toBe('not_found')
  },
  async 'community/members'(s) {
    const { community_id, group_id } = await village(s)
    expect((await s.done('community/members', { community_id })).numbers).toEqual([s.own])
    await s.done('community/link', { community_id, group_id })
    expect((await s.done('community/members', { community_id })).numbers).toEqual([s.own, ANA].toSorted())
  },
  async 'community/link'(s) {
    const { community_id, group_id, groups } = await village(s)
    for (let times = 0; times < 2; times++) await s.done('community/link', { community_id, group_id })
    expect(await groups()).toMatchObject([
      { kind: 'announcements', members: 2 },
      { kind: 'group', group_id, name: 'Garden', members: 2 },
    ])
    expect(await s.done('group/info', { group_id })).toMatchObject({ kind: 'group', community_id })
    const other = (await s.done('community/create', { name: 'Port' })).community.group_id
    expect(await s.refused('community/link', { community_id: other, group_id })).toBe('invalid_state')
    expect(await s.refused('community/link', { community_id: other, group_id: community_id })).toBe('invalid_state')
    expect(await s.refused('community/link', { community_id: group_id, group_id: other })).toBe('invalid_state')
    expect(await s.refused('community/link', { community_id, group_id: 'nowhere@g.us' })).toBe('not_found')
    const { group_id: theirs } = (await s.done('group/create', { name: 'Theirs', participants: [ANA] })).group
    await s.done('group/participant', { group_id: theirs, change: 'promote', participants: [ANA] })
    await s.done('group/participant', { group_id: theirs, change: 'demote', participants: [s.own] })
    expect(await s.refused('community/link', { community_id, group_id: theirs })).toBe('invalid_state')
    expect(await groups()).toHaveLength(2)
  },
  async 'community/unlink'(s) {
    const { community_id, group_id, groups } = await village(s)
    await s.done('community/link', { community_id, group_id })
    const [announcements] = await groups()
    expect(await s.refused('community/unlink', { community_id, group_id: announcements.group_id })).toBe(
      'invalid_state',
    )
    const other = (await s.done('community/create', { name: 'Port' })).community.group_id
    expect(await s.refused('community/unlink', { community_id: other, group_id })).toBe('not_found')
    for (let times = 0; times < 2; times++) await s.done('community/unlink', { community_id, group_id })
    expect(await groups()).toHaveLength(1)
    await s.done('group/leave', { group_id: community_id })
    expect(names((await s.done('group/list')).groups)).not.toContain('Village')
  },
  async 'channel/list'({ done, own }) {
    const { channels } = await done('channel/list')
    expect(channels).toEqual([
      {
        channel_id: `SANDBOX${own}@newsletter`,
        ...{ name: `Channel of Sandbox phone ${own.slice(-4)}`, description: null, role: 'owner', followers: 1 },
        link: `https://channel.sandbox/SandboxOf${own}`,
      },
    ])
  },
  async 'channel/follow'({ done, refused }) {
    const { channel } = await done('channel/follow', { link: 'https://channel.sandbox/SandboxNews' })
    expect(channel).toMatchObject({ channel_id: 'SANDBOXNEWS@newsletter', name: 'Sandbox news', role: 'follower' })
    expect(await done('channel/follow', { channel_id: 'SANDBOXNEWS@newsletter' })).toEqual({ channel })
    expect(names((await done('channel/list')).channels)).toContain('Sandbox news')
    expect(await refused('channel/follow', { link: 'https://channel.sandbox/SandboxNothing' })).toBe('not_found')
    expect(await refused('channel/follow', { channel_id: '1@newsletter' })).toBe('not_found')
  },
  async 'channel/unfollow'({ done, refused, own }) {
    await done('channel/follow', { channel_id: 'SANDBOXRECIPES@newsletter' })
    for (let times = 0; times < 2; times++) await done('channel/unfollow', { channel_id: 'SANDBOXRECIPES@newsletter' })
    expect((await done('channel/list')).channels).toHaveLength(1)
    expect(await refused('channel/unfollow', { channel_id: `SANDBOX${own}@newsletter` })).toBe('invalid_state')
    expect(await refused('channel/unfollow', { channel_id: '1@newsletter' })).toBe('not_found')
  },
  async 'channel/post'({ done, refused, own, w }) {
    const other = await w.pair('12025550390')
    const channel_id = `SANDBOX${own}@newsletter`
    const followed = await w.api('POST', `/v1/instances/${other.id}/engine/smv2/channel/follow`, { channel_id })
    expect(followed.body.result.channel).toMatchObject({ role: 'follower', followers: 2 })
    await done('channel/post', { channel_id, text: 'Fresh bread' })
    await w.quiet()
    const received = (await w.events()).filter(({ type }) => type === 'message.received')
    expect(received).toMatchObject([
      { instance: { id: other.id }, data: { chat: channel_id, from: channel_id, text: 'Fresh bread' } },
    ])
    const media_url = 'https://media.sandbox/image.png'
    await done('channel/post', { channel_id, media_url, media_type: 'image', caption: 'Our bread' })
    await w.quiet()
    const { data } = (await w.events()).filter(({ type }) => type === 'message.received')[1]!
    const media = { mime_type: 'image/png', size: sampleOf('image').bytes.length, caption: 'Our bread' }
    expect(data).toMatchObject({ chat: channel_id, type: 'image', text: 'Our bread', media })
    const headers = { host: w.host, authorization: `Bearer ${w.allScopes}` }
    const fileFor = (id: string) => {
      const url = `/v1/instances/${id}/media/${encodeURIComponent(data.media.id)}`
      return w.service.door.app.inject({ method: 'GET', url, headers })
    }
    const file = await fileFor(other.id)
    expect([file.headers['content-type'], file.rawPayload]).toEqual(['image/png', sampleOf('image').bytes])
    const stranger = await w.pair('12025550391')
    expect((await fileFor(stranger.id)).statusCode).toBe(404)
    for (const fields of [
      {},
      { text: 'Both', media_url, media_type: 'image' },
      { caption: 'No file' },
      { media_url },
      { media_url, media_type: 'document' },
    ])
      expect(await refused('channel/post', { channel_id, ...fields })).toBe('validation_error')
    expect(await refused('channel/post', { channel_id: '1@newsletter', text: 'Hello' })).toBe('not_found')
    await done('channel/follow', { channel_id: 'SANDBOXNEWS@newsletter' })
    expect(await refused('channel/post', { channel_id: 'SANDBOXNEWS@newsletter', text: 'Me too' })).toBe(
      'invalid_state',
    )
  },
  async 'group/requests'({ done, refused, group, enter, w }) {
    const group_id = await group()
    const { link } = await done('group/invitelink', { group_id })
    await done('group/settings', { group_id, join_approval: true })
    expect(await enter(BEN, link)).toEqual({ group_id, state: 'requested' })
    expect(await done('group/requests', { group_id })).toEqual({
      group_id,
      requests: [{ number: BEN, requested_at: new Date(w.clock.now()).toISOString() }],
    })
    expect((await enter(ANA, link)).error.code).toBe('invalid_state')
    await done('group/participant', { group_id, change: 'demote', participants: [ANA] })
    expect(await refused('group/requests', { group_id: '1@g.us' })).toBe('not_found')
  },
  async 'group/approve'({ done, group, enter }) {
    const group_id = await group()
    const { link } = await done('group/invitelink', { group_id })
    await done('group/settings', { group_id, join_approval: true })
    await enter(BEN, link)
    const answer = { group_id, participants: [BEN, MISSING] }
    expect((await done('group/approve', answer)).participants).toEqual([
      { number: BEN, done: true, reason: null },
      { number: MISSING, done: false, reason: 'not_requested' },
    ])
    expect((await done('group/info', { group_id })).participants).toContainEqual({ number: BEN, admin: false })
    expect((await done('group/approve', answer)).participants[0].reason).toBe('not_requested')
  },
  async 'group/reject'({ done, group, enter }) {
    const group_id = await group()
    const { link } = await done('group/invitelink', { group_id })
    await done('group/settings', { group_id, join_approval: true })
    await enter(BEN, link)
    await done('group/reject', { group_id, participants: [BEN] })
    expect((await done('group/requests', { group_id })).requests).toEqual([])
    expect((await done('group/info', { group_id })).participants).toHaveLength(2)
  },

  async 'chat/info'({ done, refused }) {
    expect(await done('chat/info', { to: ANA })).toEqual({ to: ANA, disappearing_seconds: 0 })
    expect(await refused('chat/info', { to: MISSING })).toBe('not_found')
  },
  async 'chat/disappearing'({ done, w, own, on, sent, said, group }) {
    await done('chat/disappearing', { to: ANA, seconds: 86_400 })
    expect((await done('chat/info', { to: ANA })).disappearing_seconds).toBe(86_400)
    expect((await done('chat/info', { to: BEN })).disappearing_seconds).toBe(0)
    await sent('For a day')
    await said(ANA, 'For a day, too')
    const shown = await on(ANA)
    expect(Date.parse(shown.disappears_at) - Date.parse(shown.sent_at)).toBe(86_400_000)
    expect((await on(own)).disappears_at).not.toBeNull()
    await done('chat/disappearing', { to: ANA, seconds: 0 })
    await sent('For good')
    expect(await on(ANA)).toMatchObject({ text: 'For good', disappears_at: null })
    // The computer sleeps nearly all of the day: each second of a test costs half a millisecond.
    w.clock.suspend(86_390_000)
    await w.pass(20_000)
    const { data } = (await w.api('GET', `/v1/sandbox/phones/${ANA}/messages`)).body
    expect(data.map(({ text }: { text: string }) => text)).toEqual(['For good'])
    const group_id = await group()
    await done('chat/disappearing', { to: group_id, seconds: 604_800 })
    await done('send/text', { to: group_id, text: 'For a week' })
    await w.quiet()
    expect((await on(ANA)).disappears_at).not.toBeNull()
  },
  async 'chat/typing'({ done }) {
    expect(await done('chat/typing', { to: ANA, state: 'typing' })).toEqual({ to: ANA, state: 'typing' })
  },
  async 'chat/archive'({ done, refused, chat }) {
    await done('chat/archive', { to: ANA, archived: true })
    expect(await chat(ANA)).toMatchObject({ archived: true, pinned: false })
    await done('chat/archive', { to: ANA, archived: false })
    expect(await chat(ANA)).toMatchObject({ archived: false })
    expect(await refused('chat/archive', { to: '120363@g.us', archived: true })).toBe('not_found')
  },
  async 'chat/pin'({ done, chat }) {
    await done('chat/pin', { to: ANA, pinned: true })
    expect(await chat(ANA)).toMatchObject({ pinned: true })
  },
  async 'chat/mute'({ done, chat }) {
    await done('chat/mute', { to: ANA, muted: true })
    expect(await chat(ANA)).toMatchObject({ muted: true, muted_until: null })
    const until = '2030-01-01T00:00:00.000Z'
    await done('chat/mute', { to: ANA, muted: true, until })
    expect(await chat(ANA)).toMatchObject({ muted: true, muted_until: until })
    await done('chat/mute', { to: ANA, muted: false })
    expect(await chat(ANA)).toMatchObject({ muted: false })
  },
  async 'chat/read'({ done, chat }) {
    await done('chat/read', { to: ANA, read: false })
    expect(await chat(ANA)).toMatchObject({ unread: true })
  },

  async 'label/list'({ done }) {
    expect(await done('label/list')).toEqual({ labels: [] })
  },
  async 'label/save'({ done, refused, profile }) {
    const { label } = await done('label/save', { name: 'New order', color: 3 })
    expect(label).toEqual({ label_id: '1', name: 'New order', color: 3 })
    await done('label/save', { label_id: '1', name: 'Order', color: 4 })
    expect((await profile()).labels).toEqual([{ label_id: '1', name: 'Order', color: 4 }])
    for (let n = 2; n <= 20; n++) await done('label/save', { name: `Label ${n}` })
    expect(await refused('label/save', { name: 'One too many' })).toBe('invalid_state')
    expect(await refused('label/save', { label_id: '99', name: 'Nobody' })).toBe('not_found')
  },
  async 'label/delete'({ done, refused, profile, chat, said }) {
    const { message_id } = await said(ANA)
    const { label } = await done('label/save', { name: 'New order' })
    const { label_id } = label
    await done('label/chat', { to: ANA, label_id, labeled: true })
    await done('label/message', { message_id, label_id, labeled: true })
    await done('label/delete', { label_id })
    expect(await profile()).toMatchObject({ labels: [], labeled_messages: [] })
    expect((await chat(ANA)).label_ids).toEqual([])
    expect(await refused('label/delete', { label_id })).toBe('not_found')
  },
  async 'label/chat'({ done, refused, chat }) {
    await done('label/save', { name: 'New order' })
    for (let times = 0; times < 2; times++) await done('label/chat', { to: ANA, label_id: '1', labeled: true })
    expect((await chat(ANA)).label_ids).toEqual(['1'])
    await done('label/chat', { to: ANA, label_id: '1', labeled: false })
    expect((await chat(ANA)).label_ids).toEqual([])
    expect(await refused('label/chat', { to: ANA, label_id: '2', labeled: true })).toBe('not_found')
  },
  async 'label/message'({ done, said, profile }) {
    const { message_id, engineId: id } = await said(ANA)
    await done('label/save', { name: 'New order' })
    await done('label/message', { message_id, label_id: '1', labeled: true })
    expect((await profile()).labeled_messages).toEqual([{ id, label_id: '1' }])
    await done('label/message', { message_id, label_id: '1', labeled: false })
    expect((await profile()).labeled_messages).toEqual([])
  },

  async 'account/online'({ done }) {
    expect(await done('account/online', { online: true })).toEqual({ online: true })
  },
  async 'account/name'({ done, w, own, profile }) {
    await done('account/name', { name: 'Bakery Luz' })
    expect((await profile()).name).toBe('Bakery Luz')
    const other = await w.pair()
    expect(
      (await w.api('POST', `/v1/instances/${other.id}/engine/smv2/user/info`, { number: own })).body.result.name,
    ).toBe('Bakery Luz')
    const mark = await w.mark()
    await done('send/text', { to: other.phone_number, text: 'Hello' })
    await w.quiet()
    const heard = (await w.events()).findLast(({ type }) => type === 'message.received')
    expect(heard?.data).toMatchObject({ push_name: 'Bakery Luz' })
    expect(await w.typesSince(mark)).toContain('message.received')
  },
  async 'account/about'({ done, profile }) {
    await done('account/about', { text: 'Open from seven' })
    expect((await profile()).about).toBe('Open from seven')
  },
  async 'account/picture'({ done, refused, w, own, profile }) {
    await done('account/picture', { media_url: 'https://media.sandbox/picture.jpg' })
    const other = await w.pair()
    const seen = await w.api('POST', `/v1/instances/${other.id}/engine/smv2/user/avatar`, { number: own })
    const { url } = seen.body.result
    expect(url).toMatch(/^https:\/\/media\.sandbox\/pictures\/[0-9a-f]{64}\.jpg$/)
    expect((await profile()).picture_url).toBe(url)
    // What it shows is a picture that can be sent again.
    await done('send/media', { to: ANA, media_url: url, media_type: 'image' })
    expect(await refused('account/picture', { media_url: 'https://media.sandbox/image.png' })).toBe('validation_error')
  },
  async 'account/status'({ done, refused, on, w }) {
    const { message_id } = await done('account/status', { text: 'Fresh rolls', numbers: [ANA, BEN, MISSING] })
    for (const number of [ANA, BEN])
      expect(await on(number)).toMatchObject({
        ...{ id: message_id, type: 'status', text: 'Fresh rolls', group: 'status@broadcast' },
      })
    expect(await refused('account/status', { text: 'x', numbers: [MISSING] })).toBe('not_found')
    // The computer sleeps nearly all of the day: each second of a test costs half a millisecond.
    w.clock.suspend(86_390_000)
    await w.pass(20_000)
    expect(await on(ANA)).toBeUndefined()
  },
  async 'account/status-delete'({ done, refused, on, sent }) {
    const { message_id } = await done('account/status', { text: 'Fresh rolls', numbers: [ANA, BEN] })
    await done('account/status-delete', { message_id, numbers: [ANA, BEN] })
    for (const number of [ANA, BEN]) expect((await on(number)).deleted_at).not.toBeNull()
    const ordinary = { message_id: await sent(), numbers: [ANA] }
    expect(await refused('account/status-delete', ordinary)).toBe('not_found')
    expect((await on(ANA)).text).toBe('The address')
  },
  async 'account/privacy'({ done, w, own, profile }) {
    const everyone = await done('account/privacy')
    expect(new Set(Object.values(everyone))).toEqual(new Set(['everyone']))
    const changed = await done('account/privacy', { privacy: { about: 'nobody', picture: 'nobody' } })
    expect(changed).toEqual({ ...everyone, about: 'nobody', picture: 'nobody' })
    expect((await profile()).privacy).toEqual(changed)
    const other = await w.pair()
    const ask = async (action: string) =>
      (await w.api('POST', `/v1/instances/${other.id}/engine/smv2/${action}`, { number: own })).body.result
    expect((await ask('user/info')).about).toBeNull()
    expect((await ask('user/avatar')).url).toBeNull()
  },
}

test.each(Object.entries(PLAYED))('%s has the same effect in the sandbox as on a phone', async (_name, play) => {
  await play(await scene())
})
