import { describe, expect, test } from 'vitest'
import { ACTIONS } from '../../../main/capabilities/direct/contract.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { asConsole } from '../../support/console.ts'
import { worldOfTest, type Reply, type World } from '../../support/world.ts'

const ANA = '12025550301'
const BEN = '12025550302'

const engine = (w: World, id: string, action: string, body?: unknown, headers: Record<string, string> = {}) =>
  w.api('POST', `/v1/instances/${id}/engine/smv2/${action}`, body, { headers })
const raw = (w: World, id: string, body: unknown, headers: Record<string, string> = {}) =>
  w.api('POST', `/v1/instances/${id}/engine/official/messages`, body, { headers })
const codeOf = ({ status, body }: Reply) => [status, body?.error?.code]
const record = async (w: World, id: string, messageId: string) =>
  (await w.api('GET', `/v1/instances/${id}/messages/${messageId}`)).body
const lastOf = async (w: World, number: string) =>
  (await w.api('GET', `/v1/sandbox/phones/${number}/messages?limit=1`)).body.data[0]
const say = async (w: World, from: string, to: string, more: object = { text: 'Hello' }) =>
  (await w.api('POST', `/v1/sandbox/phones/${from}/messages`, { to, ...more })).body

/** The id our events gave the newest message that came in. */
async function heard(w: World) {
  await w.quiet()
  const event = (await w.events()).findLast(({ type }) => type === 'message.received')
  if (!event) throw new Error('nothing came in')
  return event.data
}

test('a raw payload can be sent to the id from Meta of a person who hides their number', async () => {
  const w = await worldOfTest()
  const { id } = await w.official()
  const text = { type: 'text', text: { body: 'Hi' } }
  const { phone_number: ours } = (await w.api('GET', `/v1/instances/${id}`)).body
  await say(w, '900000000000001', ours)
  const sent = await raw(w, id, { recipient: 'US.900000000000001', ...text })
  expect([sent.status, sent.body.sent]).toEqual([201, true])
  await w.quiet()
  expect(await record(w, id, sent.body.message_id)).toMatchObject({ status: 'read', to: 'US.900000000000001' })
  expect(await lastOf(w, '900000000000001')).toMatchObject({ text: 'Hi', message_id: sent.body.message_id })
  const nobody = await raw(w, id, { recipient: 'US.12', ...text })
  expect([nobody.status, nobody.body.sent]).toEqual([201, false])
})

describe('a send through an engine action', () => {
  const SENDS: [string, object, string, object][] = [
    ['text', { text: 'Grüße' }, 'text', { text: 'Grüße', details: null }],
    [
      'link',
      { url: 'https://x.example/a', title: 'X' },
      'text',
      { text: 'https://x.example/a', details: { url: 'https://x.example/a', title: 'X', description: null } },
    ],
    ['link', { url: 'https://x.example/a', text: 'Look' }, 'text', { text: 'Look\nhttps://x.example/a' }],
    [
      'poll',
      { question: 'When?', options: ['now', 'later'] },
      'poll',
      { details: { question: 'When?', options: ['now', 'later'], max_choices: 1 } },
    ],
    [
      'location',
      { latitude: -23.5, longitude: -46.6, name: 'Sé' },
      'location',
      { details: { latitude: -23.5, longitude: -46.6, name: 'Sé', address: null } },
    ],
    ['contact', { name: 'Ben', number: BEN }, 'contact', { details: { name: 'Ben', number: BEN } }],
    [
      'contact',
      {
        contacts: [
          { name: 'Ben', number: BEN },
          { name: 'Eve', number: ANA },
        ],
      },
      'contact',
      { text: 'Ben', details: { name: 'Ben', number: BEN, others: [{ name: 'Eve', number: ANA }] } },
    ],
    [
      'media',
      { media_url: 'https://media.sandbox/video.mp4', media_type: 'video', gif: true },
      'video',
      { details: { gif: true } },
    ],
    ['sticker', { media_url: 'https://media.sandbox/sticker.webp' }, 'sticker', { media: { mime_type: 'image/webp' } }],
    ['sticker', { media_url: 'https://media.sandbox/image.png' }, 'sticker', { media: { mime_type: 'image/webp' } }],
    [
      'media',
      { media_url: 'https://media.sandbox/document.pdf', media_type: 'document', caption: 'Bill' },
      'document',
      { media: { mime_type: 'application/pdf', filename: 'document.pdf', caption: 'Bill' } },
    ],
  ]
  test.each(SENDS)(
    'send/%s %j is delivered with its content, record and events',
    async (action, fields, type, arrived) => {
      const w = await worldOfTest()
      const { id } = await w.pair()
      const mark = await w.mark()
      const sent = await engine(w, id, `send/${action}`, { to: ANA, ...fields })
      expect(sent.status).toBe(201)
      expect(sent.body).toEqual({ engine: 'smv2', sent: true, message_id: expect.stringMatching(/^msg_/) })

      expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered', 'message.read'])
      expect(await record(w, id, sent.body.message_id)).toMatchObject({ to: ANA, type, status: 'read', source: 'api' })
      expect(await lastOf(w, ANA)).toMatchObject({ message_id: sent.body.message_id, type, ...arrived })
    },
  )

  test('a repeat with the same Idempotency-Key returns the same response, and another body or operation conflicts', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const key = { 'idempotency-key': 'grüße-1' }
    const body = { to: ANA, text: 'Once' }
    const first = await engine(w, id, 'send/text', body, key)
    const mark = await w.mark()
    const again = await engine(w, id, 'send/text', { text: 'Once', to: ANA }, key)
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true'])
    expect(codeOf(await engine(w, id, 'send/text', { to: ANA, text: 'Twice' }, key))).toEqual([
      409,
      'idempotency_conflict',
    ])
    expect(codeOf(await w.api('POST', `/v1/instances/${id}/messages`, body, { headers: key }))).toEqual(
      [409, 'idempotency_conflict'], // oxfmt-ignore
    )
    expect(await w.typesSince(mark)).toEqual([])
    const found = await w.api('GET', `/v1/instances/${id}/messages?idempotency_key=${encodeURIComponent('grüße-1')}`)
    expect(found.body.message_id).toBe(first.body.message_id)
    await w.api('POST', `/v1/instances/${id}/disconnect`)
    expect((await engine(w, id, 'send/text', body, key)).status).toBe(201)
  })

  test('a send refused by the network answers sent: false, and a send that could not start stores no message', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const poll = { question: 'When?', options: ['now', 'later'] }
    const refused = await engine(w, id, 'send/poll', { to: '12025550404', ...poll })
    expect([refused.status, refused.body.sent]).toEqual([201, false])
    expect(await record(w, id, refused.body.message_id)).toMatchObject({
      status: 'failed',
      error: { code: 'not_on_whatsapp' },
    })
    const mark = await w.mark()
    expect(codeOf(await engine(w, id, 'send/poll', { to: '12025550502', ...poll }))).toEqual([
      502,
      'upstream_unavailable',
    ])
    await w.api('POST', `/v1/instances/${id}/disconnect`)
    expect(codeOf(await engine(w, id, 'send/poll', { to: ANA, ...poll }))).toEqual([409, 'not_ready'])
    expect(await w.typesSince(mark)).toEqual(['instance.disconnected'])
    expect(await w.rows('SELECT id FROM messages')).toHaveLength(1)
  })

  test.each([
    ['send/text', { to: ANA }, 'needs text'],
    ['send/text', { to: ANA, text: 'x', emoji: '👍' }, 'has no field "emoji"'],
    ['send/poll', { to: ANA, question: 'When?', options: ['now', 'later'], max_choices: 3 }, 'max_choices'],
    ['send/media', { to: ANA, media_url: 'https://media.sandbox/image.png' }, 'needs media_type'],
    ['send/sticker', { to: ANA, media_url: 'https://media.sandbox/document.pdf' }, 'does not match media_type'],
    ['send/location', { to: ANA, latitude: 91, longitude: 0 }, 'latitude'],
    ['send/text', { to: '+12025550301', text: 'x' }, 'to must be'],
    ['send/text', { to: ANA, text: 'x', cc: 'y' }, 'unknown field'],
    ['send/contact', { to: ANA, name: 'Ben', number: BEN, contacts: [{ name: 'Eve', number: ANA }] }, 'has no field'],
    ['send/contact', { to: ANA, contacts: [{ name: 'Eve' }] }, 'number'],
    ['group/join', { link: 'https://evil.example/Invite1234' }, 'link must be'],
    ['chat/typing', { to: ANA, state: 'online' }, 'state'],
    ['account/name', { name: 'x'.repeat(26) }, 'at most 25 characters'],
    ['account/about', { text: 'x'.repeat(140) }, 'at most 139 characters'],
    ['message/react', { message_id: 'msg_1' }, 'needs emoji'],
    ['group/list', { name: 'x' }, 'takes no fields'],
    ['user/check', { numbers: [] }, 'numbers'],
    ['user/check', { numbers: [ANA, ANA] }, 'numbers'],
  ])('%s with %j is refused with an explanation and has no effect', async (action, body, word) => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const mark = await w.mark()
    const answer = await engine(w, id, action, body)
    expect(codeOf(answer)).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(word)
    expect(await w.typesSince(mark)).toEqual([])
  })

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'x'])(
    'send/link to %s is refused',
    async (url) => {
      const w = await worldOfTest()
      const { id } = await w.pair()
      expect(codeOf(await engine(w, id, 'send/link', { to: ANA, url }))).toEqual([400, 'invalid_url'])
    },
  )

  test('send/media does not fetch a file from a private address', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const body = { to: ANA, media_url: 'http://127.0.0.1/x.webp' }
    expect(codeOf(await engine(w, id, 'send/sticker', body))).toEqual([400, 'invalid_url'])
  })
})

describe('a send that quotes a message', () => {
  const ANSWERS: [string, object][] = [
    ['text', { text: 'Yes' }],
    ['link', { url: 'https://x.example' }],
    ['media', { media_url: 'https://media.sandbox/image.png', media_type: 'image' }],
    ['poll', { question: 'When?', options: ['now', 'later'] }],
    ['sticker', { media_url: 'https://media.sandbox/sticker.webp' }],
    ['location', { latitude: 1, longitude: 2 }],
    ['contact', { name: 'Ben', number: BEN }],
  ]
  const quoteOf = async (w: World, messageId: string) =>
    (await w.rows('SELECT quoted_message_id AS quoted FROM messages WHERE id = :messageId', { messageId }))[0]

  test('is tested here for every send action', () => {
    expect(ANSWERS.map(([action]) => action).toSorted()).toEqual(ACTIONS.send.toSorted())
  })

  test.each(ANSWERS)(
    'send/%s: the phone shows the quoted message, and the events are the usual ones',
    async (action, fields) => {
      const w = await worldOfTest()
      const { id, phone_number: us } = await w.pair()
      const said = await say(w, ANA, us)
      const { message_id: quoted_message_id } = await heard(w)
      const mark = await w.mark()
      const sent = await engine(w, id, `send/${action}`, { to: ANA, ...fields, quoted_message_id })
      expect([sent.status, sent.body.sent]).toEqual([201, true])
      expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered', 'message.read'])
      expect(await lastOf(w, ANA)).toMatchObject({ message_id: sent.body.message_id, quoted_message_id: said.id })
      expect(await quoteOf(w, sent.body.message_id)).toEqual({ quoted: quoted_message_id })
    },
  )

  test('can quote the sender’s own message, and the receiving instance gets the id that it knows', async () => {
    const w = await worldOfTest()
    const [us, them] = [await w.pair(), await w.pair()]
    const first = await engine(w, us.id, 'send/text', { to: them.phone_number, text: 'Open until six' })
    const { message_id } = await heard(w)
    const quoted = { quoted_message_id: first.body.message_id }
    await engine(w, us.id, 'send/text', { to: them.phone_number, text: 'On Sundays until two', ...quoted })
    expect(await heard(w)).toMatchObject({ text: 'On Sundays until two', quoted_message_id: message_id })
  })

  test('can quote a message that the person sent under another spelling of their number', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    await say(w, '551187654321', us)
    const { message_id: quoted_message_id } = await heard(w)
    const body = { to: '5511987654321', text: 'Oi', quoted_message_id }
    expect((await engine(w, id, 'send/text', body)).status).toBe(201)
  })

  test('is replayed even if the quoted message was deleted since, but a new send is refused', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    const said = await say(w, ANA, us)
    const { message_id: quoted_message_id } = await heard(w)
    const key = { 'idempotency-key': 'answer-1' }
    const body = { to: ANA, text: 'Yes', quoted_message_id }
    const first = await engine(w, id, 'send/text', body, key)
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${said.id}/delete`)
    await w.quiet()
    const again = await engine(w, id, 'send/text', body, key)
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true'])
    expect(codeOf(await engine(w, id, 'send/text', { ...body, quoted_message_id: 'msg_x' }, key))).toEqual(
      [409, 'idempotency_conflict'], // oxfmt-ignore
    )
    expect(codeOf(await engine(w, id, 'send/text', body))).toEqual([409, 'invalid_state'])
  })

  test('is refused if the quoted message cannot be quoted; nothing is stored and the key can be used again', async () => {
    const w = await worldOfTest()
    const [{ id, phone_number: us }, other] = [await w.pair(), await w.pair()]
    await say(w, BEN, us)
    const bens = (await heard(w)).message_id
    await say(w, ANA, us, { text: 'Hello', group: 'family' })
    const inGroup = (await heard(w)).message_id
    const foreign = (await engine(w, other.id, 'send/text', { to: ANA, text: 'x' })).body.message_id
    const untaken = (await engine(w, id, 'send/text', { to: '12025550404', text: 'x' })).body.message_id
    const before = await w.rows('SELECT id FROM messages')
    const mark = await w.mark()
    const cases: [string, string, unknown[], string][] = [
      [ANA, 'msg_none', [404, 'not_found'], 'quoted_message_id is not a message of this instance'],
      [ANA, foreign, [404, 'not_found'], 'quoted_message_id is not a message of this instance'],
      [ANA, bens, [400, 'validation_error'], `belongs to ${BEN}`],
      [ANA, inGroup, [400, 'validation_error'], 'belongs to family'],
      ['12025550404', untaken, [409, 'invalid_state'], 'status record'],
    ]
    for (const [to, quoted_message_id, code, words] of cases) {
      const body = { to, text: 'Yes', quoted_message_id }
      const answer = await engine(w, id, 'send/text', body, { 'idempotency-key': 'answer-1' })
      expect([codeOf(answer), answer.body.error.message]).toEqual([code, expect.stringContaining(words)])
    }
    expect(await w.typesSince(mark)).toEqual([])
    expect(await w.rows('SELECT id FROM messages')).toEqual(before)
    expect(await w.rows('SELECT key FROM idempotency_keys')).toEqual([])
    const free = await engine(w, id, 'send/text', { to: ANA, text: 'Yes' }, { 'idempotency-key': 'answer-1' })
    expect([free.status, free.headers['idempotent-replayed']]).toEqual([201, undefined])
  })

  test('is refused for an invalid body before the state of the instance is checked', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    await w.api('POST', `/v1/instances/${id}/disconnect`)
    const body = { to: ANA, text: 'Yes', quoted_message_id: 'msg_none' }
    expect(codeOf(await engine(w, id, 'send/text', body))).toEqual([409, 'not_ready'])
    expect(codeOf(await engine(w, id, 'send/text', { ...body, quoted_message_id: '' }))).toEqual([
      400,
      'validation_error',
    ])
  })

  test('also works with the plain message endpoint, but not with actions on messages', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const said = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Open today?' })
    const body = { to: ANA, text: 'Anybody?', quoted_message_id: said.body.message_id }
    expect((await w.api('POST', `/v1/instances/${id}/messages`, body)).status).toBe(201)
    const strange = { ...body, quoted_message_id: 'msg_1' }
    expect(codeOf(await w.api('POST', `/v1/instances/${id}/messages`, strange))).toEqual([404, 'not_found'])
    const react = { message_id: 'msg_1', emoji: 'x', quoted_message_id: 'msg_1' }
    expect(codeOf(await engine(w, id, 'message/react', react))).toEqual([400, 'validation_error'])
  })
})

describe('actions', () => {
  test('react to a received message and mark it as read, by its message_id', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    await say(w, ANA, us)
    const { message_id } = await heard(w)
    const mark = await w.mark()
    const reacted = await engine(w, id, 'message/react', { message_id, emoji: '👍' })
    expect([reacted.status, reacted.body]).toEqual([200, { engine: 'smv2', result: { message_id, emoji: '👍' } }])
    expect((await engine(w, id, 'message/markread', { message_id })).body.result).toEqual({ message_id, read: true })
    const events = await w.eventsSince(mark)
    expect(events.map(({ type }) => type)).toEqual(['message.reaction'])
    expect(events[0]?.data).toMatchObject({ message_id, chat: ANA, from: us, from_me: true, emoji: '👍' })
    expect(codeOf(await engine(w, id, 'message/edit', { message_id, text: 'x' }))).toEqual([409, 'invalid_state'])
    expect(codeOf(await engine(w, id, 'message/delete', { message_id }))).toEqual([409, 'invalid_state'])
  })

  test('edit and delete a sent message, with one event each, and the phone shows the change', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    const sent = await w.api('POST', `/v1/instances/${id}/messages`, { to: ANA, text: 'Helo' })
    const { message_id } = sent.body
    const mark = await w.mark()
    await engine(w, id, 'message/edit', { message_id, text: 'Hello' })
    expect((await lastOf(w, ANA)).text).toBe('Hello')
    await engine(w, id, 'message/delete', { message_id })
    const events = await w.eventsSince(mark)
    expect(events.map(({ type, data }) => [type, data['message_id'], data['from'], data['from_me']])).toEqual([
      ['message.edited', message_id, us, true],
      ['message.deleted', message_id, us, true],
    ])
    expect(await lastOf(w, ANA)).toMatchObject({ text: null, deleted_at: expect.any(String) })
    expect(codeOf(await engine(w, id, 'message/markread', { message_id }))).toEqual([409, 'invalid_state'])
  })

  test('are refused for a message that the network never accepted', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const { body } = await w.api('POST', `/v1/instances/${id}/messages`, { to: '12025550404', text: 'x' })
    const { message_id } = body
    expect(codeOf(await engine(w, id, 'message/edit', { message_id, text: 'y' }))).toEqual([409, 'invalid_state'])
  })

  test('do not find messages of another instance', async () => {
    const w = await worldOfTest()
    const [one, other] = [await w.pair(), await w.pair()]
    const { body } = await w.api('POST', `/v1/instances/${one.id}/messages`, { to: ANA, text: 'x' })
    for (const message_id of [body.message_id, 'msg_', "' OR 1=1 --"]) {
      const answer = await engine(w, other.id, 'message/react', { message_id, emoji: '👍' })
      expect(codeOf(answer)).toEqual([404, 'not_found'])
    }
  })

  test('on people and groups return their results', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    const result = async (action: string, body?: object) => (await engine(w, id, action, body)).body.result
    expect(await result('user/check', { numbers: [ANA, '12025550404'] })).toEqual({
      numbers: [
        { number: ANA, exists: true, canonical: ANA },
        { number: '12025550404', exists: false, canonical: null },
      ],
    })
    expect(await result('user/info', { number: ANA })).toMatchObject({
      number: ANA,
      name: 'Sandbox phone 0301',
      business: false,
    })
    expect(await result('user/avatar', { number: ANA })).toEqual({
      number: ANA,
      url: 'https://media.sandbox/image.png',
    })
    expect(await result('user/block', { number: ANA })).toEqual({ number: ANA, blocked: true })
    expect(await result('user/unblock', { number: ANA })).toEqual({ number: ANA, blocked: false })

    const made = await result('group/create', { name: 'Family', participants: [ANA] })
    const { group_id } = made.group
    expect(made).toEqual({
      group: {
        ...{
          group_id,
          kind: 'group',
          community_id: null,
          name: 'Family',
          owner: us,
          created_at: new Date(w.clock.now()).toISOString(),
        },
        ...{ description: null, announce: false, locked: false, join_approval: false, member_add: 'admins' },
        participants: [
          { number: us, admin: true },
          { number: ANA, admin: false },
        ],
      },
      participants: [{ number: ANA, done: true, reason: null }],
    })
    expect(await result('group/list')).toEqual({ groups: [made.group] })
    expect(await result('group/info', { group_id })).toEqual(made.group)
    expect(await result('group/participant', { group_id, change: 'promote', participants: [ANA, BEN] })).toEqual({
      group_id,
      participants: [
        { number: ANA, done: true, reason: null },
        { number: BEN, done: false, reason: 'not_member' },
      ],
    })
    expect((await result('group/invitelink', { group_id })).link).toMatch(/^https:\/\/chat\.sandbox\//)
    expect(await result('group/subject', { group_id, name: 'Team B' })).toEqual({ group_id, name: 'Team B' })
    expect(await result('group/description', { group_id, description: 'About plants' })).toMatchObject({ group_id })
    expect(await result('group/settings', { group_id, announce: true })).toEqual({ group_id, announce: true })
    expect(await result('group/settings', { group_id, locked: true })).toEqual({ group_id, locked: true })
    expect(await result('group/info', { group_id })).toMatchObject({
      ...{ name: 'Team B', description: 'About plants', announce: true, locked: true },
    })
    await result('group/description', { group_id })
    await result('group/settings', { group_id, announce: false, locked: false })
    expect(await result('group/info', { group_id })).toMatchObject({
      description: null,
      announce: false,
      locked: false,
    })
    expect(await result('group/leave', { group_id })).toEqual({ group_id, left: true })
    expect(await result('group/list', {})).toEqual({ groups: [] })
  })

  test('require a connected instance, and are executed again when repeated with the same Idempotency-Key', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const key = { 'idempotency-key': 'act-1' }
    const numbers = { numbers: [ANA] }
    for (let i = 0; i < 2; i++) {
      const answer = await engine(w, id, 'user/check', numbers, key)
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined])
    }
    await w.api('POST', `/v1/instances/${id}/disconnect`)
    for (const action of Object.entries(ACTIONS).flatMap(([group, names]) => names.map((name) => `${group}/${name}`))) {
      // The body is judged before the state: only what needs no field gets as far as the missing connection.
      expect((await engine(w, id, action, {})).status, action).toBe(
        ['group/list', 'community/list', 'channel/list', 'label/list', 'account/privacy'].includes(action) ? 409 : 400,
      )
    }
    expect(codeOf(await engine(w, id, 'user/check', numbers))).toEqual([409, 'not_ready'])
    await w.api('POST', `/v1/instances/${id}/restart`)
    await w.quiet()
    await w.api('POST', `/v1/sandbox/instances/${id}/faults`, { kind: 'engine_down' })
    expect(codeOf(await engine(w, id, 'user/check', numbers))).toEqual([502, 'upstream_unavailable'])
  })
})

describe('the action is checked before the body', () => {
  test.each(['send/react', 'message/text', 'nothing/text', 'send/nothing', '__proto__/constructor', 'send/__proto__'])(
    '%s answers 404 with any body',
    async (action) => {
      const w = await worldOfTest()
      const { id } = await w.pair()
      for (const body of [undefined, {}, { to: ANA, text: 'x' }, { nonsense: 1 }, []]) {
        expect(codeOf(await engine(w, id, action, body))).toEqual([404, 'not_found'])
      }
    },
  )

  test('every listed action exists', async () => {
    const w = await worldOfTest()
    const { id } = await w.pair()
    const names = Object.entries(ACTIONS).flatMap(([group, actions]) => actions.map((action) => `${group}/${action}`))
    expect(names).toHaveLength(63)
    for (const name of names) {
      const { status } = await engine(w, id, name, { to: ANA, emoji: 'x', renew: true })
      expect(status, name).toBe(400)
    }
  })

  test('actions of the other engine are refused', async () => {
    const w = await worldOfTest()
    const [smv2, official] = [await w.pair(), await w.official()]
    expect(codeOf(await engine(w, official.id, 'send/text', { to: ANA, text: 'x' }))).toEqual([400, 'engine_mismatch'])
    expect(codeOf(await raw(w, smv2.id, { to: ANA, text: { body: 'x' } }))).toEqual([400, 'engine_mismatch'])
    expect(codeOf(await w.api('GET', `/v1/instances/${smv2.id}/templates`))).toEqual([400, 'engine_mismatch'])
  })

  test('a restricted key has access only to its own instances, and needs the scope', async () => {
    const w = await worldOfTest()
    const [mine, other] = [await w.pair(), await w.pair()]
    const { key } = await w.key({ instances: [mine.id] })
    const path = (id: string) => `/v1/instances/${id}/engine/smv2/user/check`
    expect((await w.api('POST', path(mine.id), { numbers: [ANA] }, { key })).status).toBe(200)
    expect(codeOf(await w.api('POST', path(other.id), { numbers: [ANA] }, { key }))).toEqual([404, 'not_found'])
    const { key: reader } = await w.key({ scopes: ['messages:read'] })
    expect(codeOf(await w.api('POST', path(mine.id), {}, { key: reader }))).toEqual([403, 'insufficient_scope'])
  })
})

describe('raw payloads of the Cloud API', () => {
  const parameters = ['Ana', '1042'].map((text) => ({ type: 'text', text }))
  const template = {
    ...{ name: 'order_update', language: { code: 'en' }, someFutureKey: { camelCase: [1, 2] } },
    components: [{ type: 'body', parameters }],
  }

  test('are sent unchanged and become messages like any other', async () => {
    const w = await worldOfTest()
    const { id } = await w.official()
    const mark = await w.mark()
    const payload = { messaging_product: 'whatsapp', to: `+${ANA}`, type: 'template', template, brand_new: true }
    const sent = await raw(w, id, payload, { 'idempotency-key': 'raw-1' })
    expect([sent.status, sent.body]).toEqual([
      201,
      { engine: 'official', sent: true, message_id: expect.stringMatching(/^msg_/) },
    ])
    expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered', 'message.read'])
    expect(await record(w, id, sent.body.message_id)).toMatchObject({ to: ANA, type: 'template', status: 'read' })
    expect((await lastOf(w, ANA)).cloud_api).toEqual(payload)
    const again = await raw(w, id, payload, { 'idempotency-key': 'raw-1' })
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([sent.text, 'true'])
    const found = await w.api('GET', `/v1/instances/${id}/messages?idempotency_key=raw-1`)
    expect(found.body.message_id).toBe(sent.body.message_id)
  })

  test.each([
    [{}, 'to is missing'],
    [{ to: 'somebody', text: { body: 'x' } }, 'to must be'],
    [{ to: '++12025550301', text: { body: 'x' } }, 'to must be'],
    [{ to: ANA, type: 'template' }, 'template'],
    [{ to: ANA, type: 5 }, 'type'],
    [{ status: 'read' }, 'message_id'],
    [{ status: 'read', message_id: 5 }, 'message_id'],
    [{ status: 'read', message_id: 'wamid.1', typing_indicator: { type: 'audio' } }, 'typing_indicator'],
  ])('%j is refused, and no message or event is stored', async (payload, word) => {
    const w = await worldOfTest()
    const { id } = await w.official()
    const mark = await w.mark()
    const answer = await raw(w, id, payload)
    expect(codeOf(answer)).toEqual([400, 'validation_error'])
    expect(answer.body.error.message).toContain(word)
    expect(await w.typesSince(mark)).toEqual([])
    expect(await w.rows('SELECT id FROM messages')).toEqual([])
  })

  test('show the quoted message on the phone while it exists, except for templates', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.official()
    const said = await say(w, ANA, us)
    const { message_id } = await heard(w)
    const bens = await say(w, BEN, us)
    const quotedBy = async (context: unknown, more: object = { type: 'text', text: { body: 'Yes' } }) => {
      expect((await raw(w, id, { to: ANA, ...more, context })).status).toBe(201)
      return (await lastOf(w, ANA)).quoted_message_id
    }
    expect(await quotedBy({ message_id: said.id })).toBe(said.id)
    const ours = (await lastOf(w, ANA)).id
    const place = { type: 'location', location: { latitude: 1, longitude: 2 } }
    expect(await quotedBy({ message_id: ours }, place)).toBe(ours)
    const template = { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } }
    expect(await quotedBy({ message_id: said.id }, template)).toBeNull()
    // Meta knows its own ids alone.
    for (const context of [
      { message_id },
      { message_id: bens.id },
      { message_id: 'wamid.none' },
      { message_id: 5 },
      'x',
      null,
    ])
      expect(await quotedBy(context), JSON.stringify(context)).toBeNull()
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${said.id}/delete`)
    expect(await quotedBy({ message_id: said.id })).toBeNull()
  })

  test('mark a received message as read by either of its ids', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.official()
    const said = await say(w, ANA, us)
    const { message_id } = await heard(w)
    const mark = await w.mark()
    for (const name of [message_id, said.id]) {
      const answer = await raw(w, id, { messaging_product: 'whatsapp', status: 'read', message_id: name })
      expect([answer.status, answer.body]).toEqual([200, { engine: 'official', success: true }])
      const typing = { status: 'read', message_id: name, typing_indicator: { type: 'text' } }
      expect((await raw(w, id, typing)).status).toBe(200)
    }
    expect(codeOf(await raw(w, id, { status: 'read', message_id: 'wamid.none' }))).toEqual([404, 'not_found'])
    expect(await w.typesSince(mark)).toEqual([])
  })
})

test('a message is pinned on every phone that has it, for 7 days by default', async () => {
  const w = await worldOfTest()
  const { id, phone_number: us } = await w.pair()
  await say(w, ANA, us)
  const { message_id } = await heard(w)
  const sent = await engine(w, id, 'send/text', { to: ANA, text: 'The address' })
  await w.quiet()
  const pin = async (fields: object) => (await engine(w, id, 'message/pin', fields)).body.result
  const ours = sent.body.message_id
  expect(await pin({ message_id: ours, pinned: true })).toEqual({ message_id: ours, pinned: true, for: 7 })
  const { details } = await lastOf(w, ANA)
  expect(Date.parse(details.pinned_until) - w.clock.now()).toBe(7 * 86_400_000)
  expect(await pin({ message_id: ours, pinned: false })).toEqual({ message_id: ours, pinned: false, for: null })
  expect((await lastOf(w, ANA)).details).toBeNull()
  expect(await pin({ message_id, pinned: true, for: 30 })).toMatchObject({ for: 30 })
  for (const wrong of [{ pinned: true, for: 3 }, { pinned: false, for: 7 }, {}])
    expect(codeOf(await engine(w, id, 'message/pin', { message_id, ...wrong }))).toEqual([400, 'validation_error'])
  expect(codeOf(await engine(w, id, 'account/privacy', { privacy: {} }))).toEqual([400, 'validation_error'])
})

test.each([
  ['chat/disappearing', { to: ANA }],
  ['chat/disappearing', { to: ANA, seconds: 60 }],
  ['chat/info', {}],
  ['group/settings', { group_id: '120363@g.us' }],
  ['group/settings', { group_id: '120363@g.us', member_add: 'nobody' }],
  ['group/approve', { group_id: '120363@g.us' }],
  ['group/approve', { group_id: '120363@g.us', participants: [] }],
  ['group/requests', { group_id: '120363@g.us', participants: [ANA] }],
])('%s with %j is refused', async (name, fields) => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  expect(codeOf(await engine(w, id, name, fields))).toEqual([400, 'validation_error'])
})

describe('a forwarded message', () => {
  test('is a message like any other, marked as forwarded, from any chat and either side', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    await say(w, ANA, us, { media_type: 'image', caption: 'Our garden' })
    const { message_id } = await heard(w)
    const mark = await w.mark()
    const key = { 'idempotency-key': 'forward-1' }
    const sent = await engine(w, id, 'message/forward', { message_id, to: BEN }, key)
    expect([sent.status, sent.body]).toEqual([
      201,
      { engine: 'smv2', sent: true, message_id: expect.stringMatching(/^msg_/) },
    ])
    expect(await w.typesSince(mark)).toEqual(['message.sent', 'message.delivered', 'message.read'])
    expect(await record(w, id, sent.body.message_id)).toMatchObject({ to: BEN, type: 'image', status: 'read' })
    const onPhone = { type: 'image', media: { caption: 'Our garden' }, details: { forwarded: true } }
    expect(await lastOf(w, BEN)).toMatchObject({ message_id: sent.body.message_id, ...onPhone })
    const again = await engine(w, id, 'message/forward', { message_id, to: BEN }, key)
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([sent.text, 'true'])

    const ours = await engine(w, id, 'message/forward', { message_id: sent.body.message_id, to: ANA })
    expect(ours.status).toBe(201)
    await w.quiet()
    expect(await lastOf(w, ANA)).toMatchObject({ message_id: ours.body.message_id, ...onPhone })
  })

  test('is marked as forwarded in the chat, and keeps the mark of frequent forwarding', async () => {
    const w = await worldOfTest()
    const { id, phone_number: us } = await w.pair()
    await say(w, ANA, us, { text: 'Chain letter', forwarded: true, frequently_forwarded: true })
    const { message_id, ...said } = await heard(w)
    expect(said).toMatchObject({ forwarded: true, frequently_forwarded: true })
    await engine(w, id, 'message/forward', { message_id, to: BEN })
    await say(w, ANA, us)
    await engine(w, id, 'message/forward', { message_id: (await heard(w)).message_id, to: BEN })
    await w.quiet()
    const { data } = (await asConsole(w)('GET', `/v1/instances/${id}/conversations/${BEN}/messages`)).body
    expect(data).toMatchObject([
      { forwarded: true, frequently_forwarded: false },
      { forwarded: true, frequently_forwarded: true },
    ])
  })

  test('brings its file to another instance', async () => {
    const w = await worldOfTest()
    const [shop, other] = [await w.pair(), await w.pair()]
    await say(w, ANA, shop.phone_number, { media_type: 'image' })
    const { message_id } = await heard(w)
    await engine(w, shop.id, 'message/forward', { message_id, to: other.phone_number })
    const { media } = await heard(w)
    const url = `/v1/instances/${other.id}/media/${encodeURIComponent(media.id)}`
    const headers = { host: w.host, authorization: `Bearer ${w.allScopes}` }
    const file = await w.service.door.app.inject({ method: 'GET', url, headers })
    expect(file.rawPayload).toEqual(sampleOf('image').bytes)
  })

  test('must exist, not be deleted and not be view-once; otherwise nothing is sent', async () => {
    const w = await worldOfTest()
    const [{ id, phone_number: us }, other] = [await w.pair(), await w.pair()]
    const said = await say(w, ANA, us)
    const { message_id } = await heard(w)
    const forward = async (message: string, instance = id) =>
      codeOf(await engine(w, instance, 'message/forward', { message_id: message, to: BEN }))
    expect(await forward('msg_none')).toEqual([404, 'not_found'])
    expect(await forward(message_id, other.id)).toEqual([404, 'not_found'])
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${said.id}/delete`)
    await w.quiet()
    expect(await forward(message_id)).toEqual([409, 'invalid_state'])
    await say(w, ANA, us, { media_type: 'image', view_once: true })
    expect(await forward((await heard(w)).message_id)).toEqual([409, 'invalid_state'])
    expect(codeOf(await engine(w, id, 'message/forward', { to: BEN }))).toEqual([400, 'validation_error'])
    expect(await lastOf(w, BEN)).toBeUndefined()
  })
})

describe('templates', () => {
  test('are listed in pages, and a cursor is valid only for its instance', async () => {
    const w = await worldOfTest()
    const [one, other] = [await w.official(), await w.official()]
    const names: string[] = []
    let cursor = ''
    do {
      const { body } = await w.api('GET', `/v1/instances/${one.id}/templates?limit=2${cursor && `&cursor=${cursor}`}`)
      names.push(...body.data.map(({ name }: { name: string }) => name))
      expect(body.has_more).toBe(body.next_cursor !== null)
      cursor = body.next_cursor ?? ''
      if (cursor === '') break
      const foreign = await w.api('GET', `/v1/instances/${other.id}/templates?cursor=${cursor}`)
      expect(codeOf(foreign)).toEqual([400, 'invalid_cursor'])
    } while (cursor !== '')
    expect(names).toEqual(['hello_world', 'order_update', 'spring_offer'])
  })

  test('cannot be listed before the instance has a number', async () => {
    const w = await worldOfTest()
    const { id } = await w.instance({ engine: 'official' })
    expect(codeOf(await w.api('GET', `/v1/instances/${id}/templates`))).toEqual([409, 'not_ready'])
  })
})

describe('received files', () => {
  test('are downloaded unchanged by the media.id of the event, always as an attachment', async () => {
    const w = await worldOfTest()
    const [{ id, phone_number: us }, other] = [await w.pair(), await w.pair()]
    const filename = 'Cat "ä\r\nX: y.png'
    const safeName = 'Cat "äX: y.png'
    await say(w, ANA, us, { media_type: 'image', filename })
    const { media } = await heard(w)
    const { service } = w
    const get = (instanceId: string, mediaId: string) =>
      service.door.app.inject({
        method: 'GET',
        url: `/v1/instances/${instanceId}/media/${encodeURIComponent(mediaId)}`,
        headers: { host: w.host, authorization: `Bearer ${w.allScopes}` },
      })
    const file = await get(id, media.id)
    expect(file.statusCode).toBe(200)
    expect(file.rawPayload).toEqual(sampleOf('image').bytes)
    expect(file.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(media.size),
      'x-content-type-options': 'nosniff',
    })
    const disposition = String(file.headers['content-disposition'])
    expect(disposition).toMatch(/^attachment; filename="Cat __X: y\.png"; filename\*=UTF-8''/)
    expect(decodeURIComponent(disposition.split("''")[1] ?? '')).toBe(safeName)

    expect((await get(other.id, media.id)).statusCode).toBe(404)
    for (const none of ['nothing', '..', "' OR 1=1 --", '\u0000']) expect((await get(id, none)).statusCode).toBe(404)
    expect((await w.api('GET', `/v1/instances/${id}/media/${media.id}`)).status).toBe(200)
  })

  test('are available on both engines and while disconnected, but not after the message was deleted', async () => {
    const w = await worldOfTest()
    const [{ id, phone_number: us }, smv2] = [await w.official(), await w.pair()]
    const said = await say(w, ANA, us, { media_type: 'document' })
    const { media } = await heard(w)
    expect((await w.api('GET', `/v1/instances/${id}/media/${media.id}`)).status).toBe(200)
    await w.api('POST', `/v1/sandbox/phones/${ANA}/messages/${said.id}/delete`)
    expect(codeOf(await w.api('GET', `/v1/instances/${id}/media/${media.id}`))).toEqual([404, 'not_found'])

    await say(w, ANA, smv2.phone_number, { media_type: 'audio' })
    const audio = (await heard(w)).media
    await w.api('POST', `/v1/instances/${smv2.id}/disconnect`)
    expect((await w.api('GET', `/v1/instances/${smv2.id}/media/${audio.id}`)).status).toBe(200)
  })
})
