import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookInThread } from '../../main/storage/look.ts'
import { damageIndex } from '../support/damage.ts'
import { tempFolder } from '../support/database.ts'

const lookThrough = lookInThread(resolve(import.meta.dirname, '../../main/storage/look-thread.ts'))
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

test('a whole database is found whole, also while others write to it', async () => {
  const writer = new Database(file)
  const look = lookThrough(file)
  const put = writer.prepare('INSERT INTO notes VALUES (?, ?, NULL)')
  let seq = ROWS
  const timer = setInterval(() => put.run(++seq, `note-${seq}`), 1)
  expect(await look.found).toEqual([])
  clearInterval(timer)
  writer.close()
})

test('an index that does not agree with its table is found, which a quick check takes for whole', async () => {
  damageIndex(file, 'sqlite_autoindex_notes_1', `note-0${ROWS}`)
  const quick = new Database(file, { readonly: true })
  expect(quick.pragma('quick_check', { simple: true })).toBe('ok')
  quick.close()
  expect(await lookThrough(file).found).toEqual([`row ${ROWS} missing from index sqlite_autoindex_notes_1`])
})

test('a file that is no database any more is damage; one that is not there is a failure', async () => {
  const other = join(dir, 'other.db')
  copyFileSync(file, other)
  writeFileSync(other, Buffer.alloc(8_192, 0x5a))
  expect(await lookThrough(other).found).toEqual(['file is not a database'])
  await expect(lookThrough(join(dir, 'none.db')).found).rejects.toThrow('unable to open database file')
  await expect(lookInThread(join(dir, 'no-thread.js'))(file).found).rejects.toThrow('no-thread.js')
})

test('one that is told to end does so after the part that it is at, and says nothing of the rest', async () => {
  const look = lookThrough(file)
  look.end()
  expect(await look.found).toBeNull()
})
