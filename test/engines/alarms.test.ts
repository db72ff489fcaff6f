import { expect, test } from 'vitest'
import { createAlarms } from '../../main/engines/alarms.ts'
import { fakeClock } from '../support/clock.ts'

test('alarms fire at their time, in order, with one timer for all', async () => {
  const clock = fakeClock()
  const alarms = createAlarms(clock)
  const rung: string[] = []
  alarms.set('late', clock.now() + 3_500, () => rung.push('late'))
  alarms.set('soon', clock.now() + 40, () => rung.push('soon'))
  expect(clock.waiting()).toBe(1)
  await clock.advance(39)
  expect(rung).toEqual([])
  await clock.advance(1)
  expect(rung).toEqual(['soon'])
  await clock.advance(3_459)
  expect(rung).toEqual(['soon'])
  await clock.advance(1)
  expect(rung).toEqual(['soon', 'late'])
  expect(clock.waiting()).toBe(0)
})

test('an alarm is replaced by its name, and cleared by it', async () => {
  const clock = fakeClock()
  const alarms = createAlarms(clock)
  const rung: string[] = []
  alarms.set('a', clock.now() + 10, () => rung.push('first'))
  alarms.set('a', clock.now() + 20, () => rung.push('second'))
  alarms.set('b', clock.now() + 20, () => rung.push('b'))
  alarms.clear('b')
  await clock.advance(100)
  expect(rung).toEqual(['second'])
})

test('a wall clock that was set forward is noticed within a second', async () => {
  const clock = fakeClock()
  const alarms = createAlarms(clock)
  let rung = false
  alarms.set('tomorrow', clock.now() + 86_400_000, () => (rung = true))
  clock.suspend(86_400_000)
  await clock.advance(1_000)
  expect(rung).toBe(true)
})

test('a wall clock that was set back delays no alarm', async () => {
  const clock = fakeClock()
  const alarms = createAlarms(clock)
  const rung: string[] = []
  alarms.set('in five seconds', clock.now() + 5_000, () => rung.push('in five seconds'))
  clock.set(clock.now() - 3_600_000)
  alarms.set('in six', clock.now() + 6_000, () => rung.push('in six'))
  await clock.advance(4_999)
  expect(rung).toEqual([])
  await clock.advance(1)
  expect(rung).toEqual(['in five seconds'])
  await clock.advance(1_000)
  expect(rung).toEqual(['in five seconds', 'in six'])
})

test('after close no alarm fires and no timer is left', async () => {
  const clock = fakeClock()
  const alarms = createAlarms(clock)
  let rung = false
  alarms.set('a', clock.now() + 10, () => (rung = true))
  alarms.close()
  alarms.set('b', clock.now() + 10, () => (rung = true))
  await clock.advance(1_000)
  expect(rung).toBe(false)
  expect(clock.waiting()).toBe(0)
})
