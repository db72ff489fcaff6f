import { execFileSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIds } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { openStorage, type Storage, type StorageDeps } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { notebook, noteTexts, putBody } from './notebook.ts'

let dir: string
let file: string

beforeEach(() => {
  dir = tempFolder()
  file = join(dir, 'switchboard.db')
})

afterEach(() => rmSync(dir, { recursive: true, force: true }))

const clock = fakeClock()
const ids = createIds(clock, seededRandom())
/** Every size is large here. */
const open = (more: Partial<StorageDeps> = {}) =>
  openStorage({ file, migrations: notebook, ids, clock, log: silentLog, largeBytes: 1, ...more })

const DAMAGED = /^The database .*switchboard\.db is damaged/

/** Has a page that any look finds broken, and that no query here comes across. */
async function broken(): Promise<Storage> {
  const db = await open()
  await db.commit((tx) => tx.run(putBody, { seq: 1, text: 'long', body: Buffer.alloc(100_000, 7) }))
  await db.checkpoint()
  const connection = new Database(file, { readonly: true })
  const size = Number(connection.pragma('page_size', { simple: true }))
  const page = Number(connection.prepare("SELECT MIN(pageno) FROM dbstat WHERE pagetype = 'overflow'").pluck().get())
  connection.close()
  // The number of the page that comes next.
  const disk = openSync(file, 'r+')
  writeSync(disk, Buffer.alloc(4, 0xff), 0, 4, (page - 1) * size)
  closeSync(disk)
  return db
}

const opensUnlooked = async () => {
  const db = await open()
  expect(await db.read(noteTexts, {})).toEqual([{ text: 'long' }])
  await db.close()
}

test('a large database that was closed cleanly and not touched since is not checked again', async () => {
  await (await broken()).close()

  await opensUnlooked()
  await opensUnlooked()
  await expect(open({ checkDepth: 'closely' })).rejects.toThrow(DAMAGED)
})

test('a small database is checked even after a clean shutdown', async () => {
  await (await broken()).close()

  await expect(open({ largeBytes: statSync(file).size + 1 })).rejects.toThrow(DAMAGED)
})

test.each([
  ['written to', () => utimesSync(file, new Date(), new Date())],
  [
    'replaced by a copy of the same size and time',
    () => {
      execFileSync('cp', ['-p', file, `${file}.copy`])
      renameSync(`${file}.copy`, file)
    },
  ],
  ['given a log', () => writeFileSync(`${file}-wal`, 'a log')],
])('a database that was closed cleanly and then %s is checked', async (_, touch) => {
  await (await broken()).close()
  touch()

  await expect(open()).rejects.toThrow(DAMAGED)
})

test('a database is checked if its process died', async () => {
  const db = await broken()
  const dead = join(dir, 'dead')
  for (const part of ['', '-wal', '-shm']) cpSync(`${file}${part}`, `${dead}.db${part}`)
  await db.close()

  await expect(open({ file: `${dead}.db` })).rejects.toThrow('is damaged')
})

test('a clean shutdown skips the check for one start only', async () => {
  await (await broken()).close()
  const typo = { text: 'SELECT text FORM notes' }
  await expect(open({ statements: [typo] })).rejects.toThrow('syntax error')

  await expect(open()).rejects.toThrow(DAMAGED)
})
