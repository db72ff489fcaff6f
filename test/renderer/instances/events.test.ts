import { describe, expect, it } from 'vitest'
import { describeEvent, groupEvents, eventKey } from '../../../renderer/rooms/instances/event-groups.ts'

const event = (type: string, data: object = {}): any => ({ event_id: `evt_${type}`, type, data })

describe('the timeline of an instance', () => {
  it.each([
    ['message.received', { from: '12025550123', text: 'Thank you!' }, { text: '+1 202 555 0123 · Thank you!' }],
    ['message.received', { from: '12025550123', text: null }, { text: '+1 202 555 0123' }],
    ['message.read', { to: '12025550123' }, { text: '+1 202 555 0123' }],
    [
      'message.failed',
      { to: '12025550404', error: { code: 'not_on_whatsapp' } },
      { text: '+1 202 555 0404', failure: 'not_on_whatsapp' },
    ],
    ['message.failed', { to: '12025550404', error: null }, { text: '+1 202 555 0404' }],
    ['message.reaction', { chat: '12036304-group' }, { text: '12036304-group' }],
    ['instance.connected', { number: '5511987654321' }, { text: '+55 11 98765-4321' }],
    ['instance.connected', { number: null }, {}],
    ['instance.disconnected', { reason: 'user' }, { reason: 'user' }],
    ['instance.auth_failed', { reason: 'banned' }, { reason: 'banned' }],
    ['instance.connecting', { reason: 'start' }, {}],
  ])('says of %s with %j: %j', (type, data, detail) => {
    expect(describeEvent(event(type, data))).toEqual(detail)
  })

  it('makes one line of a run of new codes, and of nothing else', () => {
    const types = ['instance.qr.updated', 'instance.qr.updated', 'message.read', 'message.read', 'instance.qr.updated']
    expect(groupEvents(types.map((type) => event(type))).map(({ times }) => times)).toEqual([2, 1, 1, 1])
  })

  it('finds the word of an event by its type', () => {
    expect(eventKey('instance.qr.updated')).toBe('instance_qr_updated')
  })
})
