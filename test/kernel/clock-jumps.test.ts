import { expect, test } from 'vitest'
import { createClockJumps } from '../../main/kernel/clock-jumps.ts'
import { fakeClock } from '../support/clock.ts'

function watched() {
  const clock = fakeClock()
  const clockJumps = createClockJumps(clock)
  const seen: number[] = []
  clockJumps.onJump(() => seen.push(clock.now()))
  return { clock, clockJumps, seen }
}

test('reports no jump while time passes evenly, even over an hour', async () => {
  const { clock, clockJumps, seen } = watched()
  clockJumps.start()
  await clock.advance(3_600_000)
  expect(clockJumps.check()).toBe(0)
  expect(seen).toEqual([])
  clockJumps.close()
  expect(clock.waiting()).toBe(0)
})

test.each([6_000, -6_000, 3_600_000, -86_400_000])(
  'a clock that is set by %d ms is reported as one jump within a second',
  async (ms) => {
    const { clock, clockJumps, seen } = watched()
    clockJumps.start()
    await clock.advance(10_000)
    clock.set(clock.now() + ms)
    await clock.advance(1_000)
    expect(seen).toHaveLength(1)
    await clock.advance(60_000)
    expect(seen).toHaveLength(1)
    clockJumps.close()
  },
)

test('reports no jump when the clock drifts slowly', async () => {
  const { clock, clockJumps, seen } = watched()
  clockJumps.start()
  for (let i = 0; i < 100; i++) {
    clock.set(clock.now() + 500)
    await clock.advance(1_000)
  }
  expect(seen).toEqual([])
  clockJumps.close()
})

test('a check before the next tick finds a sleep, and the tick does not report it again', async () => {
  const { clock, clockJumps, seen } = watched()
  // Not started: no tick comes, as in a process that does not run.
  await clock.advance(20_000)
  expect(clockJumps.check()).toBe(1)
  clockJumps.start()
  await clock.advance(5_000)
  expect(seen).toHaveLength(1)
  clockJumps.close()
})

test('a jump that the operating system reports counts as a jump', () => {
  const { clockJumps, seen } = watched()
  clockJumps.report()
  expect(seen).toHaveLength(1)
  expect(clockJumps.check()).toBe(1)
})
