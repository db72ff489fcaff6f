import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'
import { listenForObjections } from './objections.ts'

const OURS = '12025550200'
const ANA = '12025550101'
const BEN = '12025550102'

let world: LineWorld
let shop: EngineInstance
let objections: readonly string[]

beforeAll(async () => {
  const listening = listenForObjections()
  objections = listening.heard
  world = await lineWorld({ log: listening.log })
  shop = await world.connect(OURS)
})
afterAll(() => world.close())
beforeEach(() => {
  world.forget()
})

const edited = () => world.of(shop, 'edited')
const names = ['number', 'lid'] as const
const pairs = names.flatMap((author) => names.map((by) => ({ author, by })))
const MESSAGE_EDIT = 14

/** Everything before it has been told. */
async function afterAllElse(from: string): Promise<void> {
  const id = await world.whatsapp.phone(from).say(OURS, 'Last')
  await world.heard(shop, 'received', ({ engineMessageId }) => engineMessageId === id)
}

describe.each(pairs)('an encrypted edit with the author as $author and the editor as $by', ({ author, by }) => {
  test('of a received message is reported', async () => {
    const ana = world.whatsapp.phone(ANA)
    const id = await ana.say(OURS, 'At for')
    await ana.editSealed(id, { conversation: 'At four' }, { kind: 'message', author, by })
    expect(await world.heard(shop, 'edited')).toMatchObject({
      ...{ engineMessageId: id, chat: ANA, from: ANA, fromMe: false, text: 'At four' },
    })
  })

  test('of a message typed on the own phone is reported', async () => {
    const id = await world.whatsapp.phone(OURS).say(ANA, 'At for')
    const content = { protocolMessage: { type: MESSAGE_EDIT, key: { id }, editedMessage: { conversation: 'At four' } } }
    await world.whatsapp.phone(OURS).editSealed(id, content, { kind: 'message', author, by })
    expect(await world.heard(shop, 'edited')).toMatchObject({
      ...{ engineMessageId: id, chat: ANA, from: OURS, fromMe: true, text: 'At four' },
    })
  })

  test('in a group is reported', async () => {
    const group = world.whatsapp.group('Team', [ANA, OURS], by === 'lid' ? 'lid' : 'pn')
    const ana = world.whatsapp.phone(ANA)
    const id = await ana.say(group.id, 'At for')
    await ana.editSealed(id, { extendedTextMessage: { text: 'At four' } }, { kind: 'message', author, by })
    expect(await world.heard(shop, 'edited')).toMatchObject({ engineMessageId: id, from: ANA, text: 'At four' })
  })
})

test('encrypted changes of polls and events are not reported as messages', async () => {
  const before = objections.length
  const ana = world.whatsapp.phone(ANA)
  const id = await ana.say(OURS, 'Stands for a poll')
  for (const kind of ['poll', 'poll_option', 'event'] as const)
    await ana.editSealed(id, { conversation: 'x' }, { kind, author: 'number', by: 'number' })
  await afterAllElse(ANA)
  expect(world.of(shop, 'received').map(({ text }) => text)).toEqual(['Stands for a poll', 'Last'])
  expect(edited()).toEqual([])
  expect(objections.slice(before)).toEqual([])
})

test('a person cannot edit the message of another person', async () => {
  const before = objections.length
  const group = world.whatsapp.group('Team', [ANA, OURS, BEN], 'pn')
  const id = await world.whatsapp.phone(ANA).say(group.id, 'Meet at four')
  await until('it', () =>
    world.whatsapp
      .phone(BEN)
      .received()
      .some((one) => one.id === id),
  )
  const ben = world.whatsapp.phone(BEN)
  // With his own address as the author, and then with hers.
  await ben.editSealed(id, { conversation: 'Meet at five' }, { kind: 'message', author: 'number', by: 'number' })
  await ben.editSealed(id, { conversation: 'Meet at five' }, { kind: 'message', author: 'theirs', by: 'number' })
  await afterAllElse(BEN)
  expect(edited()).toEqual([])
  const unreadable = expect.stringContaining('smv2.edit_unreadable')
  expect(objections.slice(before)).toEqual([unreadable, unreadable])
})

test('an edit is decrypted after a restart, and an edit of an unknown message is ignored', async () => {
  const ana = world.whatsapp.phone(ANA)
  const id = await ana.say(OURS, 'At for')
  await world.heard(shop, 'received')
  await world.restart(shop)
  await ana.editSealed(id, { conversation: 'At four' }, { kind: 'message', author: 'lid', by: 'lid' })
  expect(await world.heard(shop, 'edited')).toMatchObject({ engineMessageId: id, text: 'At four' })
  const unknown = await ana.say(BEN, 'Elsewhere')
  await ana.send(OURS, {
    secretEncryptedMessage: {
      targetMessageKey: { id: unknown },
      secretEncType: 2,
      encPayload: Buffer.alloc(32),
      encIv: Buffer.alloc(12),
    },
  })
  await afterAllElse(ANA)
  expect(edited()).toHaveLength(1)
})
