import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { declaredStatements } from '../../main/kernel/sql.ts'
import { openStorage, type StorageDeps } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder, testDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { countNotes, notebook, noteTexts, putBody, putNote } from './notebook.ts'

let dir: string
let file: string

beforeEach(() => {
  dir = tempFolder()
  file = join(dir, 'switchboard.db')
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

const clock = fakeClock()
const ids = createIds(clock, seededRandom())
const open = (more: Partial<StorageDeps> = {}) =>
  openStorage({ file, migrations: notebook, ids, clock, log: silentLog, ...more })

test.each([
  ['synchronous', 2],
  ['journal_mode', 'wal'],
  ['auto_vacuum', 2],
  ['foreign_keys', 1],
  ['journal_size_limit', 67_108_864],
  ['mmap_size', 0],
  ['trusted_schema', 0],
])('the writing connection has %s = %j', async (name, value) => {
  const db = await open()
  const row = await db.commit((tx) => tx.one({ text: `PRAGMA ${name}` }, {}))

  expect(row).toEqual({ [name]: value })
  await db.close()
})

test('the reading connection cannot write', async () => {
  const db = await open()

  const write = { text: `INSERT INTO notes (seq, text) VALUES (1, 'no') RETURNING seq` }
  await expect(db.read(write, {})).rejects.toThrow('attempt to write a readonly database')
  await db.close()
})

test('a typo in a declared statement fails at start with the text of the statement', async () => {
  const typo = { text: 'SELECT text FORM notes' }

  await expect(open({ statements: [...declaredStatements(), typo] })).rejects.toThrow(
    'near "notes": syntax error in: SELECT text FORM notes',
  )
  const unknown = { text: 'UPDATE notes SET colour = :colour' }
  await expect(open({ statements: [unknown] })).rejects.toThrow(
    'no such column: colour in: UPDATE notes SET colour = :colour',
  )
  await (await open()).close()
})

test('every opening creates a new boot id', async () => {
  const first = await open()
  await first.close()
  const second = await open()
  await second.close()

  expect(first.boot).toMatch(/^boot_/)
  expect(second.boot).not.toBe(first.boot)
})

test('closing leaves one file that contains everything', async () => {
  const db = await open()
  await db.commit((tx) => tx.run(putNote, { seq: 1, text: 'kept' }))
  await db.close()
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined()

  copyFileSync(file, `${file}.copy`)
  const copy = await open({ file: `${file}.copy` })
  expect(await copy.read(noteTexts, {})).toEqual([{ text: 'kept' }])
  await copy.close()
})

test('all reads of one event-loop turn share a snapshot, which includes every earlier commit', async () => {
  const db = await open()
  const other = new Database(file)
  await db.commit((tx) => tx.run(putNote, { seq: 1, text: 'first' }))
  expect(await db.read(noteTexts, {})).toEqual([{ text: 'first' }])
  other.exec("INSERT INTO notes (seq, text) VALUES (2, 'from outside')")
  expect(await db.read(noteTexts, {})).toEqual([{ text: 'first' }])

  await db.commit((tx) => tx.run(putNote, { seq: 3, text: 'third' }))
  expect(await db.read(noteTexts, {})).toHaveLength(3)
  other.exec("INSERT INTO notes (seq, text) VALUES (4, 'from outside again')")
  await new Promise((resolve) => setImmediate(resolve))
  expect(await db.read(noteTexts, {})).toHaveLength(4)
  other.close()
  await db.close()
})

test('a checkpoint empties the log', async () => {
  const db = await open()
  await db.commit((tx) => tx.run(putNote, { seq: 1, text: 'kept' }))
  expect(await db.read(noteTexts, {})).toEqual([{ text: 'kept' }])
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)

  await db.checkpoint()

  expect(statSync(`${file}-wal`).size).toBe(0)
  await db.close()
})

test('a checkpoint does not wait for readers, and later commits keep their busy timeout', async () => {
  const db = await open()
  const other = new Database(file)
  other.exec('BEGIN; SELECT count(*) FROM notes')
  await db.commit((tx) => tx.run(putNote, { seq: 1, text: 'kept' }))

  const begun = performance.now()
  await db.checkpoint()

  // Waiting for the reader, it would take the five seconds of every commit.
  expect(performance.now() - begun).toBeLessThan(4_500)
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
  expect(await db.commit((tx) => tx.one({ text: 'PRAGMA busy_timeout' }, {}))).toEqual({ timeout: 5_000 })
  other.exec('COMMIT')
  other.close()
  await db.checkpoint()
  expect(statSync(`${file}-wal`).size).toBe(0)
  expect(await db.read(noteTexts, {})).toEqual([{ text: 'kept' }])
  await db.close()
})

test('the space of removed rows is returned to the disk in small steps, except what is needed next', async () => {
  const db = await open()
  const body = Buffer.alloc(100_000, 7)
  for (let i = 0; i < 20; i++) {
    await db.commit(async (tx) => {
      for (let n = 0; n < 20; n++) await tx.run(putBody, { seq: 20 * i + n, text: `note ${20 * i + n}`, body })
    })
  }
  const before = db.bytes()
  expect(before).toBeGreaterThan(40_000_000)
  expect(await db.shrink()).toBe(false)

  await db.commit((tx) => tx.run({ text: 'DELETE FROM notes' }, {}))
  let steps = 1
  while (await db.shrink()) steps++
  expect(steps).toBeGreaterThan(10)
  await db.checkpoint()
  expect(statSync(file).size).toBe(db.bytes())
  expect(db.bytes()).toBeLessThan(before / 2)
  expect(db.bytes()).toBeGreaterThan(10_000_000)
  await db.close()
  expect(await db.shrink()).toBe(false)
})

test('the log stays bounded while many callers read and write without a pause', async () => {
  const home = await testDatabase(notebook)
  const body = Buffer.alloc(3_000, 7)
  let largest = 0
  for (let round = 0; round < 400; round++) {
    const units = Array.from({ length: 64 }, (_, i) => {
      const seq = round * 64 + i
      return home.db.commit((tx) => tx.run(putBody, { seq, text: `note ${seq}`, body }))
    })
    await Promise.all([...units, home.db.read(countNotes, {})])
    largest = Math.max(largest, statSync(join(home.dir, 'switchboard.db-wal')).size)
  }
  expect(statSync(join(home.dir, 'switchboard.db')).size).toBeGreaterThan(64 * 2 ** 20)
  expect(largest).toBeLessThan(40 * 2 ** 20)
  await home.close()
})

test.each([
  ['another kind of file', () => writeFileSync(file, 'This is a letter, not a database. '.repeat(100))],
  [
    'damaged pages',
    () => {
      const bytes = readFileSync(file)
      bytes.fill(0xff, 4_096)
      writeFileSync(file, bytes)
    },
  ],
])('%s is refused with a message that says what to do, and is not changed', async (_, damage) => {
  await (await open()).close()
  damage()
  const before = readFileSync(file)

  await expect(open()).rejects.toThrow(
    /^The database .*switchboard\.db is damaged .*\. The backups folder next to it has no intact backup/,
  )

  expect(readFileSync(file).equals(before)).toBe(true)
})
