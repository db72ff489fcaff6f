import { expect, test } from 'vitest'
import { createNoticeBus } from '../../main/kernel/notice-bus.ts'
import { fakeClock } from '../support/clock.ts'

function setUp() {
  const clock = fakeClock()
  const live = createNoticeBus<{ topic: string; id?: string }>(clock)
  const heard: string[] = []
  live.subscribe(({ notice }) => heard.push(`${notice.topic} ${notice.id ?? ''}`.trim()))
  return { clock, live, heard }
}

test('a notice is told at once, to everybody who listens and to nobody who left', () => {
  const { live, heard } = setUp()
  const others: unknown[] = []
  const leave = live.subscribe((told) => others.push(told))
  live.publish({ topic: 'keys', id: '1' })
  leave()
  live.publish({ topic: 'keys', id: '2' })
  expect(heard).toEqual(['keys 1', 'keys 2'])
  expect(others).toHaveLength(1)
})

test('one that repeats itself is told five times a second, and the last time is never lost', async () => {
  const { clock, live, heard } = setUp()
  for (let ms = 0; ms < 1_000; ms += 10) {
    live.publish({ topic: 'messages' })
    await clock.advance(10)
  }
  const during = heard.length
  expect(during).toBeGreaterThanOrEqual(4)
  expect(during).toBeLessThanOrEqual(6)
  await clock.advance(300)
  expect(heard.length).toBeLessThanOrEqual(during + 1)
  await clock.advance(5_000)
  expect(clock.waiting()).toBe(0)
})

test('a change during the silence is told within 250 ms', async () => {
  const { clock, live, heard } = setUp()
  live.publish({ topic: 'keys' })
  await clock.advance(5)
  live.publish({ topic: 'keys' })
  expect(heard).toHaveLength(1)
  await clock.advance(245)
  expect(heard).toHaveLength(2)
  live.close()
})

test('who was away for a while hears what it missed, in order; who was away too long is told so', () => {
  const { live } = setUp()
  const from = live.latest()
  for (let i = 1; i <= 5_000; i++) live.publish({ topic: 'keys', id: String(i) })
  expect(live.latest()).toBe(from + 5_000)
  expect(live.since(live.latest())).toEqual([])
  expect(live.since(from + 4_998)?.map(({ id, notice }) => [id, notice.id])).toEqual([
    [from + 4_999, '4999'],
    [from + 5_000, '5000'],
  ])
  expect(live.since(from + 4_000)).toHaveLength(1_000)
  expect(live.since(from + 3_999)).toBeUndefined()
  expect(live.since(from)).toBeUndefined()
  live.close()
})

test('numbers of another boot are not taken for ours', async () => {
  const { clock, live } = setUp()
  live.publish({ topic: 'keys' })
  const before = live.latest()
  live.close()
  await clock.advance(1_000)
  const next = createNoticeBus<{ topic: string }>(clock)
  expect(next.since(before)).toBeUndefined()
  next.publish({ topic: 'keys' })
  expect(next.since(before)).toBeUndefined()
  expect(next.since(next.latest() + 1)).toBeUndefined()
  next.close()
})
