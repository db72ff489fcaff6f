import { expect, test } from 'vitest'
import { appointmentAt, dueIn } from '../../main/kernel/due.ts'
import { readMeta, replaceMeta } from '../../main/kernel/meta.ts'
import { createSteadyClock, type ClockChange } from '../../main/kernel/steady-clock.ts'
import { fakeClock, settle } from '../support/clock.ts'
import { testDatabase } from '../support/database.ts'

const HOUR = 3_600_000

/** @param fails how many moves the storage refuses. */
function followed(fails = 0) {
  const clock = fakeClock()
  const steady = createSteadyClock(clock)
  const changes: ClockChange[] = []
  const held: (() => void)[] = []
  let isHeld = false
  steady.follow(async (change, release) => {
    // As a commit: never within the call.
    await (isHeld ? new Promise<void>((resolve) => held.push(resolve)) : Promise.resolve())
    release()
    if (fails-- > 0) throw new Error('full')
    changes.push(change)
  })
  return {
    ...{ clock, steady, changes },
    hold: () => void (isHeld = true),
    go() {
      isHeld = false
      held.shift()?.()
    },
  }
}

test.each([-24 * HOUR, -HOUR, HOUR, 72 * HOUR, 12 * 365 * 24 * HOUR])(
  'continues from the old time until due times have moved by %d ms',
  async (byMs) => {
    const { clock, steady, changes, hold, go } = followed()
    hold()
    const fromMs = steady.now()
    clock.set(fromMs + byMs)
    expect(steady.now()).toBe(fromMs)
    await clock.advance(2_000)
    expect(steady.now()).toBe(fromMs + 2_000)
    expect(changes).toEqual([])
    go()
    await settle()
    expect(changes).toEqual([{ byMs, fromMs }])
    expect(steady.now()).toBe(fromMs + byMs + 2_000)
  },
)

test('time during sleep counts as time that passed', async () => {
  const { clock, steady, changes } = followed()
  const before = steady.now()
  clock.suspend(9 * HOUR)
  expect(steady.now()).toBe(before + 9 * HOUR)
  steady.check()
  await settle()
  expect(changes).toEqual([])
})

test('a clock that is set during sleep moves only by the change', async () => {
  const { clock, steady, changes } = followed()
  const before = steady.now()
  clock.suspend(9 * HOUR)
  clock.set(clock.now() - HOUR)
  expect(steady.now()).toBe(before + 9 * HOUR)
  await settle()
  expect(changes).toEqual([{ byMs: -HOUR, fromMs: before + 9 * HOUR }])
  expect(steady.now()).toBe(before + 8 * HOUR)
})

test('small adjustments take effect immediately', async () => {
  const { clock, steady, changes } = followed()
  for (let i = 0; i < 100; i++) {
    clock.set(clock.now() + 500)
    expect(steady.now()).toBe(clock.now())
    await clock.advance(1_000)
    steady.check()
  }
  expect(changes).toEqual([])
})

test('retries a change that the storage refuses, and meanwhile continues from the old time', async () => {
  const { clock, steady, changes } = followed(1)
  const before = steady.now()
  clock.set(before - HOUR)
  expect(steady.now()).toBe(before)
  await settle()
  expect(steady.now()).toBe(before)
  await clock.advance(1_000)
  steady.check()
  await settle()
  expect(changes).toEqual([{ byMs: -HOUR, fromMs: before + 1_000 }])
  expect(steady.now()).toBe(before - HOUR + 1_000)
})

test.each([-HOUR, 72 * HOUR])(
  'a due time set before the clock changes by %d ms keeps its distance from now',
  async (byMs) => {
    const { clock, steady, hold, go } = followed()
    hold()
    const due = dueIn(steady, 60_000)
    const appointment = appointmentAt(steady.now() + 60_000)
    const before = [due.atMs, appointment.atMs]
    clock.set(clock.now() + byMs)
    steady.now()
    // Nothing has moved yet.
    expect([due.atMs, appointment.atMs]).toEqual(before)
    go()
    await settle()
    expect(due.atMs - steady.now()).toBe(60_000)
    expect(due.plus(1_000).atMs - steady.now()).toBe(61_000)
    expect(dueIn(steady, 5).atMs).toBe(clock.now() + 5)
    expect(appointment.atMs).toBe(before[1])
  },
)

test('due times do not move while the storage refuses the change', async () => {
  const { clock, steady } = followed(1)
  const due = dueIn(steady, 60_000)
  const before = due.atMs
  clock.set(clock.now() - HOUR)
  steady.now()
  await settle()
  expect(due.atMs).toBe(before)
  steady.check()
  await settle()
  expect(due.atMs).toBe(before - HOUR)
})

test('follows a clock that is set twice during a move', async () => {
  const { clock, steady, changes, hold, go } = followed()
  hold()
  const before = steady.now()
  clock.set(before + 12 * 365 * 24 * HOUR)
  steady.now()
  await settle()
  clock.set(before)
  expect(steady.now()).toBe(before)
  go()
  await settle()
  expect(changes.map(({ byMs }) => byMs)).toEqual([12 * 365 * 24 * HOUR, -12 * 365 * 24 * HOUR])
  expect(steady.now()).toBe(before)
})

test('a clock change noticed inside a transaction is applied after it, and the transaction is stored', async () => {
  const { db, close } = await testDatabase()
  const clock = fakeClock()
  const steady = createSteadyClock(clock)
  let moves = 0
  steady.follow((_change, release) =>
    db.commit(async () => {
      moves++
      release()
    }),
  )
  const fromMs = clock.now()
  clock.set(fromMs + HOUR)
  await expect(db.commit(async (tx) => replaceMeta(tx, 'noticed_at', String(steady.now())))).resolves.not.toThrow()
  await expect.poll(() => moves).toBe(1)
  expect(await readMeta(db, 'noticed_at')).toBe(String(fromMs))
  expect(steady.now()).toBe(fromMs + HOUR)
  await close()
})
