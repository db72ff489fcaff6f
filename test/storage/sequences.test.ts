import { afterEach, beforeEach, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../support/database.ts'
import { notebook, putReply } from './notebook.ts'

let home: TestDatabase

beforeEach(async () => {
  home = await testDatabase(notebook)
})

afterEach(() => home.close())

const take = () => home.db.commit((tx) => tx.next('events'))
const reserved = () => home.raw.prepare(`SELECT value FROM counters WHERE name = 'events'`).pluck().get()

test('a sequence counts from one in commit order, separately for each name', async () => {
  const numbers = await Promise.all([take(), take(), home.db.commit((tx) => tx.next('messages')), take()])

  expect(numbers).toEqual([1, 2, 1, 3])
})

test('a thousand numbers cost one write', async () => {
  for (let i = 0; i < 16; i++) await Promise.all(Array.from({ length: 64 }, take))

  expect(reserved()).toBe(2_000)
  expect(await take()).toBe(1_025)
})

test('a rolled back unit drops the block it reserved and repeats none of its numbers', async () => {
  let taken = 0
  const failing = home.db.commit(async (tx) => {
    taken = await tx.next('events')
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(reserved()).toBeUndefined()

  const next = await take()
  expect(next).toBeGreaterThan(taken)
  expect(reserved()).toBeGreaterThanOrEqual(next)
})

test('a rolled back unit takes no number from the other units of its group', async () => {
  const first = take()
  const failing = home.db.commit(async (tx) => {
    await tx.next('events')
    throw new Error('no')
  })
  const last = take()
  await expect(failing).rejects.toThrow('no')

  const [before, after] = [await first, await last]
  expect(after).toBeGreaterThan(before)
  expect(reserved()).toBeGreaterThanOrEqual(after)
  expect(await take()).toBeGreaterThan(after)
})

test('a rolled back group drops every block it reserved', async () => {
  const taken: number[] = []
  const units = [1, 2, 3].map((seq) =>
    home.db.commit(async (tx) => {
      taken.push(await tx.next('events'))
      await tx.run(putReply, { seq, note: 404 })
    }),
  )
  await Promise.allSettled(units)
  expect(reserved()).toBeUndefined()

  const next = await take()
  expect(taken).not.toContain(next)
  expect(reserved()).toBeGreaterThanOrEqual(next)
})

test('after commits are lost, a sequence that may have begun in them continues after the lost range', async () => {
  home.raw.prepare(`INSERT INTO counters (name, value) VALUES ('*', 1000000)`).run()

  expect(await take()).toBe(1_000_001)
})
