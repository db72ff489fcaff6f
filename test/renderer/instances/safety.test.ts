import { describe, expect, test } from 'vitest'
import { isHold, metersOf } from '../../../renderer/rooms/instances/safety.ts'

const view = (today: [sent: number, limit: number | null, people: number, most: number | null]) => ({
  paired_days: 3,
  today: { sent: today[0], limit: today[1], first_contacts: today[2], first_contacts_limit: today[3] },
  hour: { sent: 9, limit: null },
  messaging_limit: null,
  new_chats: null,
  restriction: null,
  reasons: [],
})

describe('a meter', () => {
  test('shows the use of each limit and warns from four fifths', () => {
    expect(metersOf(view([39, 50, 16, 20]), 'smv2')).toEqual([
      { name: 'today', count: 39, limit: 50, share: 78, color: 'primary' },
      { name: 'hour', count: 9, limit: null, share: 0, color: 'primary' },
      { name: 'people', count: 16, limit: 20, share: 80, color: 'warning' },
    ])
  })

  test('is full if the limit is exceeded or zero', () => {
    expect(metersOf(view([90, 50, 0, 0]), 'smv2').map(({ share }) => share)).toEqual([100, 0, 100])
  })

  test('of an official number shows the people it has reached', () => {
    expect(metersOf(view([9, null, 5, 250]), 'official')[2]).toMatchObject({ name: 'reached', share: 2 })
  })
})

test.each([
  ['daily_limit', true],
  ['restricted', true],
  ['new_chats_used_up', true],
  ['warm_up', false],
  ['quality_medium', false],
  ['messaging_limit_unknown', false],
  ['messaging_limit', true],
])('%s holds messages back: %s', (code, expected) => expect(isHold(code)).toBe(expected))
