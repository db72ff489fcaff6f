import { isoTime } from '../../contract/request.ts'
import type { Db } from '../../kernel/db.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { Timeline } from './contract/report.ts'
import { timesPage, type RecipientTimes } from './recipient-store.ts'
import { dayOf, shiftDate, startOfDate } from '../../kernel/time-zone.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const MINUTES = [1, 5, 15, 60, 180, 360, 1_440, 10_080]
const MOST_POINTS = 60
const PAGE = 2_000

const KINDS = ['sent', 'delivered', 'read', 'replied', 'failed'] as const
type Counts = Record<(typeof KINDS)[number], number>

const none = (): Counts => ({ sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 })

/**
 * Events over time for a chart: at most sixty spans, including empty ones, which show pauses and nights. A failed
 * message counts at the time of its attempt.
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
  const pointsWith = (width: number) => {
    const { spanOf } = spansOf(first, width, timezone)
    return spanOf(last) - spanOf(first) + 1
  }
  const width =
    MINUTES.find((each) => pointsWith(each) <= MOST_POINTS) ?? Math.ceil((last - first + 1) / (MOST_POINTS - 1))
  const { spanOf, startMsOf } = spansOf(first, width, timezone)
  const begin = spanOf(first)
  const points = Array.from({ length: pointsWith(width) }, none)
  for (const [minute, counts] of minutes) {
    const point = points[spanOf(minute) - begin]
    if (point !== undefined) for (const kind of KINDS) point[kind] += counts[kind]
  }
  return {
    seconds: width * 60,
    points: points.map((counts, index) => ({
      at: isoTime(startMsOf(begin + index)),
      ...counts,
    })),
  }
}

/**
 * Spans that begin with the day of the first minute. Spans of whole days follow the calendar, also on days of 23 and
 * 25 hours.
 */
function spansOf(first: number, width: number, timezone: string) {
  const { date: firstDate, startMs } = dayOf(first * MINUTE_MS, timezone)
  const days = width / DAY_MINUTES
  if (!Number.isInteger(days)) {
    const origin = startMs / MINUTE_MS
    return {
      spanOf: (minute: number) => Math.floor((minute - origin) / width),
      startMsOf: (span: number) => (origin + span * width) * MINUTE_MS,
    }
  }
  const spanOf = (minute: number) =>
    Math.floor(daysBetweenDates(firstDate, dayOf(minute * MINUTE_MS, timezone).date) / days)
  return { spanOf, startMsOf: (span: number) => startOfDate(shiftDate(firstDate, span * days), timezone) }
}

const daysBetweenDates = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / (DAY_MINUTES * MINUTE_MS)
