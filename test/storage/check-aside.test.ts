import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Look } from '../../main/storage/look.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

let looked: { file: string; answer: (found: readonly string[] | null) => void }[]
let data: TestDatabase

beforeEach(async () => {
  looked = []
  data = await testDatabase(undefined, {
    lookThrough(file): Look {
      const { promise: found, resolve: answer } = Promise.withResolvers<readonly string[] | null>()
      looked.push({ file, answer })
      return { found, end: () => answer(null) }
    },
  })
})
afterEach(() => data.close())

const kept = () => readdirSync(join(data.dir, 'backups'))

test('a copy gets its name once it was looked through aside, and meanwhile everything goes on', async () => {
  const copying = data.db.backUp('manual')
  await expect.poll(() => looked.length).toBe(1)
  expect(kept()).toEqual([expect.stringMatching(/\.part$/)])
  await data.db.commit(async () => {})
  looked[0]?.answer([])
  const { file } = await copying
  expect(kept().map((name) => join(data.dir, 'backups', name))).toEqual([file])
})

test('one that is damaged is none', async () => {
  const copying = data.db.backUp('manual')
  copying.catch(() => {})
  await expect.poll(() => looked.length).toBe(1)
  looked[0]?.answer(['row 7 missing from index'])
  await expect(copying).rejects.toThrow('row 7 missing from index')
  expect(kept()).toEqual([])
})

test('whoever closes the database waits for no look, and the copy is none', async () => {
  const copying = data.db.backUp('manual')
  copying.catch(() => {})
  await expect.poll(() => looked.length).toBe(1)
  await data.db.close()
  await expect(copying).rejects.toThrow('closed before the copy of it was checked')
  expect(kept()).toEqual([])
})
