import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LineEvent } from '../../../main/contract/line-events.ts'
import { createLineEvents } from '../../../main/engines/smv2/line-events.ts'
import type { RawLineEvent } from '../../../main/engines/smv2/raw-line-event.ts'
import type { EngineInstance } from '../../../main/engines/engine.ts'
import type { OpenLink } from '../../../main/engines/smv2/link.ts'
import { until } from '../../support/service-process.ts'
import { lineWorld, type LineWorld } from './line-world.ts'

const OURS = '12025550200'
const ANA = '12025550101'
const GROUP = '120363041234567890@g.us'

describe('events of the simulated network', () => {
  let world: LineWorld
  let shop: EngineInstance
  beforeEach(async () => {
    world = await lineWorld()
    shop = await world.connect(OURS)
  })
  afterEach(() => world.close())

  const events = (instance = shop) => world.of(instance, 'line_event').map(({ event }) => event)
  const heard = (type: LineEvent['type']) => until(type, () => events().find((event) => event.type === type))

  test('report a call while it rings, which can then be rejected, and its end', async () => {
    const ana = world.whatsapp.phone(ANA)
    const callId = ana.call(OURS)
    expect(await heard('call.offered')).toMatchObject({
      data: { call_id: callId, from: ANA, video: false, group_id: null },
    })
    // A caller who has given a token of trust is not shown it.
    ana.trust(OURS)
    await until('the token', () => world.keys(shop, 'tctoken')[`${ana.lid}@lid`] !== undefined)
    await world.smv2.engine.direct?.rejectCall?.(shop, callId)
    const { heard: said } = world.whatsapp.phone(OURS).device
    const rejected = await until('the rejection', () => said.find(({ tag }) => tag === 'call'))
    expect(rejected.content).toMatchObject([{ tag: 'reject' }])
    ana.hangUp(callId)
    expect(await heard('call.ended')).toMatchObject({ data: { call_id: callId, from: ANA, reason: 'timeout' } })
    await expect(world.smv2.engine.direct?.rejectCall?.(shop, callId)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('report that another person makes the number an admin of a group', async () => {
    const other = await world.connect('12025550300')
    const made = await world.smv2.engine.direct?.createGroup?.(other, 'Garden', [OURS])
    const id = made?.group.id ?? ''
    await world.smv2.engine.direct?.changeMembers?.(other, id, 'promote', [OURS])
    expect(await heard('group.participants_changed')).toMatchObject({
      data: { group_id: id, action: 'promote', participants: [OURS], by: '12025550300' },
    })
  })

  test('report the name of a contact once, not with every message', async () => {
    const ana = world.whatsapp.phone(ANA, { name: 'Ana' })
    for (const text of ['One', 'Two']) await ana.say(OURS, text)
    await world.heard(shop, 'received', ({ text }) => text === 'Two')
    await heard('contact.updated')
    await ana.say(OURS, 'Three')
    await world.heard(shop, 'received', ({ text }) => text === 'Three')
    await until('all of it acknowledged', () => world.whatsapp.phone(OURS).device.waiting.length === 0)
    expect(events().filter(({ type }) => type === 'contact.updated')).toEqual([
      { type: 'contact.updated', data: { number: ANA, name: 'Ana' } },
    ])
  })
})

describe('converted events', () => {
  const instance = { id: 'i' } as unknown as EngineInstance
  const open = { session: { keys: {} } } as unknown as OpenLink
  const told = async (...raw: RawLineEvent[]): Promise<LineEvent[]> => {
    const published: LineEvent[] = []
    const people = {
      nameOf: async (_instance: unknown, _keys: unknown, who: { number: string | null; hiddenId: string | null }) =>
        who.number ?? who.hiddenId ?? '',
    }
    const { receive } = createLineEvents({ people, publish: (_instance, event) => void published.push(event) })
    for (const one of raw) await receive(instance, open, one)
    return published
  }
  const jid = `${ANA}@s.whatsapp.net`

  test('of a group contain the change and its author, and an answer to an own request causes none', async () => {
    const author = { author: '900000000000001@lid', authorPn: jid }
    expect(
      await told(
        { kind: 'group', update: { id: GROUP, subject: 'Garden', ...author } },
        { kind: 'group', update: { id: GROUP, announce: true, restrict: false, ...author } },
        { kind: 'group', update: { id: GROUP, subject: 'Garden', participants: [] } },
        { kind: 'group', update: { id: GROUP, inviteCode: 'secret', ...author } },
        { kind: 'contact', contact: { id: GROUP, imgUrl: 'removed' } },
      ),
    ).toEqual([
      { type: 'group.updated', data: { group_id: GROUP, by: ANA, changes: { subject: 'Garden' } } },
      { type: 'group.updated', data: { group_id: GROUP, by: ANA, changes: { announce: true, locked: false } } },
      { type: 'group.updated', data: { group_id: GROUP, by: null, changes: { picture: 'removed' } } },
    ])
  })

  test('of presence contain the person, the state and the chat', async () => {
    const presences = { [jid]: { lastKnownPresence: 'composing' } as const }
    const gone = { [jid]: { lastKnownPresence: 'unavailable', lastSeen: 1_767_614_400 } as const }
    expect(
      await told(
        { kind: 'presence', update: { id: GROUP, presences } },
        { kind: 'presence', update: { id: jid, presences: gone } },
      ),
    ).toEqual([
      { type: 'presence.updated', data: { chat: GROUP, from: ANA, state: 'composing', last_seen_at: null } },
      {
        type: 'presence.updated',
        data: { chat: ANA, from: ANA, state: 'unavailable', last_seen_at: '2026-01-05T12:00:00.000Z' },
      },
    ])
  })

  test('of a contact report a new picture', async () => {
    expect(await told({ kind: 'contact', contact: { id: jid, imgUrl: 'changed' } })).toEqual([
      { type: 'contact.updated', data: { number: ANA, picture: 'changed' } },
    ])
  })

  test('of a call from before the connection report it, and it cannot be rejected', async () => {
    const call = { chatId: jid, from: jid, id: 'C', date: new Date(0), status: 'offer', offline: true } as const
    expect(await told({ kind: 'call', call }, { kind: 'call', call: { ...call, status: 'ringing' } })).toHaveLength(1)
  })
})
