import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { migrate, type Migration } from '../../main/storage/migrate.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

const fruit: Migration = { version: 1, name: 'fruit', sql: 'CREATE TABLE fruit (name TEXT PRIMARY KEY) STRICT' }
const colour: Migration = { version: 2, name: 'colour', sql: 'ALTER TABLE fruit ADD COLUMN colour TEXT' }
const broken: Migration = {
  version: 3,
  name: 'broken',
  sql: 'CREATE TABLE half (a TEXT) STRICT; CREATE TABLE fruit (b)',
}

let dir: string
let file: string

beforeEach(() => {
  dir = tempFolder()
  file = join(dir, 'home', 'switchboard.db')
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

async function openAndClose(...migrations: Migration[]): Promise<void> {
  const clock = fakeClock()
  const ids = createIds(clock, seededRandom())
  const db = await openStorage({ file, migrations, ids, clock, log: silentLog, statements: [] })
  await db.close()
}

function look<T>(path: string, act: (connection: Database.Database) => T): T {
  const connection = new Database(path)
  try {
    return act(connection)
  } finally {
    connection.close()
  }
}

const version = (path = file) => look(path, (connection) => connection.pragma('user_version', { simple: true }))
const backups = () => {
  const folder = join(dir, 'home', 'backups')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('a new home folder gets every migration and no backup', async () => {
  await openAndClose(fruit, colour)

  expect(version()).toBe(2)
  expect(backups()).toEqual([])
})

test('L-03 an existing database is backed up before it is changed, and the backup is intact', async () => {
  await openAndClose(fruit)
  look(file, (connection) => connection.exec(`INSERT INTO fruit VALUES ('apple')`))

  await openAndClose(fruit, colour)

  expect(version()).toBe(2)
  expect(look(file, (connection) => connection.prepare('SELECT * FROM fruit').all())).toEqual([
    { name: 'apple', colour: null },
  ])
  expect(backups()).toEqual(['switchboard-20260105T120000Z-before-schema-2.db'])
  const copy = join(dir, 'home', 'backups', backups()[0]!)
  expect(version(copy)).toBe(1)
  expect(look(copy, (connection) => connection.prepare('SELECT * FROM fruit').all())).toEqual([{ name: 'apple' }])
})

test('a database that is up to date is neither backed up nor changed', async () => {
  await openAndClose(fruit, colour)
  await openAndClose(fruit, colour)

  expect(backups()).toEqual([])
})

test('a failed upgrade is rolled back as a whole, and the previous version still opens the database', async () => {
  await openAndClose(fruit)

  await expect(openAndClose(fruit, colour, broken)).rejects.toThrow(
    'The database upgrade failed at schema step 3 (broken) and was undone',
  )

  expect(version()).toBe(1)
  expect(
    look(file, (connection) => connection.prepare(`SELECT name FROM sqlite_schema WHERE name = 'half'`).all()),
  ).toEqual([])
  await openAndClose(fruit)
})

test('L-03 repeatedly failing upgrades leave one backup, and another once the database has changed', async () => {
  await openAndClose(fruit)
  look(file, (connection) => connection.exec(`INSERT INTO fruit VALUES ('apple')`))
  const fail = () => expect(openAndClose(fruit, colour, broken)).rejects.toThrow('and was undone')
  for (let starts = 0; starts < 3; starts++) await fail()
  expect(backups()).toHaveLength(1)

  look(file, (connection) => connection.exec(`INSERT INTO fruit VALUES ('pear')`))
  for (let starts = 0; starts < 3; starts++) await fail()
  expect(backups()).toHaveLength(2)
  const counts = backups().map((name) =>
    look(join(dir, 'home', 'backups', name), (copy) => copy.prepare('SELECT count(*) FROM fruit').pluck().get()),
  )
  expect(counts).toEqual([1, 2])
})

test('an upgrade that does not fit on the disk says so, and changes nothing', async () => {
  await openAndClose(fruit)
  const filling: Migration = {
    version: 2,
    name: 'filling',
    sql: 'CREATE TABLE big (a BLOB) STRICT; INSERT INTO big VALUES (zeroblob(9000000))',
  }
  const connection = new Database(file)
  connection.pragma('max_page_count = 50')
  const upgrade = migrate({ connection, migrations: [fruit, filling], backupsFolder: null, nowMs: 0 })
  await expect(upgrade).rejects.toThrow(
    /step 2 \(filling\) and was undone: .* full. Free disk space and start again, or/,
  )
  connection.close()
  expect(version()).toBe(1)
})

test('a database of a newer build is refused with a message and left unchanged', async () => {
  await openAndClose(fruit, colour)

  await expect(openAndClose(fruit)).rejects.toThrow(
    `The database ${file} was written by a newer Switchboard (schema 2, this version supports 1). ` +
      'Install the newer version, go back to a backup from before the upgrade with npm run restore, or use another --home.',
  )
  expect(version()).toBe(2)
  expect(backups()).toEqual([])
})

test('the migrations of the product are numbered without gaps', () => {
  expect(MIGRATIONS.map((step) => step.version)).toEqual(MIGRATIONS.map((_, i) => i + 1))
  expect(new Set(MIGRATIONS.map((step) => step.name)).size).toBe(MIGRATIONS.length)
})
