import { expect, test } from 'vitest'
import type { Db } from '../../../main/kernel/db.ts'
import type { RecipientTimes } from '../../../main/capabilities/campaigns/recipient-store.ts'
import { timelineOf } from '../../../main/capabilities/campaigns/timeline.ts'

const ZONE = 'Europe/Berlin'

/** A campaign whose messages were sent at these moments. */
const sentAt = (moments: readonly string[]): Pick<Db, 'read'> => ({
  read: (async () =>
    moments.map((moment, position): RecipientTimes => ({
      ...{ position: position + 1, status: 'sent', claimedAtMs: Date.parse(moment), sentAtMs: Date.parse(moment) },
      ...{ deliveredAtMs: null, readAtMs: null, repliedAtMs: null },
    }))) as unknown as Db['read'],
})

test.each([
  [
    'forward',
    ['2026-03-10T12:00Z', '2026-03-29T21:59Z', '2026-03-29T22:01Z', '2026-04-08T12:00Z'],
    '2026-03-29T22:00',
    '2026-03-28T23:00',
  ],
  [
    'back',
    ['2026-10-06T12:00Z', '2026-10-25T22:59Z', '2026-10-25T23:01Z', '2026-11-04T12:00Z'],
    '2026-10-25T23:00',
    '2026-10-24T22:00',
  ],
])(
  'days begin at midnight after the clock was set %s, and count what was sent on them',
  async (_way, moments, after, before) => {
    const { seconds, points } = await timelineOf(sentAt(moments), 'campaign', ZONE)
    expect(seconds).toBe(86_400)
    expect(points).toHaveLength(30)
    const sentOn = (day: string) => points.find(({ at }) => at.startsWith(day))?.sent
    expect([sentOn(before), sentOn(after)]).toEqual([1, 1])
    const midnight = (at: string) => new Date(at).toLocaleTimeString('en-GB', { timeZone: ZONE })
    expect(new Set(points.map(({ at }) => midnight(at)))).toEqual(new Set(['00:00:00']))
    expect(points.reduce((sum, { sent }) => sum + sent, 0)).toBe(4)
  },
)
