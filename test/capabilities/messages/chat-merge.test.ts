import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bench, INSTANCE, OTHER_INSTANCE, settle, TEXT, type Bench } from './bench.ts'

const HIDDEN = 'US.13491208655302741918'
const NUMBER = '12025550101'

let b: Bench
beforeEach(async () => {
  b = await bench()
})
afterEach(() => b.close())

const heard = (chat: string, id: string, instance = INSTANCE) =>
  b.messages.onSignal(instance, {
    kind: 'received',
    ...{ engineMessageId: id, chat, from: chat, fromMe: false, atMs: b.clock.now(), type: 'text', text: id },
    ...{ isGroup: false, pushName: null, media: null, quotedEngineMessageId: null, participant: null, referral: null },
    fromLid: chat === HIDDEN ? HIDDEN : null,
  })
const shown = () => b.learn(HIDDEN, NUMBER)
const rows = (text: string) => b.raw.prepare(text).all()
const chats = () => rows('SELECT chat, sender, engine_message_id AS id FROM messages ORDER BY seq')

test('messages from before a hidden number was known move to the chat of the number', async () => {
  await heard(HIDDEN, 'a')
  await heard(NUMBER, 'b')
  await shown()
  expect(chats()).toEqual([
    { chat: NUMBER, sender: NUMBER, id: 'a' },
    { chat: NUMBER, sender: NUMBER, id: 'b' },
  ])
  expect(b.events()).toEqual(['message.received', 'message.received'])
})

test('a repeated merge changes nothing, and other chats and instances stay unchanged', async () => {
  await heard(HIDDEN, 'a', OTHER_INSTANCE)
  await heard('US.999', 'b')
  await shown()
  await shown()
  expect(chats()).toMatchObject([{ chat: HIDDEN }, { chat: 'US.999' }])
})

test('more messages than fit in one transaction are moved', async () => {
  for (let i = 0; i < 1_100; i++) await heard(HIDDEN, `m${i}`)
  await shown()
  expect(rows(`SELECT count(*) AS n FROM messages WHERE chat = '${NUMBER}'`)).toEqual([{ n: 1_100 }])
})

test('a merge that was interrupted before the messages moved continues after a restart', async () => {
  await heard(HIDDEN, 'a')
  await b.learn(HIDDEN, NUMBER, true)
  expect(chats()).toMatchObject([{ chat: HIDDEN }])
  await b.reopen()
  b.messages.start()
  await settle()
  expect(chats()).toMatchObject([{ chat: NUMBER }])
  expect(rows('SELECT * FROM chat_moves')).toEqual([])
})

test('the name of the chat moves along, unless the other chat has a name', async () => {
  b.raw.prepare('INSERT INTO chat_names VALUES (?, ?, ?)').run(INSTANCE, HIDDEN, 'Ana')
  await shown()
  expect(rows('SELECT chat, name FROM chat_names')).toEqual([{ chat: NUMBER, name: 'Ana' }])
})

describe('a chat keeps the first spelling of its number', () => {
  const given = '525512345678'
  const ofNetwork = '5215512345678'

  test('when the network replies with another spelling', async () => {
    await b.send({ ...TEXT, to: given })
    await heard(ofNetwork, 'a')
    expect(chats()).toMatchObject([{ chat: given }, { chat: given, sender: given }])
    expect(b.lastData()).toMatchObject({ chat: given, from: given })
  })

  test('when a message is sent with another spelling than the person’s first message', async () => {
    await heard(ofNetwork, 'a')
    await b.send({ ...TEXT, to: given })
    expect(chats()).toMatchObject([{ chat: ofNetwork }, { chat: ofNetwork }])
    expect(b.engine.asked).toMatchObject([{ out: { to: given } }])
  })
})

test('reactions move along, and each person keeps one reaction', async () => {
  await heard(HIDDEN, 'a')
  const react = (from: string, emoji: string, atMs: number) =>
    b.messages.onSignal(INSTANCE, {
      kind: 'reaction',
      engineMessageId: 'a',
      chat: from,
      from,
      fromMe: false,
      emoji,
      atMs,
    })
  await react(HIDDEN, '👍', b.clock.now())
  await shown()
  await react(NUMBER, '❤️', b.clock.now() + 1_000)
  expect(rows('SELECT sender, emoji FROM message_reactions')).toEqual([{ sender: NUMBER, emoji: '❤️' }])
})

test('a message that exists in both chats is not moved', async () => {
  await heard(HIDDEN, 'a')
  await heard(NUMBER, 'a')
  await shown()
  expect(chats()).toMatchObject([{ chat: HIDDEN }, { chat: NUMBER }])
})

test('the list of chats shows one chat after the merge instead of two', async () => {
  await heard(HIDDEN, 'a')
  await heard(NUMBER, 'b')
  const list = async () => (await b.messages.conversations(INSTANCE, {})).data.map(({ chat }) => chat)
  expect((await list()).toSorted()).toEqual([NUMBER, HIDDEN])
  await shown()
  expect(await list()).toEqual([NUMBER])
})

test('a status that contains only the message id of the network updates its message', async () => {
  await b.send(TEXT)
  const [{ id, wamid }] = rows('SELECT id, engine_message_id AS wamid FROM messages') as [{ id: string; wamid: string }]
  await b.messages.onSignal(INSTANCE, {
    kind: 'receipt',
    messageId: null,
    engineMessageId: wamid,
    status: 'delivered',
    atMs: b.clock.now(),
  })
  expect(await b.messages.get(INSTANCE, id)).toMatchObject({ status: 'delivered' })
  await b.messages.onSignal(OTHER_INSTANCE, {
    kind: 'receipt',
    messageId: null,
    engineMessageId: wamid,
    status: 'read',
    atMs: b.clock.now(),
  })
  await b.messages.onSignal(INSTANCE, {
    kind: 'receipt',
    messageId: null,
    engineMessageId: 'unknown',
    status: 'read',
    atMs: b.clock.now(),
  })
  expect(await b.messages.get(INSTANCE, id)).toMatchObject({ status: 'delivered' })
})
