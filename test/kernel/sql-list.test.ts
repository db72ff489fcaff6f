import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqlOfList } from '../../main/kernel/sql-list.ts'
import type { Migration } from '../../main/storage/migrate.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

const NUMBERS: Migration = { version: 1, name: 'numbers', sql: 'CREATE TABLE numbers (n INTEGER PRIMARY KEY) STRICT' }
const among = sqlOfList<number, { least: number }, { n: number }>(
  (list) => `SELECT n FROM numbers WHERE n IN (${list}) AND n >= :least ORDER BY n`,
)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

let data: TestDatabase
beforeAll(async () => {
  data = await testDatabase([NUMBERS], { statements: [] })
  const add = data.raw.prepare('INSERT INTO numbers VALUES (?)')
  for (const n of upTo(300)) add.run(n)
})
afterAll(() => data.close())

async function found(values: readonly number[], least = 0) {
  const turns = await among.over(values, { least }, (...run) => data.db.read(...run))
  return { turns: turns.length, numbers: turns.flat().map(({ n }) => n) }
}

test.each([
  { count: 0, turns: 0 },
  { count: 1, turns: 1 },
  { count: 2, turns: 1 },
  { count: 8, turns: 1 },
  { count: 9, turns: 1 },
  { count: 64, turns: 1 },
  { count: 65, turns: 2 },
  { count: 200, turns: 4 },
])('finds all of a list of $count values, in $turns queries', async ({ count, turns }) => {
  expect(await found(upTo(count))).toEqual({ turns, numbers: upTo(count) })
})

test('the other parameters apply to every query', async () => {
  expect((await found(upTo(100), 63)).numbers).toEqual(upTo(100).slice(62))
})

test('a missing value is not found, and a repeated value is found once', async () => {
  expect((await found([7, 7, 999])).numbers).toEqual([7])
})

test('queries run one after another, and one that fails ends the list', async () => {
  const begun: number[] = []
  const run = async (_: unknown, { least }: { least: number }) => {
    begun.push(least)
    await Promise.resolve()
    throw new Error('refused')
  }

  await expect(among.over(upTo(130), { least: 5 }, run)).rejects.toThrow('refused')
  expect(begun).toEqual([5])
})
