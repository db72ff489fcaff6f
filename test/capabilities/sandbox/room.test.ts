import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { InstanceSubject } from '../../../main/capabilities/handler.ts'
import { createSandbox, type Sandbox } from '../../../main/capabilities/sandbox/index.ts'
import { createCatcher } from '../../../main/engines/sandbox/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { createModelSimulator } from '../../../main/simulators/model/index.ts'
import { settle } from '../../support/clock.ts'
import { seededRandom } from '../../support/random.ts'
import { ANA, BEN, networkWorld, OURS, type NetworkWorld } from '../../engines/sandbox/network-world.ts'

let world: NetworkWorld
let room: Sandbox
let account: AccountId
const subjects = new Map<string, InstanceSubject>()
const render = async (text: string) => `data:image/png;base64,${Buffer.from(text).toString('base64')}`

beforeEach(async () => {
  world = await networkWorld()
  account = world.accountId
  subjects.clear()
  const catcher = createCatcher({ db: world.data.db, clock: world.clock, signingSecrets: async () => [] })
  room = createSandbox({
    graph: null,
    network: world.network,
    catcher,
    model: createModelSimulator({ clock: world.clock, random: seededRandom(1), log: silentLog }),
    render,
    ring: () => Promise.resolve(null),
    phoneSide: { list: async () => [], answer: async () => {}, hangUp: async () => {} },
    cursors: createCursors(Buffer.alloc(32, 1)),
    subject: async (accountId, id) => (accountId === account ? subjects.get(id) : undefined),
  })
})
afterEach(() => world.close())

function known(engine: 'smv2' | 'official', network: 'sandbox' | 'live' = 'sandbox', deleted = false): InstanceSubject {
  const instance = { ...world.instance(engine), network, connected: false, deleted }
  subjects.set(instance.id, instance)
  return instance
}

describe('other kinds of messages', () => {
  const place = {
    type: 'location',
    latitude: 52.5,
    longitude: 13.4,
    name: 'Shop',
    address: null,
    url: null,
    live: false,
  }

  test('a phone sends every kind that an instance receives', async () => {
    const instance = await world.connected('smv2')
    await room.speak(account, ANA, { to: OURS, content: place })
    await room.speak(account, ANA, { to: OURS, media_type: 'image', view_once: true })
    await settle()
    expect(world.told(instance).filter(({ kind }) => kind === 'received')).toMatchObject([
      { type: 'location', text: 'Shop', content: place, viewOnce: false },
      { type: 'image', content: null, viewOnce: true },
    ])
  })

  test('a phone forwards a received message', async () => {
    const instance = await world.connected('smv2')
    await room.speak(account, ANA, { to: OURS, content: place, forwarded: true })
    await room.speak(account, ANA, { to: OURS, text: 'Chain letter', forwarded: true, frequently_forwarded: true })
    await settle()
    expect(world.told(instance).filter(({ kind }) => kind === 'received')).toMatchObject([
      { type: 'location', content: place, forwarded: 'forwarded' },
      { type: 'text', text: 'Chain letter', forwarded: 'frequently' },
    ])
  })

  test('a phone votes in its own polls and others, with existing options', async () => {
    const instance = await world.connected('smv2')
    const poll = { type: 'poll', question: 'When?', options: ['Today', 'Later'], max_choices: 1 }
    const { id } = await room.speak(account, ANA, { to: OURS, content: poll })
    await room.vote(account, ANA, id, ['Later'])
    await room.vote(account, OURS, id, [])
    await settle()
    expect(world.told(instance).filter(({ kind }) => kind === 'vote')).toMatchObject([
      { engineMessageId: id, chat: ANA, from: ANA, fromMe: false, options: ['Later'] },
      { engineMessageId: id, chat: ANA, from: OURS, fromMe: true, options: [] },
    ])
    const invalid = { code: 'validation_error' }
    await expect(room.vote(account, ANA, id, ['Never'])).rejects.toMatchObject(invalid)
    await expect(room.vote(account, ANA, id, ['Today', 'Later'])).rejects.toMatchObject(invalid)
    const text = await room.speak(account, ANA, { to: OURS, text: 'Hi' })
    await expect(room.vote(account, ANA, text.id, [])).rejects.toMatchObject({ code: 'invalid_state' })
  })

  test('a phone calls, and the instance rejects it while it rings', async () => {
    const instance = await world.connected('smv2')
    const reject = world.engine('smv2').direct?.rejectCall
    const { call_id: id, instance_ids } = await room.call(account, ANA, { to: OURS, video: true })
    expect(instance_ids).toEqual([instance.id])
    await reject?.(instance, id)
    await expect(reject?.(instance, id)).rejects.toMatchObject({ code: 'not_found' })
    await world.clock.advance(30_000)
    await settle()
    expect(world.of(instance, 'line_event').map(({ event }) => event)).toMatchObject([
      { type: 'call.offered', data: { call_id: id, from: ANA, video: true } },
      { type: 'call.rejected', data: { call_id: id, from: ANA } },
      { type: 'call.ended', data: { call_id: id, reason: 'timeout' } },
    ])
  })

  test.each([
    { content: place, text: 'Both' },
    { content: { ...place, latitude: 'north' } },
    { content: { type: 'poll_vote', poll_message_id: 'msg_1', options: [] } },
    { text: 'Hi', view_once: true },
    { text: 'Hi', frequently_forwarded: true },
    { text: 'Hi', forwarded: true, quoted_message_id: 'msg_1' },
  ])('%j is refused', async (body) => {
    await expect(room.speak(account, ANA, { to: OURS, ...body })).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('phones', () => {
  test('a phone is created once, and changed by creating it again', async () => {
    expect(await room.changePhone(account, ANA, { name: 'Ana' })).toEqual({
      existed: false,
      phone: {
        number: ANA,
        name: 'Ana',
        online: true,
        receipts: 'read',
        delay_ms: 0,
        calls: 'automatic',
        passkey: false,
        drop_receipts: false,
        duplicate_receipts: false,
        created_at: new Date(world.clock.now()).toISOString(),
      },
    })
    const again = await room.changePhone(account, ANA, { receipts: 'none', delay_ms: 5, drop_receipts: true })
    expect(again).toMatchObject({
      existed: true,
      phone: { name: 'Ana', receipts: 'none', delay_ms: 5, drop_receipts: true },
    })
  })

  test('a number has a phone once it is addressed; the list is newest first, in pages', async () => {
    const instance = await world.connected('smv2')
    await world.send(instance, { to: ANA })
    await room.changePhone(account, BEN, {})
    const first = await room.listPhones(account, { limit: 2 })
    expect(first.data.map(({ number, name }) => [number, name])).toEqual([
      [BEN, 'Sandbox phone 0102'],
      [ANA, 'Sandbox phone 0101'],
    ])
    expect(first.has_more).toBe(true)
    const second = await room.listPhones(account, { limit: 2, cursor: first.next_cursor ?? '' })
    expect(second).toMatchObject({ data: [{ number: OURS }], next_cursor: null, has_more: false })
    await expect(room.listMessages(account, ANA, { cursor: first.next_cursor ?? '' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
    expect((await room.listPhones('other' as AccountId, {})).data).toEqual([])
  })

  test('phones are found by part of a name or number, in pages of their own', async () => {
    await room.changePhone(account, ANA, { name: 'Ana_Souza' })
    await room.changePhone(account, BEN, {})
    const found = async (q: string) => (await room.listPhones(account, { q })).data.map(({ number }) => number)
    expect(await found('SOUZA')).toEqual([ANA])
    expect(await found('sandbox phone')).toEqual([BEN])
    expect(await found('+1 (202) 555-01')).toEqual([BEN, ANA])
    expect(await found('a_s')).toEqual([ANA])
    expect(await found('x_s')).toEqual([])
    expect(await found(ANA)).toEqual([ANA])
    const { next_cursor } = await room.listPhones(account, { q: '1202', limit: 1 })
    expect(
      (await room.listPhones(account, { q: '1202', limit: 1, cursor: next_cursor ?? '' })).data.map(
        ({ number }) => number,
      ),
    ).toEqual([ANA])
    await expect(room.listPhones(account, { cursor: next_cursor ?? '' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  test('a search reaches phones far down the list, by any letter case', async () => {
    await room.changePhone(account, '12025550001', { name: 'Élodie Çelik' })
    for (let i = 0; i < 510; i++) await room.changePhone(account, `1303555${String(i).padStart(4, '0')}`, {})
    const { data, has_more } = await room.listPhones(account, { q: 'ÇELIK', limit: 1 })
    expect(data.map(({ number }) => number)).toEqual(['12025550001'])
    expect(has_more).toBe(false)
  })

  test('a message received by a phone has the id that the sender knows', async () => {
    const instance = await world.connected('official')
    const sent = await world.send(instance, { to: ANA, text: 'Hello' })
    await world.clock.advance(600)
    const { data } = await room.listMessages(account, ANA, {})
    expect(data).toMatchObject([
      {
        message_id: sent.messageId,
        id: (sent as { engineMessageId?: string }).engineMessageId,
        instance_id: instance.id,
        from: OURS,
        to: ANA,
        text: 'Hello',
        media: null,
        reactions: [],
      },
    ])
    expect((await room.listMessages(account, BEN, {})).data).toEqual([])
  })

  test('an empty change returns the phone unchanged', async () => {
    const { phone } = await room.changePhone(account, ANA, { name: 'Ana', online: false })
    expect(await room.changePhone(account, ANA, {})).toEqual({ phone, existed: true })
  })

  test('a path without a valid number is not found', async () => {
    for (const number of ['123', '+12025550101', 'ana', '1202555010112025550101']) {
      await expect(room.listMessages(account, number, {})).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('scanning', () => {
  async function pairing() {
    const instance = known('smv2')
    await world.network.smv2.start(instance)
    return { instance, qr: await world.qr(instance) }
  }

  test('accepts the text, the picture, or the pairing code', async () => {
    for (const form of ['text', 'picture', 'code'] as const) {
      const { instance, qr } = await pairing()
      const body = {
        text: { qr: qr.text ?? '' },
        picture: { qr: await render(qr.text ?? '') },
        code: { pairing_code: qr.pairingCode ?? '' },
      }[form]
      expect(await room.scan(account, OURS, body)).toEqual({ instanceId: instance.id, state: 'connected' })
    }
  })

  test('refuses codes that are not from the sandbox, and pictures that nobody shows', async () => {
    const { qr } = await pairing()
    const text = qr.text ?? ''
    await expect(room.scan(account, OURS, { qr: 'https://wa.me/settings/linked_devices#1,2,3' })).rejects.toMatchObject(
      { code: 'validation_error' },
    )
    await expect(room.scan(account, OURS, {})).rejects.toMatchObject({ code: 'validation_error' })
    await expect(room.scan(account, OURS, { qr: text, pairing_code: '7K3M-9XQ2' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(room.scan(account, OURS, { qr: await render('something else') })).rejects.toMatchObject({
      code: 'invalid_state',
    })
    await expect(room.scan(account, OURS, { qr: `${text}0` })).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(room.scan(account, OURS, { pairing_code: '0000-0000' })).rejects.toMatchObject({
      code: 'invalid_state',
    })
  })
})

describe('messages of phones', () => {
  test('are a text or a sample file', async () => {
    const instance = await world.connected('smv2')
    expect(await room.speak(account, ANA, { to: OURS, text: 'Hi' })).toMatchObject({
      from: ANA,
      to: OURS,
      type: 'text',
      text: 'Hi',
      message_id: null,
      instance_id: null,
      instance_ids: [instance.id],
    })
    const spoken = await room.speak(account, ANA, { to: OURS, media_type: 'document', caption: 'Signed' })
    expect(spoken).toMatchObject({
      type: 'document',
      text: null,
      media: { mime_type: 'application/pdf', filename: 'document.pdf', caption: 'Signed' },
    })
    const quoting = await room.speak(account, ANA, {
      to: OURS,
      text: 'As I said',
      quoted_message_id: spoken.id,
      group: 'team',
    })
    expect(quoting).toMatchObject({ quoted_message_id: spoken.id, group: 'team' })
  })

  test('with neither or both are refused with advice', async () => {
    const bad = [
      { to: OURS },
      { to: OURS, text: 'x', media_type: 'image' as const },
      { to: OURS, text: 'x', caption: 'y' },
      { to: OURS, media_type: 'image' as const, media_url: 'https://media.sandbox/video.mp4' },
      { to: OURS, media_type: 'image' as const, media_url: 'https://example.com/image.png' },
    ]
    for (const body of bad)
      await expect(room.speak(account, ANA, body)).rejects.toMatchObject({ code: 'validation_error' })
    await expect(room.speak(account, ANA, { to: OURS, text: 'x', quoted_message_id: 'nothing' })).rejects.toMatchObject(
      { code: 'not_found' },
    )
  })

  test('are edited, reacted to and deleted', async () => {
    const { id } = await room.speak(account, ANA, { to: OURS, text: 'Helo' })
    expect(await room.edit(account, ANA, id, 'Hello')).toMatchObject({
      text: 'Hello',
      edited_at: new Date(world.clock.now()).toISOString(),
    })
    expect(await room.react(account, OURS, id, '👍')).toMatchObject({ reactions: [{ from: OURS, emoji: '👍' }] })
    expect(await room.remove(account, ANA, id)).toMatchObject({
      text: null,
      deleted_at: new Date(world.clock.now()).toISOString(),
    })
    await expect(room.edit(account, ANA, 'unknown', 'x')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('instances', () => {
  test('an instance of another account, an unknown, malformed or deleted one is not found; a live one is refused', async () => {
    const live = known('official', 'live')
    const gone = known('official', 'sandbox', true)
    const mine = known('official')
    for (const id of ['nonsense', '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', gone.id]) {
      await expect(room.onboard(account, id, OURS)).rejects.toMatchObject({ code: 'not_found' })
      await expect(room.causeFault(account, id, 'timeout', 1)).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(room.onboard('other' as AccountId, mine.id, OURS)).rejects.toMatchObject({ code: 'not_found' })
    await expect(room.onboard(account, live.id, OURS)).rejects.toMatchObject({ code: 'validation_error' })
    await expect(room.onboard(account, known('smv2').id, OURS)).rejects.toMatchObject({ code: 'engine_mismatch' })
  })

  test('onboarding and faults have the documented effects', async () => {
    const instance = known('official')
    await room.onboard(account, instance.id, OURS)
    await settle()
    expect(world.of(instance, 'connected')).toHaveLength(1)
    expect(await room.causeFault(account, instance.id, 'unreachable', 2)).toEqual({ id: instance.id, times: 2 })
    expect(await room.causeFault(account, instance.id, 'logout', 2)).toEqual({ id: instance.id, times: null })
    await expect(room.causeFault(account, instance.id, 'drop', 1)).rejects.toMatchObject({ code: 'invalid_state' })
  })
})

describe('the catcher', () => {
  test('exists under every name, and answers as configured', async () => {
    expect(await room.readCatcher(account, 'orders', {})).toEqual({
      name: 'orders',
      reply: { status: 200, delay_ms: 0, hang: false },
      data: [],
      next_cursor: null,
      has_more: false,
    })
    await room.setCatcherReply(account, 'orders', { status: 410, delay_ms: 20, hang: true })
    expect((await room.readCatcher(account, 'orders', {})).reply).toEqual({ status: 410, delay_ms: 20, hang: true })
    await room.emptyCatcher(account, 'orders')
    await expect(room.readCatcher(account, 'no/slash', {})).rejects.toMatchObject({ code: 'not_found' })
  })
})
