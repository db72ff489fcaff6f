import { describe, expect, test } from 'vitest'
import type { Event } from '../../main/capabilities/events/contract.ts'
import { concerns, filterOf, queryOf } from '../../renderer/rooms/events/event-filter.ts'
import { withNewest, withOlder } from '../../renderer/rooms/events/event-pages.ts'

const events = (...numbers: number[]) => numbers.map((n) => ({ event_id: `evt_${n}` }) as Event)
const numbers = (rows: readonly Event[] | undefined) => rows?.map(({ event_id }) => Number(event_id.slice(4)))

describe('pages of events', () => {
  test('adds new events on top', () => {
    expect(numbers(withNewest(events(3, 2, 1), events(5, 4, 3), true))).toEqual([5, 4, 3, 2, 1])
    expect(numbers(withNewest([], events(2, 1), false))).toEqual([2, 1])
    expect(numbers(withNewest(events(2, 1), [], false))).toEqual([2, 1])
  })

  test('starts over if there is a gap', () => {
    expect(withNewest(events(3, 2, 1), events(9, 8, 7), true)).toBeUndefined()
  })

  test('adds older events once', () => {
    expect(numbers(withOlder(events(5, 4), events(4, 3)))).toEqual([5, 4, 3])
  })
})

describe('the filter in the address', () => {
  test('is parsed without invalid values', () => {
    expect(filterOf({ type: 'message.read', instance: 'a', span: 'hour', event: 'evt_1' })).toEqual({
      ...{ type: 'message.read', instance: 'a', span: 'hour' },
    })
    expect(filterOf({ type: 'message.eaten', instance: '', span: 'year' })).toEqual({})
    expect(filterOf({ type: ['message.read', 'message.sent'] })).toEqual({})
  })

  test('becomes the query of the service', () => {
    const nowMs = Date.parse('2026-03-01T09:30:00.000Z')
    expect(queryOf({ type: 'message.read', instance: 'a', span: 'hour' }, nowMs)).toEqual({
      ...{ type: 'message.read', instance_id: 'a', since: '2026-03-01T08:30:00.000Z' },
    })
  })

  test('decides whether a notice concerns the list', () => {
    const notice = { topic: 'events', type: 'message.read', instance_id: 'a' } as const
    expect(concerns({}, notice)).toBe(true)
    expect(concerns({ type: 'message.read', instance: 'a' }, notice)).toBe(true)
    expect(concerns({ type: 'message.sent' }, notice)).toBe(false)
    expect(concerns({ instance: 'b' }, notice)).toBe(false)
    expect(concerns({ instance: 'b' }, { topic: 'events' })).toBe(true)
  })
})
