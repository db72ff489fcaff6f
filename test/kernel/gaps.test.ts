import { expect, test } from 'vitest'
import { createClockJumps } from '../../main/kernel/clock-jumps.ts'
import { fakeClock } from '../support/clock.ts'

function watched() {
  const clock = fakeClock()
  const gaps = createClockJumps(clock)
  const seen: number[] = []
  gaps.onGap(() => seen.push(clock.now()))
  return { clock, gaps, seen }
}

test('time that passes evenly is no gap, however long', async () => {
  const { clock, gaps, seen } = watched()
  gaps.start()
  await clock.advance(3_600_000)
  expect(gaps.look()).toBe(0)
  expect(seen).toEqual([])
  gaps.close()
  expect(clock.waiting()).toBe(0)
})

test.each([6_000, -6_000, 3_600_000, -86_400_000])(
  'a clock set by %d ms is one gap, found within a second',
  async (ms) => {
    const { clock, gaps, seen } = watched()
    gaps.start()
    await clock.advance(10_000)
    clock.set(clock.now() + ms)
    await clock.advance(1_000)
    expect(seen).toHaveLength(1)
    await clock.advance(60_000)
    expect(seen).toHaveLength(1)
    gaps.close()
  },
)

test('a clock that is drawn along slowly is no gap', async () => {
  const { clock, gaps, seen } = watched()
  gaps.start()
  for (let i = 0; i < 100; i++) {
    clock.set(clock.now() + 500)
    await clock.advance(1_000)
  }
  expect(seen).toEqual([])
  gaps.close()
})

test('whoever looks before the tick comes finds the sleep at once, and the tick does not find it again', async () => {
  const { clock, gaps, seen } = watched()
  // Not started: no tick comes, as in a process that does not run.
  await clock.advance(20_000)
  expect(gaps.look()).toBe(1)
  gaps.start()
  await clock.advance(5_000)
  expect(seen).toHaveLength(1)
  gaps.close()
})

test('what the system says is believed', () => {
  const { gaps, seen } = watched()
  gaps.suspect()
  expect(seen).toHaveLength(1)
  expect(gaps.look()).toBe(1)
})
