import { expect, test } from 'vitest'
import { createHousekeeping, type Chore } from '../../main/kernel/housekeeping.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { fakeClock, settle } from '../support/clock.ts'

const HOUR = 3_600_000

function house(chores: (done: string[]) => readonly Chore[]) {
  const clock = fakeClock()
  const done: string[] = []
  const housekeeping = createHousekeeping({ clock, log: silentLog, chores: chores(done) })
  housekeeping.start()
  return { clock, done, housekeeping }
}

/** A chore of so many steps. */
const chore = (name: string, steps: number, done: string[]): Chore => ({
  name,
  begin() {
    let left = steps
    return async () => {
      done.push(`${name} ${left}`)
      return --left > 0
    }
  },
})

test('every chore runs to its end, one after the other, a minute after the start and then every hour', async () => {
  const { clock, done, housekeeping } = house((list) => [chore('a', 2, list), chore('b', 1, list)])
  await clock.advance(59_000)
  expect(done).toEqual([])
  await clock.advance(2_000)
  expect(done).toEqual(['a 2', 'a 1', 'b 1'])
  await clock.advance(HOUR - 10_000)
  expect(done).toHaveLength(3)
  await clock.advance(10_000)
  expect(done).toHaveLength(6)
  await housekeeping.close()
  expect(clock.waiting()).toBe(0)
})

test('yields to other work between two steps', async () => {
  const { clock, done, housekeeping } = house((list) => [chore('a', 100, list)])
  await clock.advance(60_000)
  await clock.advance(500)
  expect(done.length).toBeGreaterThan(10)
  expect(done.length).toBeLessThan(30)
  const closing = housekeeping.close()
  await clock.advance(100)
  await closing
})

/** A chore whose one act is done where it begins, or in its step. */
const acting = (act: () => void, isAtOnce: boolean): Chore => ({
  name: 'acting',
  begin() {
    if (isAtOnce) act()
    return async () => {
      if (!isAtOnce) act()
      return false
    }
  },
})

test.each([
  ['as it begins', true],
  ['in a step', false],
])('a chore that fails %s does not stop the others, and starts again in the next hour', async (_when, isAtOnce) => {
  let isBroken = true
  const { clock, done, housekeeping } = house((list) => {
    const mend = () => {
      if (isBroken) throw new Error('the disk is full')
      list.push('mended')
    }
    return [acting(mend, isAtOnce), chore('b', 1, list)]
  })
  await clock.advance(61_000)
  expect(done).toEqual(['b 1'])
  isBroken = false
  await clock.advance(HOUR)
  expect(done).toEqual(['b 1', 'mended', 'b 1'])
  await housekeeping.close()
})

test('closing waits for the current step and starts no other', async () => {
  const gate = Promise.withResolvers<boolean>()
  const { clock, housekeeping } = house(() => [{ name: 'long', begin: () => () => gate.promise }])
  await clock.advance(61_000)
  let isClosed = false
  const closing = housekeeping.close().then(() => (isClosed = true))
  await settle()
  expect(isClosed).toBe(false)
  gate.resolve(true)
  await clock.advance(100)
  await closing
  expect(isClosed).toBe(true)
})
