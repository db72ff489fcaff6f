import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settle } from '../../support/clock.ts'
import { ANA, BEN, ENGINES, networkWorld, OURS, type NetworkWorld } from './network-world.ts'

let world: NetworkWorld
beforeEach(async () => {
  world = await networkWorld()
})
afterEach(() => world.close())

const text = (to: string, said: string) => ({ to, group: null, content: { type: 'text', text: said } })

describe.each(ENGINES)('messages from phones to %s', (name) => {
  test('reach every instance that has the number', async () => {
    const [first, second, other] = [
      await world.connected(name),
      await world.connected('smv2'),
      await world.connected(name, BEN),
    ]
    await world.network.changePhone(world.accountId, ANA, { name: 'Ana' })
    world.forget()
    const { message, instanceIds } = await world.network.speak(world.accountId, ANA, text(OURS, 'Good morning'))
    await settle()
    expect(new Set(instanceIds)).toEqual(new Set([first.id, second.id]))
    for (const instance of [first, second]) {
      expect(world.told(instance)).toEqual([
        {
          kind: 'received',
          type: 'text',
          text: 'Good morning',
          isGroup: false,
          pushName: 'Ana',
          media: null,
          quotedEngineMessageId: null,
          participant: null,
          referral: null,
          content: null,
          viewOnce: false,
          forwarded: null,
          fromLid: null,
          engineMessageId: message.id,
          chat: ANA,
          from: ANA,
          fromMe: false,
          atMs: world.clock.now(),
        },
      ])
    }
    expect(world.told(other)).toEqual([])
  })

  test('are reported as from_me to the owner of the sending phone', async () => {
    const instance = await world.connected(name)
    const { message } = await world.network.speak(world.accountId, OURS, text(ANA, 'I answer myself'))
    await settle()
    expect(world.told(instance)).toMatchObject([
      { kind: 'received', engineMessageId: message.id, chat: ANA, from: OURS, fromMe: true, text: 'I answer myself' },
    ])
    expect(await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
  })

  test('are received once by an instance that reconnects', async () => {
    const instance = await world.connected(name)
    await world.engine(name).stop(instance)
    await world.network.speak(world.accountId, ANA, text(OURS, 'one'))
    await world.network.speak(world.accountId, ANA, text(OURS, 'two'))
    await world.clock.advance(60_000)
    expect(world.told(instance)).toEqual([])
    await world.engine(name).start(instance)
    await settle()
    expect(world.told(instance).map((signal) => ('text' in signal ? signal.text : signal.kind))).toEqual([
      'connected',
      'one',
      'two',
    ])
    world.forget()
    await world.engine(name).stop(instance)
    await world.engine(name).start(instance)
    await world.clock.advance(60_000)
    expect(world.told(instance).map(({ kind }) => kind)).toEqual(['connected'])
  })

  test('for a disconnected instance survive a restart', async () => {
    const instance = await world.connected(name)
    await world.engine(name).stop(instance)
    await world.network.speak(world.accountId, ANA, text(OURS, 'one'))
    await world.restart()
    await world.engine(name).begin()
    await world.clock.advance(60_000)
    expect(world.told(instance)).toEqual([])
    await world.engine(name).start(instance)
    await settle()
    expect(world.told(instance).map(({ kind }) => kind)).toEqual(['connected', 'received'])
  })

  test('are not received by an instance that logged out', async () => {
    const instance = await world.connected(name)
    await world.engine(name).logout(instance)
    const { instanceIds } = await world.network.speak(world.accountId, ANA, text(OURS, 'Hello?'))
    expect(instanceIds).toEqual([])
  })

  test('can be edited, deleted and reacted to, in order', async () => {
    const instance = await world.connected(name)
    const { message } = await world.network.speak(world.accountId, ANA, text(OURS, 'Helo'))
    expect((await world.network.edit(world.accountId, ANA, message.id, 'Hello')).content.text).toBe('Hello')
    await world.network.react(world.accountId, ANA, message.id, '👍')
    await world.network.react(world.accountId, ANA, message.id, '')
    const gone = await world.network.remove(world.accountId, ANA, message.id)
    expect(gone).toMatchObject({
      content: { text: null },
      deletedAtMs: world.clock.now(),
      editedAtMs: world.clock.now(),
      reactions: {},
    })
    await settle()
    const spoken = { engineMessageId: message.id, chat: ANA, from: ANA, fromMe: false, atMs: world.clock.now() }
    expect(world.told(instance).slice(1)).toEqual([
      { kind: 'edited', text: 'Hello', ...spoken },
      { kind: 'reaction', emoji: '👍', ...spoken },
      { kind: 'reaction', emoji: '', ...spoken },
      { kind: 'deleted', deletedBy: ANA, ...spoken },
    ])
  })

  test('can be reactions to a sent message, by either of its ids', async () => {
    const instance = await world.connected(name)
    const sent = await world.send(instance, { to: ANA })
    await world.clock.advance(10_000)
    world.forget()
    const [message] = await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10)
    await world.network.react(world.accountId, ANA, sent.messageId, '❤️')
    await settle()
    expect(sent).toMatchObject({ engineMessageId: message?.id })
    expect(world.told(instance)).toEqual([
      {
        kind: 'reaction',
        emoji: '❤️',
        engineMessageId: message?.id,
        chat: ANA,
        from: ANA,
        fromMe: false,
        atMs: world.clock.now(),
      },
    ])
    expect((await world.network.listMessages(world.accountId, ANA, Number.MAX_SAFE_INTEGER, 10))[0]?.reactions).toEqual(
      {
        [ANA]: '❤️',
      },
    )
  })

  test('contain media, a quote and an ad referral', async () => {
    const instance = await world.connected(name)
    const sent = await world.send(instance, { to: ANA })
    world.forget()
    const media = { mimeType: 'image/png', size: 123, filename: 'image.png', caption: 'This one' }
    const content = { type: 'image', text: null, media, quoted: sent.messageId, referral: { source_id: 'ad-1' } }
    const { message } = await world.network.speak(world.accountId, ANA, { to: OURS, group: null, content })
    await settle()
    expect(world.of(instance, 'received')[0]).toMatchObject({
      type: 'image',
      text: 'This one',
      media: { id: message.id, ...media },
      quotedEngineMessageId: (sent as { engineMessageId?: string }).engineMessageId,
      referral: { source_id: 'ad-1' },
    })
  })

  test('from a person with a hidden number have an id that can be replied to', async () => {
    const hidden = '900000012345678'
    const instance = await world.connected(name)
    await world.network.speak(world.accountId, hidden, text(OURS, 'Guess who'))
    await settle()
    expect(world.of(instance, 'received')[0]).toMatchObject({ chat: hidden, from: hidden, fromLid: hidden })
    await world.send(instance, { to: hidden })
    await world.clock.advance(10_000)
    expect(await world.network.listMessages(world.accountId, hidden, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1)
  })

  test('in a group have the group as their chat and the sender as participant', async () => {
    const instance = await world.connected(name)
    await world.network.speak(world.accountId, ANA, { ...text(OURS, 'Hi all'), group: '120363041234567890@g.us' })
    await settle()
    expect(world.told(instance)).toMatchObject([
      { kind: 'received', isGroup: true, chat: '120363041234567890@g.us', from: ANA, participant: ANA },
    ])
  })
})

test('are received by an instance if another instance sends to its number', async () => {
  const sender = await world.connected('smv2')
  const receiver = await world.connected('official', BEN)
  world.forget()
  await world.send(sender, { to: BEN, text: 'From desk to desk' })
  await world.clock.advance(10_000)
  expect(world.told(receiver)).toMatchObject([
    { kind: 'received', chat: OURS, from: OURS, fromMe: false, text: 'From desk to desk' },
  ])
  expect(world.of(sender, 'receipt')).toHaveLength(3)
  expect(world.of(sender, 'received')).toEqual([])
})

test('can be edited and deleted only by their own phone', async () => {
  const instance = await world.connected('smv2')
  const { messageId } = await world.send(instance, { to: ANA })
  await world.clock.advance(10_000)
  const { message } = await world.network.speak(world.accountId, ANA, text(OURS, 'Hi'))
  const account = world.accountId
  await expect(world.network.edit(account, ANA, messageId, 'x')).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(world.network.remove(account, ANA, messageId)).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(world.network.react(account, BEN, message.id, '👍')).rejects.toMatchObject({ code: 'not_found' })
  await expect(world.network.react('other' as typeof account, ANA, message.id, '👍')).rejects.toMatchObject({
    code: 'not_found',
  })
  await world.network.remove(account, ANA, message.id)
  await expect(world.network.edit(account, ANA, message.id, 'x')).rejects.toMatchObject({ code: 'invalid_state' })
})

test('are removed when they are older than a week', async () => {
  const instance = await world.connected('smv2')
  await world.send(instance, { to: ANA })
  const kept = () => world.data.raw.prepare('SELECT count(*) AS n FROM sandbox_messages').get()
  world.clock.suspend(6 * 86_400_000)
  await world.clock.advance(120_000)
  expect(kept()).toEqual({ n: 1 })
  world.clock.suspend(2 * 86_400_000)
  await world.clock.advance(120_000)
  expect(kept()).toEqual({ n: 0 })
})
