import { describe, expect, it } from 'vitest'
import { describeEvent, groupEvents, eventKey, isBan } from '../../../renderer/rooms/instances/event-groups.ts'

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
  ])('shows %s with %j as %j', (type, data, detail) => {
    expect(describeEvent(event(type, data))).toEqual(detail)
  })

  it('shows sender and recipient by name if known', () => {
    const known = (digits: string) => (digits === '12025550123' ? 'Ana Souza' : `+${digits}`)
    const received = { from: '12025550123', text: 'Hello' }
    expect(describeEvent(event('message.received', received), known)).toEqual({ text: 'Ana Souza · Hello' })
    expect(describeEvent(event('message.read', { to: '12025550123' }), known)).toEqual({ text: 'Ana Souza' })
    const connected = { number: '12025550123' }
    expect(describeEvent(event('instance.connected', connected), known)).toEqual({ text: '+1 202 555 0123' })
  })

  it('groups equal consecutive events with their number and period', () => {
    const at = (n: number) => `2026-03-01T09:30:0${n}.000Z`
    const of = (type: string, n: number, data: object = {}) => event(type, { occurred_at: at(n), ...data })
    const lines = groupEvents([
      ...[of('instance.qr.updated', 9), of('instance.qr.updated', 8)],
      ...[of('message.received', 7, { chat: 'ana', text: 'b' }), of('message.received', 6, { chat: 'ana', text: 'a' })],
      of('message.received', 5, { chat: 'ben' }),
      ...[of('instance.disconnected', 4, { reason: 'network' }), of('instance.disconnected', 3, { reason: 'user' })],
      ...[of('message.failed', 2, { chat: 'ana', to: '12025550404', error: { code: 'restricted' } })],
      ...[of('message.failed', 1, { chat: 'ana', to: '12025550404', error: { code: 'not_on_whatsapp' } })],
    ])
    expect(lines.map(({ times }) => times)).toEqual([2, 2, 1, 1, 1, 1, 1])
    expect(lines[0]).toMatchObject({ event: { data: { occurred_at: at(9) } }, since: at(8) })
  })

  it.each([
    ['banned', true],
    ['temporary_ban', true],
    ['logged_out', false],
    ['token_revoked', false],
  ])('a session that ended with %s is called a ban: %s', (reason, isIt) => {
    expect(isBan(event('instance.auth_failed', { reason }))).toBe(isIt)
    expect(isBan(event('instance.disconnected', { reason }))).toBe(false)
  })

  it('finds the text of an event by its type', () => {
    expect(eventKey('instance.qr.updated')).toBe('instance_qr_updated')
  })
})
