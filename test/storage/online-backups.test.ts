import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import type { MaintenanceTask } from '../../main/storage/maintenance-process.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder, testDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

type Found = readonly string[] | null

let asked: { database: string; answer: (found: Found) => void; fail: (error: Error) => void }[]
let data: TestDatabase

/** Writes a beginning, and answers when it is told to. */
function copy(database: string, target: string): MaintenanceTask {
  writeFileSync(target, 'the beginning of a copy')
  const { promise: problems, resolve: answer, reject: fail } = Promise.withResolvers<Found>()
  asked.push({ database, answer, fail })
  return { problems, kill: () => answer(null) }
}

const maintenanceProcess = {
  copy,
  checkDatabase: () => expect.unreachable('A copy is looked through where it is made'),
}

beforeEach(async () => {
  asked = []
  data = await testDatabase(undefined, { maintenanceProcess })
})
afterEach(() => data.close())

const kept = () => readdirSync(join(data.dir, 'backups'))

function writeBackup(): Promise<{ file: string; bytes: number }> {
  const copying = data.db.writeBackup('manual')
  copying.catch(() => {})
  expect(asked.map(({ database }) => database)).toEqual([join(data.dir, 'switchboard.db')])
  return copying
}

test('a backup gets its name once it is complete, and the service keeps working meanwhile', async () => {
  const copying = writeBackup()
  expect(kept()).toEqual([expect.stringMatching(/\.part$/)])
  await data.db.commit(async () => {})
  asked[0]?.answer([])
  const { file } = await copying
  expect(kept().map((name) => join(data.dir, 'backups', name))).toEqual([file])
})

test('a damaged copy is not kept as a backup', async () => {
  const copying = writeBackup()
  asked[0]?.answer(['row 7 missing from index'])
  await expect(copying).rejects.toThrow('row 7 missing from index')
  expect(kept()).toEqual([])
})

test('a copy that does not fit on the disk is not kept, and the error says so', async () => {
  const copying = writeBackup()
  asked[0]?.fail(new Database.SqliteError('database or disk is full', 'SQLITE_FULL'))
  await expect(copying).rejects.toMatchObject({ name: 'StorageError', kind: 'full' })
  expect(kept()).toEqual([])
})

test('closing the database does not wait for a running backup, which is not kept', async () => {
  const copying = writeBackup()
  await data.db.close()
  await expect(copying).rejects.toThrow('closed before the copy of it was whole')
  expect(kept()).toEqual([])
})

test('the leftovers of a process that died during a backup are removed by the next start', async () => {
  const dir = tempFolder()
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'backups'))
  const names = ['switchboard-20260105T120000Z-hourly.db.part', 'switchboard-20260105T120000Z-hourly.db.part-journal']
  for (const name of [...names, 'somebody-else.db']) writeFileSync(join(dir, 'backups', name), 'half of a copy')
  const clock = fakeClock()
  const ids = createIds(clock, seededRandom())
  const db = await openStorage({
    file: join(dir, 'switchboard.db'),
    migrations: MIGRATIONS,
    ids,
    clock,
    log: silentLog,
  })
  await db.close()
  expect(readdirSync(join(dir, 'backups'))).toEqual(['somebody-else.db'])
})
