import { expect, test } from 'vitest'
import type { CampaignCounts } from '../../../main/contract/campaign.ts'
import {
  actionsOf,
  barOf,
  doneOf,
  percentOf,
  resumesAutomatically,
  shownStatusOf,
} from '../../../renderer/rooms/campaigns/campaign-state.ts'
import { addMark, hourlyRate, type Mark } from '../../../renderer/rooms/campaigns/rate.ts'

const COUNTS: CampaignCounts = {
  ...{ total: 100, pending: 40, sent: 50, delivered: 30, read: 10, replied: 4, failed: 5, skipped: 3, unknown: 2 },
  opted_out: 1,
}
const allowed = (
  status: Parameters<typeof actionsOf>[0]['status'],
  pause_reason: Parameters<typeof actionsOf>[0]['pause_reason'] = null,
) =>
  Object.entries(actionsOf({ status, pause_reason }))
    .filter(([, may]) => may)
    .map(([name]) => name)

test('each state allows the actions that the service allows', () => {
  expect(allowed('draft')).toEqual(['canEdit', 'canTest', 'canDelete'])
  expect(allowed('scheduled')).toEqual(['canCancel', 'canTest'])
  expect(allowed('running')).toEqual(['canPause', 'canCancel', 'canTest'])
  expect(allowed('paused', 'user')).toEqual(['canResume', 'canCancel', 'canTest'])
  expect(allowed('paused', 'outside_window')).toEqual(['canPause', 'canCancel', 'canTest'])
  for (const status of ['completed', 'canceled', 'failed'] as const) expect(allowed(status)).toEqual([])
})

test('distinguishes an automatic pause from one that waits for a person', () => {
  expect((['outside_window', 'no_instance', 'restricted'] as const).every(resumesAutomatically)).toBe(true)
  expect((['user', 'error_threshold', 'app_offline'] as const).some(resumesAutomatically)).toBe(false)
})

test('a campaign that continues automatically waits, and only one that a person has to resume is paused', () => {
  const shown = (pause_reason: Parameters<typeof shownStatusOf>[0]['pause_reason']) =>
    shownStatusOf({ status: 'paused', pause_reason })
  expect([shown('budget'), shown('outside_window'), shown('messaging_limit')]).toEqual([
    'waiting',
    'waiting',
    'waiting',
  ])
  expect([shown('user'), shown('payment'), shown(null)]).toEqual(['paused', 'paused', 'paused'])
  expect(shownStatusOf({ status: 'running', pause_reason: null })).toBe('running')
})

test('the parts of the bar do not overlap and leave pending recipients out', () => {
  expect(barOf(COUNTS).map(({ name, count }) => [name, count])).toEqual([
    ['read', 10],
    ['delivered', 20],
    ['sent', 20],
    ['skipped', 3],
    ['unknown', 2],
    ['failed', 5],
  ])
  expect(barOf(COUNTS).reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(60)
  expect(doneOf(COUNTS)).toBe(60)
})

test('every part of the bar has its own color, different from the empty bar', () => {
  const tones = barOf(COUNTS).map(({ tone }) => tone)
  expect(new Set(tones).size).toBe(6)
  expect(tones).not.toContain('bg-accented')
})

test('rounds one of a thousand above 0 percent, and all but one below 100', () => {
  expect([percentOf(1, 1_000), percentOf(999, 1_000), percentOf(5, 5), percentOf(0, 9), percentOf(0, 0)]).toEqual([
    1, 99, 100, 0, 0,
  ])
})

test('the rate is of the last minutes, and unknown at first', () => {
  let marks: readonly Mark[] = []
  for (let minute = 0; minute <= 10; minute++) marks = addMark(marks, { atMs: minute * 60_000, done: minute * 4 })
  expect(marks[0]?.atMs).toBe(5 * 60_000)
  expect(hourlyRate(marks)).toBe(240)
  expect(hourlyRate([{ atMs: 0, done: 0 }])).toBeUndefined()
  expect(hourlyRate(addMark([{ atMs: 0, done: 0 }], { atMs: 5_000, done: 9 }))).toBeUndefined()
})

test('the rate of a stopped campaign falls to zero', () => {
  let marks: readonly Mark[] = [{ atMs: 0, done: 0 }]
  for (let second = 1; second <= 400; second++) marks = addMark(marks, { atMs: second * 1_000, done: 10 })
  expect(hourlyRate(marks)).toBe(0)
  expect(marks.length).toBeLessThan(5)
})
