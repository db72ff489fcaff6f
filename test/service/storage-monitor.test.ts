import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../main/config.ts'
import { StorageError } from '../../main/kernel/db.ts'
import { systemRandom } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { monitorStorage, type StorageMonitor } from '../../main/service/storage-monitor.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

const MINUTE = 60_000

let home: TestDatabase
let clock: FakeClock
let hear: (fault: StorageError) => void
const restart = vi.fn()
const open: StorageMonitor[] = []

beforeEach(async () => {
  restart.mockReset()
  clock = fakeClock()
  home = await testDatabase()
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((watch) => watch.close()))
  await home.close()
})

/** A process of the service that has just opened everything. */
function opened(more: { restart?: () => void } = { restart }): StorageMonitor {
  const machine = {
    argv: ['--home', home.dir],
    env: {},
    platform: process.platform,
    homedir: '/',
    readFile: () => null,
  }
  const world = {
    clock,
    random: systemRandom,
    config: readConfig(machine),
    log: silentLog,
    freeBytes: async () => 1e12,
  }
  const watch = monitorStorage(
    { ...world, ...more },
    {
      db: home.db,
      dataLosses: () => [],
      onFault: (act: typeof hear) => void (hear = act),
    } as never,
    { publish() {} },
  )
  open.push(watch)
  watch.start(() => {})
  return watch
}

const failure = (code: string) =>
  new StorageError('unknown', 'The storage failed', { cause: new Database.SqliteError('disk I/O error', code) })

test('D-04 a disk fault stops new work and reopens the storage immediately', () => {
  const watch = opened()
  hear(failure('SQLITE_IOERR_FSYNC'))
  hear(failure('SQLITE_IOERR_FSYNC'))

  expect(restart).toHaveBeenCalledOnce()
  expect([watch.writeGate.isOpen(), watch.isReadOnly(), watch.codes()]).toEqual([false, true, ['storage_read_only']])
  const text =
    'The disk failed at 2026-01-05T12:00:00.000Z (SQLITE_IOERR_FSYNC). Data is read-only and webhooks wait. ' +
    'Check the disk. Switchboard retries within ten minutes.'
  expect(watch.problems()).toEqual([{ code: 'disk_failed', text }])
})

test('D-04 the third disk fault in ten minutes makes the service read-only until they have passed', async () => {
  for (let fault = 0; fault < 2; fault++) {
    opened()
    hear(failure('SQLITE_IOERR_WRITE'))
    await clock.advance(3 * MINUTE)
  }
  const third = opened()
  hear(failure('SQLITE_IOERR_WRITE'))
  expect(restart).toHaveBeenCalledTimes(2)
  expect(third.isReadOnly()).toBe(true)

  await clock.advance(3 * MINUTE)
  expect(restart).toHaveBeenCalledTimes(2)
  await clock.advance(1.5 * MINUTE)
  expect(restart).toHaveBeenCalledTimes(3)
  await clock.advance(10 * MINUTE)
  expect(restart).toHaveBeenCalledTimes(3)
})

test('D-04 asks for a restart if the service cannot restart itself', () => {
  const watch = opened({})
  hear(failure('SQLITE_CORRUPT'))
  const text = expect.stringMatching(/\(SQLITE_CORRUPT\)\. .* Check the disk, then restart Switchboard\.$/)
  expect(watch.problems()).toEqual([{ code: expect.any(String), text }])
})

test('a refused constraint or a wrong statement is not a disk fault', () => {
  const watch = opened()
  hear(failure('SQLITE_CONSTRAINT_FOREIGNKEY'))
  hear(new StorageError('closed', 'The database is closed'))
  expect([restart.mock.calls.length, watch.writeGate.isOpen(), watch.problems()]).toEqual([0, true, []])
})
