import { describe, expect, test } from 'vitest'
import type { Event } from '../../../main/capabilities/events/contract.ts'
import { recentLines } from '../../../renderer/rooms/overview/recent-lines.ts'

let made = 0
const event = (type: Event['type'], instance: string, data: object = {}) =>
  ({ event_id: `evt_${++made}`, type, instance: { id: instance }, data }) as Event
const said = (events: readonly Event[], most = 8) =>
  recentLines(events, most).map(({ event: { type, instance }, times, isOfSeveral }) =>
    [type, isOfSeveral ? 'several' : instance.id, times].join(' '),
  )

describe('recent activity', () => {
  test('groups the codes of many numbers', () => {
    const codes = Array.from({ length: 40 }, (_, n) => event('instance.qr.updated', `n${n % 20}`))
    expect(said([...codes, event('instance.connected', 'a')])).toEqual([
      'instance.qr.updated several 40',
      'instance.connected a 1',
    ])
  })

  test('has one line per message', () => {
    const of = (type: Event['type'], message_id: string) => event(type, 'a', { message_id, chat: 'ana' })
    const [read, delivered, sent] = ['message.read', 'message.delivered', 'message.sent'] as const
    expect(said([of(read, '2'), of(delivered, '2'), of(delivered, '1'), of(sent, '2'), of(sent, '1')])).toEqual([
      'message.read a 1',
      'message.delivered a 1',
    ])
  })

  test('groups consecutive messages of one chat', () => {
    const from = (instance: string, chat: string) =>
      event('message.received', instance, { chat, message_id: `${++made}` })
    expect(said([from('a', 'ana'), from('a', 'ana'), from('a', 'ben'), from('b', 'ben')])).toEqual([
      'message.received a 2',
      'message.received a 1',
      'message.received b 1',
    ])
  })

  test('groups consecutive messages to many people', () => {
    const read = ['ana', 'ben', 'eva'].map((chat) => event('message.read', 'a', { chat, message_id: `${++made}` }))
    expect(said(read)).toEqual(['message.read a 3'])
    expect(recentLines(read, 8)[0]?.chat).toBe('')
    const oldest = { ...event('message.read', 'a', { chat: 'ana' }), created_at: '2026-03-01T08:00:00.000Z' }
    expect(recentLines([...read, oldest], 8)[0]).toMatchObject({ times: 4, since: oldest.created_at })
  })

  test('shows a lost connection for each number', () => {
    expect(said(['a', 'b'].map((id) => event('instance.disconnected', id)))).toHaveLength(2)
  })

  test('has at most the requested lines, with a complete last group', () => {
    const events = ['a', 'b', 'b', 'c'].map((id) => event('instance.disconnected', id))
    expect(said(events, 2)).toEqual(['instance.disconnected a 1', 'instance.disconnected b 2'])
  })
})
