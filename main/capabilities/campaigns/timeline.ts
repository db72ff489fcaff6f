import { isoTime } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { Timeline } from './contract.ts'
import { timesPage, type RecipientTimes } from './recipient-store.ts'
import { dayAt } from '../../kernel/opening-hours.ts'

const MINUTE_MS = 60_000
const MINUTES = [1, 5, 15, 60, 180, 360, 1_440, 10_080]
const MOST_POINTS = 60
const PAGE = 2_000

const KINDS = ['sent', 'delivered', 'read', 'replied', 'failed'] as const
type Counts = Record<(typeof KINDS)[number], number>

const none = (): Counts => ({ sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 })

/**
 * What happened when, for a chart: at most sixty spans, those in which nothing happened included, since they are pauses
 * and nights. A message that failed counts when it was tried.
 * @param timezone in which days begin
 */
export async function timelineOf(db: Pick<Db, 'read'>, campaignId: string, timezone: string): Promise<Timeline> {
  const minutes = new Map<number, Counts>()
  for (let after = 0; ;) {
    const rows = await db.read(timesPage, { campaignId, after, rows: PAGE })
    for (const row of rows) count(minutes, row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) break
    after = last.position
    await yieldToEventLoop()
  }
  return inSpans(minutes, timezone)
}

function count(minutes: Map<number, Counts>, row: RecipientTimes): void {
  const times: Record<keyof Counts, number | null> = {
    sent: row.sentAtMs,
    delivered: row.deliveredAtMs,
    read: row.readAtMs,
    replied: row.repliedAtMs,
    failed: row.status === 'failed' ? row.claimedAtMs : null,
  }
  for (const kind of KINDS) {
    const atMs = times[kind]
    if (atMs === null) continue
    const minute = Math.floor(atMs / MINUTE_MS)
    const counts = minutes.get(minute) ?? none()
    counts[kind]++
    minutes.set(minute, counts)
  }
}

function inSpans(minutes: ReadonlyMap<number, Counts>, timezone: string): Timeline {
  let [first, last] = [Infinity, -Infinity]
  for (const minute of minutes.keys()) [first, last] = [Math.min(first, minute), Math.max(last, minute)]
  if (first > last) return { seconds: 60, points: [] }
  // A day's spans begin with the day.
  const origin = dayAt(first * MINUTE_MS, timezone).endsAtMs / MINUTE_MS - 1_440
  const spanOf = (minute: number, width: number) => Math.floor((minute - origin) / width)
  const pointsWith = (width: number) => spanOf(last, width) - spanOf(first, width) + 1
  const width =
    MINUTES.find((each) => pointsWith(each) <= MOST_POINTS) ?? Math.ceil((last - first + 1) / (MOST_POINTS - 1))
  const begin = spanOf(first, width)
  const points = Array.from({ length: pointsWith(width) }, none)
  for (const [minute, counts] of minutes) {
    const point = points[spanOf(minute, width) - begin]
    if (point !== undefined) for (const kind of KINDS) point[kind] += counts[kind]
  }
  return {
    seconds: width * 60,
    points: points.map((counts, index) => ({
      at: isoTime((origin + (begin + index) * width) * MINUTE_MS),
      ...counts,
    })),
  }
}
