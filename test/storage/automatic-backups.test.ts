import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../main/kernel/log.ts'
import { automaticBackups, backupsToPrune } from '../../main/storage/automatic-backups.ts'
import { createIds } from '../../main/kernel/ids.ts'
import { openStorage, type Storage } from '../../main/storage/sqlite.ts'
import { fakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { notebook, putNote } from './notebook.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const GIGABYTE = 1_000_000_000

let dir: string
let db: Storage
let seq = 0
let isOn = true
let free = 100 * GIGABYTE
const clock = fakeClock()

beforeEach(async () => {
  dir = tempFolder()
  isOn = true
  free = 100 * GIGABYTE
  const ids = createIds(clock, seededRandom())
  db = await openStorage({
    file: join(dir, 'switchboard.db'),
    migrations: notebook,
    ids,
    clock,
    log: createLog('silent'),
  })
})
afterEach(async () => {
  await db.close()
  rmSync(dir, { recursive: true, force: true })
})

const write = () => db.commit((tx) => tx.run(putNote, { seq: ++seq, text: `note ${seq}` }))
const names = () => (existsSync(join(dir, 'backups')) ? readdirSync(join(dir, 'backups')).toSorted() : [])
const chore = () =>
  automaticBackups({
    ...{ db, clock, file: join(dir, 'switchboard.db'), log: createLog('silent') },
    isOn: () => isOn,
    freeBytes: async () => free,
  })

/** An hour goes by, in which something was written, or nothing. */
async function hour(backups: ReturnType<typeof chore>, isBusy = true): Promise<void> {
  clock.set(clock.now() + HOUR)
  if (isBusy) await write()
  await backups.begin()()
}

test('a complete, readable backup is made every hour if something changed, and none if nothing did', async () => {
  const backups = chore()
  await hour(backups)
  await hour(backups)
  await hour(backups, false)
  expect(names()).toHaveLength(2)
  const copy = new Database(join(dir, 'backups', names().at(-1) ?? ''), { readonly: true })
  expect(copy.prepare('SELECT COUNT(*) FROM notes').pluck().get()).toBe(2)
  copy.close()
})

test('the backups of 24 hours and one for each of the seven days before are kept; requested backups always stay', async () => {
  const { file: asked } = await db.writeBackup('manual')
  const backups = chore()
  for (let i = 0; i < 24 * 10; i++) await hour(backups)
  const hourly = names().filter((name) => name.includes('hourly'))
  expect(hourly.length).toBeGreaterThanOrEqual(24 + 6)
  expect(hourly.length).toBeLessThanOrEqual(24 + 7)
  expect(existsSync(asked)).toBe(true)
  const times = hourly.map((name) => name.slice(12, 23))
  expect(new Set(times.slice(-24)).size).toBe(24)
  expect(new Set(times.slice(0, -24).map((time) => time.slice(0, 8))).size).toBe(hourly.length - 24)
})

test('a start soon after the last backup makes no new one', async () => {
  await hour(chore())
  clock.set(clock.now() + 60_000)
  await write()
  await chore().begin()()
  expect(names()).toHaveLength(1)
})

test('a backup dated decades ahead by a wrong clock does not prevent later backups', async () => {
  const backups = chore()
  await hour(backups)
  const [right] = names()
  const now = clock.now()
  clock.set(Date.UTC(2038, 0, 1))
  for (let i = 0; i < 3; i++) await hour(backups)
  clock.set(now)
  for (let i = 0; i < 5; i++) await hour(backups)
  const hourly = names().filter((name) => !name.includes('-2038'))
  expect(hourly).toHaveLength(6)
  expect(hourly).toContain(right)
})

test('no backup is made if it would fill the disk, or if backups are turned off', async () => {
  const backups = chore()
  free = GIGABYTE
  await hour(backups)
  free = 100 * GIGABYTE
  isOn = false
  await hour(backups)
  expect(names()).toEqual([])
  isOn = true
  await hour(backups)
  expect(names()).toHaveLength(1)
})

test('a backup that fails leaves the older backups alone', async () => {
  const backups = chore()
  for (let i = 0; i < 3; i++) await hour(backups)
  const failing = automaticBackups({
    ...{ clock, file: join(dir, 'switchboard.db'), log: createLog('silent'), isOn: () => true },
    db: { ...db, writeBackup: () => Promise.reject(new Error('the disk is full')) },
    freeBytes: async () => free,
  })
  await expect(hour(failing)).rejects.toThrow('the disk is full')
  expect(names()).toHaveLength(3)
})

test('a day without a backup in its last hours keeps the backup it has', () => {
  const at = (ms: number) => `switchboard-${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}-hourly.db`
  const now = Date.UTC(2026, 0, 20, 12)
  const recent = Array.from({ length: 24 }, (_, i) => at(now - i * HOUR))
  const [monday, early] = [at(now - 5 * DAY), at(now - 5 * DAY - 3 * HOUR)]
  const ancient = at(now - 20 * DAY)
  expect(backupsToPrune([...recent, monday, early, ancient, 'notes.txt'], now)).toEqual([early, ancient])
})
