import { spawn } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startNode } from '../../main/service/maintenance.ts'
import { createMaintenanceProcess } from '../../main/storage/maintenance-process.ts'
import { testMaintenanceProcess } from '../support/maintenance-process.ts'
import { damageIndex } from '../support/damage.ts'
import { tempFolder } from '../support/database.ts'

const { checkDatabase, copy } = testMaintenanceProcess
const ROWS = 20_000

let dir: string
let file: string

beforeEach(() => {
  dir = tempFolder()
  file = join(dir, 'switchboard.db')
  const connection = new Database(file)
  connection.pragma('journal_mode = WAL')
  connection.exec('CREATE TABLE notes (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT) STRICT')
  connection.exec('CREATE TABLE replies (seq INTEGER PRIMARY KEY, note INTEGER NOT NULL) STRICT')
  const put = connection.prepare('INSERT INTO notes VALUES (?, ?, ?)')
  connection.transaction(() => {
    for (let seq = 1; seq <= ROWS; seq++) put.run(seq, `note-${String(seq).padStart(6, '0')}`, 'x'.repeat(100))
  })()
  connection.close()
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('an intact database is reported as intact, also during writes', async () => {
  const writer = new Database(file)
  const look = checkDatabase(file)
  const put = writer.prepare('INSERT INTO notes VALUES (?, ?, NULL)')
  let seq = ROWS
  const timer = setInterval(() => put.run(++seq, `note-${seq}`), 1)
  expect(await look.problems).toEqual([])
  clearInterval(timer)
  writer.close()
})

test('an index that does not match its table is found, although a quick check misses it', async () => {
  damageIndex(file, 'sqlite_autoindex_notes_1', `note-0${ROWS}`)
  const quick = new Database(file, { readonly: true })
  expect(quick.pragma('quick_check', { simple: true })).toBe('ok')
  quick.close()
  expect(await checkDatabase(file).problems).toEqual([`row ${ROWS} missing from index sqlite_autoindex_notes_1`])
})

test('a file that is not a database counts as damage; a missing file is a failure', async () => {
  const other = join(dir, 'other.db')
  copyFileSync(file, other)
  writeFileSync(other, Buffer.alloc(8_192, 0x5a))
  expect(await checkDatabase(other).problems).toEqual(['file is not a database'])
  await expect(checkDatabase(join(dir, 'none.db')).problems).rejects.toThrow('unable to open database file')
  await expect(
    createMaintenanceProcess(join(dir, 'no-program.js'), startNode).checkDatabase(file).problems,
  ).rejects.toThrow('no-program.js')
})

test('a program that cannot be started is a failure and does not stop the service', async () => {
  const start = () => spawn(join(dir, 'no-node'), [], { stdio: ['ignore', 'pipe', 'pipe'] })
  await expect(createMaintenanceProcess('maintenance-program.js', start).checkDatabase(file).problems).rejects.toThrow(
    'ENOENT',
  )
})

test('a maintenance process that is told to end stops immediately, whatever it is doing, and reports nothing', async () => {
  const look = checkDatabase(file)
  look.kill()
  expect(await look.problems).toBeNull()
})

test('a backup holds all committed data in one file, and continues during writes', async () => {
  const writer = new Database(file)
  writer.exec('CREATE TABLE meta (name TEXT PRIMARY KEY)')
  const target = join(dir, 'copy.db')
  const { problems } = copy(file, target)
  const put = writer.prepare('INSERT INTO notes VALUES (?, ?, NULL)')
  let seq = ROWS
  const timer = setInterval(() => put.run(++seq, `note-${seq}`), 1)
  expect(await problems).toEqual([])
  clearInterval(timer)
  writer.close()
  const copied = new Database(target, { readonly: true })
  expect(copied.prepare('SELECT COUNT(*) FROM notes').pluck().get()).toBeGreaterThanOrEqual(ROWS)
  expect(copied.pragma('journal_mode', { simple: true })).toBe('delete')
  copied.close()
})

test('a failed backup reports the error of SQLite, which distinguishes a full disk from other errors', async () => {
  const { problems } = copy(join(dir, 'none.db'), join(dir, 'copy.db'))
  await expect(problems).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN', message: 'unable to open database file' })
})

test('damage is copied into the backup, and is found there', async () => {
  const writer = new Database(file)
  writer.exec('CREATE TABLE meta (name TEXT PRIMARY KEY)')
  writer.close()
  damageIndex(file, 'sqlite_autoindex_notes_1', `note-0${ROWS}`)
  expect(await copy(file, join(dir, 'copy.db')).problems).toEqual([
    `row ${ROWS} missing from index sqlite_autoindex_notes_1`,
  ])
})
