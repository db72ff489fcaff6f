import { afterEach, beforeEach, expect, test } from 'vitest'
import { contentOf } from '../../../main/kernel/file-content.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import { networkId } from '../../../main/engines/sandbox/network-ids.ts'
import { sampleOf } from '../../../main/engines/sandbox/index.ts'
import { ANA, BEN, networkWorld, OURS, type NetworkWorld } from './network-world.ts'

const CARLA = '12025550103'

let w: NetworkWorld
let us: EngineInstance
let group: string
beforeEach(async () => {
  w = await networkWorld()
  us = await w.connected('smv2')
  const made = await w.engine('smv2').direct?.createGroup?.(us, 'Garden', [ANA, BEN])
  group = made?.group.id ?? ''
})
afterEach(() => w.close())

const on = async (number: string) => w.network.listMessages(w.accountId, number, Number.MAX_SAFE_INTEGER, 10)
const send = async (out: object = {}) => {
  const sending = w.send(us, { kind: 'text', text: 'Hello', ...out, to: group })
  await w.clock.advance(50)
  return sending
}

test('every member gets a message once, and the first phone that receives or reads it sets the status', async () => {
  await w.network.changePhone(w.accountId, ANA, { online: false })
  await w.network.changePhone(w.accountId, BEN, { receipts: 'delivered' })
  const { kind, messageId } = await send()
  expect(kind).toBe('accepted')
  await w.clock.advance(5_000)
  expect(await on(ANA)).toEqual([])
  expect(await on(BEN)).toMatchObject([{ author: OURS, recipient: BEN, group, content: { text: 'Hello' } }])
  expect(w.statuses(us, messageId).filter((status, i, all) => all.indexOf(status) === i)).toEqual(['sent', 'delivered'])
  await w.network.changePhone(w.accountId, ANA, { online: true })
  await w.clock.advance(5_000)
  expect(await on(ANA)).toMatchObject([{ id: networkId('smv2', messageId), recipient: ANA }])
  expect(w.statuses(us, messageId)).toContain('read')
  expect(await on(OURS)).toEqual([])
})

test('a member that is an instance receives the message in the group, with its file', async () => {
  const other = await w.connected('smv2', BEN)
  const { bytes } = sampleOf('image')
  const { messageId } = await send({
    kind: 'media',
    ...{ mediaType: 'image', mimeType: 'image/png', content: contentOf(bytes), caption: 'Look', filename: null },
  })
  await w.clock.advance(5_000)
  const engineMessageId = networkId('smv2', messageId)
  expect(w.of(other, 'received')).toMatchObject([
    { engineMessageId, chat: group, isGroup: true, from: OURS, participant: OURS, text: 'Look' },
  ])
  expect(await w.engine('smv2').media?.(other, engineMessageId)).toMatchObject({ mimeType: 'image/png' })
})

test('an edit, a deletion or a reaction reaches every copy, whoever makes it', async () => {
  const other = await w.connected('smv2', BEN)
  const { messageId } = await send()
  await w.clock.advance(5_000)
  w.forget()
  const id = networkId('smv2', messageId)
  await w.network.react(w.accountId, ANA, id, '🌻')
  const ours = { engineMessageId: id, chat: group, isOwn: true, participant: null }
  await w.engine('smv2').direct?.edit?.(us, ours, 'Hello all')
  await w.clock.advance(1_000)
  for (const number of [ANA, BEN]) {
    expect(await on(number)).toMatchObject([{ content: { text: 'Hello all' }, reactions: { [ANA]: '🌻' } }])
  }
  for (const instance of [us, other]) {
    expect(w.of(instance, 'reaction')).toMatchObject([{ engineMessageId: id, chat: group, from: ANA, emoji: '🌻' }])
    expect(w.of(instance, 'edited')).toMatchObject([{ engineMessageId: id, chat: group, text: 'Hello all' }])
  }
  await w.engine('smv2').direct?.remove?.(us, ours)
  for (const number of [ANA, BEN]) expect((await on(number))[0]?.deletedAtMs).not.toBeNull()
})

test('quotes and mentions are shown, and a message of another chat cannot be quoted', async () => {
  const { message } = await w.network.speak(w.accountId, ANA, {
    ...{ to: OURS, group },
    content: { type: 'text', text: 'Who brings cake?' },
  })
  const said = { chat: group, isOwn: false, participant: ANA, type: 'text', text: 'Who brings cake?' }
  await send({ text: '@12025550101 me', mentions: [ANA], quoted: { ...said, engineMessageId: message.id } })
  await w.clock.advance(5_000)
  expect((await on(BEN))[0]?.content).toMatchObject({ quoted: message.id, details: { mentions: [ANA] } })

  const { messageId } = await w.send(us, { to: ANA })
  const alone = { engineMessageId: networkId('smv2', messageId), ...said }
  await send({ quoted: alone })
  await w.clock.advance(5_000)
  expect((await on(BEN))[0]?.content.quoted).toBeUndefined()
})

test('a person outside a group can be neither mentioned nor sent to, and official numbers are in no groups of others', async () => {
  expect(await send({ mentions: [CARLA] })).toMatchObject({ kind: 'invalid', message: expect.stringContaining(CARLA) })
  const stranger = await w.connected('smv2', CARLA)
  expect(await w.send(stranger, { to: group })).toMatchObject({ kind: 'invalid' })
  const official = await w.connected('official', '12025550109')
  expect(await w.send(official, { to: group })).toMatchObject({ kind: 'invalid' })
  expect(await on(ANA)).toEqual([])
})

test('a message to a group without other members is accepted and never received', async () => {
  await w.engine('smv2').direct?.changeMembers?.(us, group, 'remove', [ANA, BEN])
  const { kind, messageId } = await send()
  await w.clock.advance(10_000)
  expect([kind, w.statuses(us, messageId)]).toEqual(['accepted', ['sent']])
})
