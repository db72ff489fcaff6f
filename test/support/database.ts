import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Clock } from '../../main/kernel/clock.ts'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import type { Migration } from '../../main/storage/migrate.ts'
import { markCleanShutdown } from '../../main/storage/clean-shutdown.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage, type OpenStorage, type Storage, type StorageDeps } from '../../main/storage/sqlite.ts'
import { fakeClock } from './clock.ts'
import { seededRandom } from './random.ts'

export interface TestDatabase {
  readonly db: Storage
  /** The home folder; the database is `switchboard.db` in it. */
  readonly dir: string
  /** A connection of the test's own, for looking at what was really written and for breaking things. */
  readonly raw: Database.Database
  /** Closes both and removes the folder. Harmless when repeated. */
  close(): Promise<void>
}

/**
 * A real database in a folder of its own, durable as in production.
 * @param more replaces what the storage is opened with, such as `clock`, `log` or `onFault`.
 */
export async function testDatabase(
  migrations: readonly Migration[] = MIGRATIONS,
  more: Partial<StorageDeps> & { readonly clock?: Clock } = {},
): Promise<TestDatabase> {
  const dir = tempFolder()
  const clock = more.clock ?? fakeClock()
  const ids = createIds(clock, seededRandom())
  const file = join(dir, 'switchboard.db')
  if (migrations === MIGRATIONS) await placeEmptyDatabase(file)
  const db = await openTestStorage({ file, migrations, ids, log: silentLog, ...more, clock })
  const raw = new Database(file)
  return {
    db,
    dir,
    raw,
    async close() {
      raw.close()
      await db.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Opens a database without preparing the statements of all rooms, which took a quarter of the tests' time: each is prepared
 * when it is first used. That all can be is tested in test/storage.
 */
export const openTestStorage: OpenStorage = (deps) => openStorage({ statements: [], ...deps })

let empty: Promise<string> | undefined

/** The tables are made once for each process: making them takes a quarter of the start of a service. */
export async function placeEmptyDatabase(file: string): Promise<void> {
  copyFileSync(await (empty ??= makeEmptyDatabase()), file)
  await markCleanShutdown(file)
}

async function makeEmptyDatabase(): Promise<string> {
  const dir = tempFolder()
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'switchboard.db')
  const clock = fakeClock()
  const ids = createIds(clock, seededRandom())
  await (await openTestStorage({ file, migrations: MIGRATIONS, ids, clock, log: silentLog })).close()
  return file
}

export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'switchboard-test-'))
}
