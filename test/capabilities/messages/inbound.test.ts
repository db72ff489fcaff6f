import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EngineSignal } from '../../../main/engines/engine.ts'
import { toThreadMessage } from '../../../main/capabilities/messages/conversation-record.ts'
import { accepted, bench, idIn, INSTANCE, OTHER_INSTANCE, TEXT, type Bench } from './bench.ts'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const PERSON = '12025550199'

type Received = Extract<EngineSignal, { kind: 'received' }>

const received = (more: Partial<Received> = {}): Received => ({
  kind: 'received',
  engineMessageId: 'N1',
  chat: PERSON,
  from: PERSON,
  fromMe: false,
  atMs: b.clock.now(),
  type: 'text',
  text: 'Hi',
  isGroup: false,
  pushName: 'Ana',
  media: null,
  quotedEngineMessageId: null,
  participant: null,
  referral: null,
  fromLid: null,
  ...more,
})
const spoken = (engineMessageId = 'N1', atMs = b.clock.now()) => ({
  engineMessageId,
  chat: PERSON,
  from: PERSON,
  fromMe: false,
  atMs,
})
const hear = (signal: Parameters<typeof b.messages.onSignal>[1]) => b.messages.onSignal(INSTANCE, signal)
const row = () => b.raw.prepare('SELECT * FROM messages ORDER BY seq DESC LIMIT 1').get() as Record<string, unknown>
const count = () => (b.raw.prepare('SELECT count(*) AS n FROM messages').get() as { n: number }).n

describe('a received file that is not downloaded yet', () => {
  const media = { id: 'M1', mimeType: 'image/png', size: 12, filename: null, caption: 'Look' }
  const arrived = { kind: 'media_arrived', engineMessageId: 'N1', mediaId: 'M1', size: 15 } as const
  const stored = () => JSON.parse(String(row()['media'])) as unknown
  const common = { id: 'M1', mime_type: 'image/png', filename: null, caption: 'Look' }

  test('is reported as pending, and its message is updated without another event once the file arrives', async () => {
    await hear(received({ type: 'image', media: { ...media, pending: true } }))
    expect(b.lastData()['media']).toEqual({ ...common, size: 12, pending: true })
    b.events()
    expect(await b.messages.mediaArrived(OTHER_INSTANCE, arrived)).toBeUndefined()
    expect(await b.messages.mediaArrived(INSTANCE, { ...arrived, mediaId: 'M2' })).toBeUndefined()
    expect(stored()).toEqual({ ...common, size: 12, pending: true })
    expect(await b.messages.mediaArrived(INSTANCE, arrived)).toBe(b.accountId)
    expect(stored()).toEqual({ ...common, size: 15 })
    expect(await b.messages.mediaArrived(INSTANCE, arrived)).toBeUndefined()
    expect(b.events()).toEqual([])
  })
})

describe('a received message', () => {
  test('has a media preview in the console, but not in its event', async () => {
    const preview = { seconds: 7, waveform: [0, 100], thumbnail: '/9j/' }
    const media = { id: 'M1', mimeType: 'audio/ogg', size: 12, filename: null, caption: null }
    await hear(received({ type: 'audio', text: '', media: { ...media, preview } }))
    expect(b.lastData()['media']).not.toHaveProperty('preview')
    const [said] = (await b.messages.thread(INSTANCE, PERSON, {})).data
    const shown = { ...preview, thumbnail: 'data:image/jpeg;base64,/9j/' }
    expect(said && toThreadMessage(INSTANCE, said).media).toMatchObject({ preview: shown })
  })

  test('is stored and reported once, with everything the network sent', async () => {
    const media = { id: 'M1', mimeType: 'image/png', size: 12, filename: null, caption: 'Look' }
    await hear(received({ type: 'image', text: '', media, referral: { source: 'ad' }, fromLid: '99@lid' }))
    expect(b.events()).toEqual(['message.received'])
    expect(b.lastData()).toEqual({
      message_id: row()['id'],
      chat: PERSON,
      from: PERSON,
      from_me: false,
      is_group: false,
      chat_type: 'person',
      type: 'image',
      text: '',
      timestamp: '2026-01-05T12:00:00.000Z',
      push_name: 'Ana',
      media: { id: 'M1', mime_type: 'image/png', size: 12, filename: null, caption: 'Look' },
      quoted_message_id: null,
      participant: null,
      referral: { source: 'ad' },
      content: null,
      view_once: false,
      forwarded: false,
      frequently_forwarded: false,
      from_lid: '99@lid',
    })
    expect(row()).toMatchObject({ direction: 'in', status: null, source: null, sender: PERSON, push_name: 'Ana' })
  })

  test('has the chat type person, group or channel, and a message in a channel cannot be replied to', async () => {
    const types = []
    for (const [chat, isGroup] of [
      [PERSON, false],
      ['US.13491208655302741918', false],
      ['120363041234567890@g.us', true],
      ['120363041234567890@newsletter', true],
    ] as const) {
      await hear(received({ chat, from: chat, isGroup, engineMessageId: chat }))
      types.push([b.lastData()['chat_type'], b.lastData()['is_group']])
    }
    expect(types).toEqual([
      ['person', false],
      ['person', false],
      ['group', true],
      ['channel', true],
    ])
    await expect(b.messages.getRef(INSTANCE, String(row()['id']))).rejects.toMatchObject({ code: 'invalid_state' })
    expect((await b.messages.thread(INSTANCE, '120363041234567890@newsletter', {})).data).toHaveLength(1)
  })

  test('has no from_lid if the number is known', async () => {
    await hear(received())
    expect(b.lastData()).not.toHaveProperty('from_lid')
  })

  test('is stored and reported once even if repeated, and separately in another chat or instance', async () => {
    await Promise.all([hear(received()), hear(received()), hear(received())])
    await hear(received())
    expect([count(), b.events()]).toEqual([1, ['message.received']])
    await hear(received({ chat: '120363041234567890@g.us', isGroup: true, participant: PERSON }))
    await b.messages.onSignal(OTHER_INSTANCE, received())
    expect(b.events()).toEqual(['message.received', 'message.received'])
  })

  test('is recognized as a repeat after a restart', async () => {
    await hear(received())
    await b.reopen()
    await hear(received())
    expect(b.events()).toEqual(['message.received'])
  })

  test('names the quoted message by its message_id, or by the id of the network if it is not stored', async () => {
    b.engine.plan = async () => accepted('E1')
    const ours = idIn(await b.send(TEXT))
    await hear(received({ quotedEngineMessageId: 'E1' }))
    expect(b.lastData()['quoted_message_id']).toBe(ours)
    const theirs = row()['id']
    await hear(received({ engineMessageId: 'N2', quotedEngineMessageId: 'N1' }))
    expect(b.lastData()['quoted_message_id']).toBe(theirs)
    await hear(received({ engineMessageId: 'N3', quotedEngineMessageId: 'before-our-time' }))
    expect(b.lastData()['quoted_message_id']).toBe('before-our-time')
  })

  test('has its content besides text, and whether it is view-once', async () => {
    const content = {
      type: 'location' as const,
      ...{ latitude: 52.5, longitude: 13.4, name: 'Shop', address: null, url: null, live: false },
    }
    await hear(received({ type: 'location', text: 'Shop', content, viewOnce: true }))
    expect(b.lastData()).toMatchObject({ type: 'location', text: 'Shop', content, view_once: true })
    const { data } = await b.messages.thread(INSTANCE, PERSON, {})
    expect(toThreadMessage(INSTANCE, data[0]!)).toMatchObject({ content, view_once: true, poll: null })
  })

  test.each([
    ['forwarded', { forwarded: true, frequently_forwarded: false }],
    ['frequently', { forwarded: true, frequently_forwarded: true }],
    [null, { forwarded: false, frequently_forwarded: false }],
  ] as const)('with the forward mark %s shows it in the event and in the chat', async (forwarded, shown) => {
    await hear(received({ forwarded }))
    expect(b.lastData()).toMatchObject(shown)
    const { data } = await b.messages.thread(INSTANCE, PERSON, {})
    expect(toThreadMessage(INSTANCE, data[0]!)).toMatchObject(shown)
  })

  test('without content that turns out to be forwarded shows the mark', async () => {
    await hear(received({ type: 'unavailable', text: '' }))
    await hear(received({ forwarded: 'frequently' }))
    expect(b.lastData()).toMatchObject({ forwarded: true, frequently_forwarded: true })
    const { data } = await b.messages.thread(INSTANCE, PERSON, {})
    expect(toThreadMessage(INSTANCE, data[0]!)).toMatchObject({ forwarded: true, frequently_forwarded: true })
  })

  test('without content is reported once more, with the same id, when its content arrives', async () => {
    const content = { type: 'unavailable', reason: 'undecryptable', kind: null } as const
    await hear(received({ type: 'unavailable', text: '', content }))
    await hear(received({ type: 'unavailable', text: '', content }))
    const id = row()['id']
    expect(b.events()).toEqual(['message.received'])
    expect(b.lastData()).toMatchObject({ type: 'unavailable', content })
    for (let repeat = 0; repeat < 2; repeat++) await hear(received({ text: 'Tell me more' }))
    expect(b.events()).toEqual(['message.received'])
    expect(b.lastData()).toMatchObject({ message_id: id, type: 'text', text: 'Tell me more', content: null })
    expect([count(), row()['type'], row()['text']]).toEqual([1, 'text', 'Tell me more'])
  })

  test('has no status record', async () => {
    await hear(received())
    await expect(b.messages.get(INSTANCE, String(row()['id']))).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a message typed on the instance’s own phone', () => {
  test('is announced as received with from_me, and has a status record with source phone', async () => {
    await hear(received({ fromMe: true, from: '12025550100' }))
    expect(b.events()).toEqual(['message.received'])
    expect(b.lastData()).toMatchObject({ from_me: true, from: '12025550100' })
    expect(await b.messages.get(INSTANCE, String(row()['id']))).toMatchObject({
      source: 'phone',
      status: 'sent',
      chat: PERSON,
    })
  })

  test('is not created for the echo of a message sent through the API', async () => {
    b.engine.plan = async () => accepted('E1')
    await b.send(TEXT)
    b.events()
    await hear(received({ engineMessageId: 'E1', chat: TEXT.to, fromMe: true, from: '12025550100' }))
    expect([count(), b.events()]).toEqual([1, []])
  })
})

describe('an edit', () => {
  test('changes the text and is reported once with the message_id', async () => {
    await hear(received())
    const id = row()['id']
    b.events()
    const edit = { kind: 'edited', ...spoken(), text: 'Hi there' } as const
    await hear(edit)
    await hear(edit)
    expect(b.events()).toEqual(['message.edited'])
    expect(b.lastData()).toEqual({
      message_id: id,
      chat: PERSON,
      from: PERSON,
      from_me: false,
      text: 'Hi there',
      edited_at: '2026-01-05T12:00:00.000Z',
    })
    expect(row()['text']).toBe('Hi there')
  })

  test('is ignored if it is older than the last edit, and applied if it has the same time', async () => {
    await hear(received())
    b.events()
    const at = b.clock.now()
    await hear({ kind: 'edited', ...spoken('N1', at), text: 'new' })
    await hear({ kind: 'edited', ...spoken('N1', at - 1), text: 'old' })
    await hear({ kind: 'edited', ...spoken('N1', at), text: 'newer' })
    expect(b.events()).toEqual(['message.edited', 'message.edited'])
    expect(row()['text']).toBe('newer')
  })

  test('of a message that is not stored is reported with the id of the network', async () => {
    await hear({ kind: 'edited', ...spoken('before-our-time'), text: 'x' })
    expect(b.lastData()['message_id']).toBe('before-our-time')
  })
})

test('a deletion is reported once with the person who deleted the message', async () => {
  await hear(received())
  b.events()
  const deletion = { kind: 'deleted', ...spoken(), deletedBy: PERSON } as const
  await hear(deletion)
  await hear(deletion)
  expect(b.events()).toEqual(['message.deleted'])
  expect(b.lastData()).toMatchObject({ deleted_by: PERSON, deleted_at: '2026-01-05T12:00:00.000Z' })
  expect(row()['deleted_at']).toBe(b.clock.now())
})

describe('a reaction', () => {
  const react = (emoji: string, more: object = {}) => hear({ kind: 'reaction', ...spoken(), emoji, ...more })

  test('is reported when it is set, changed and removed, but not when it is repeated', async () => {
    await hear(received())
    b.events()
    for (const emoji of ['👍', '👍', '❤️', '', '']) await react(emoji)
    expect(b.events()).toEqual(['message.reaction', 'message.reaction', 'message.reaction'])
    expect(b.lastData()).toMatchObject({ emoji: '', message_id: row()['id'] })
  })

  test('is kept for each person, and an older one does not replace a newer one', async () => {
    await hear(received())
    b.events()
    await react('👍')
    await react('👍', { from: '12025550177' })
    await react('😀', { atMs: b.clock.now() - 1 })
    expect(b.events()).toEqual(['message.reaction', 'message.reaction'])
  })

  test('to a sent message contains its message_id', async () => {
    b.engine.plan = async () => accepted('E1')
    const id = idIn(await b.send(TEXT))
    await hear({ kind: 'reaction', ...spoken('E1'), emoji: '👍' })
    expect(b.lastData()['message_id']).toBe(id)
  })
})
