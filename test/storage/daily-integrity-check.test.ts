import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Log } from '../../main/kernel/log.ts'
import type { CheckDatabase } from '../../main/storage/maintenance-process.ts'
import { createDailyIntegrityCheck, type DailyIntegrityCheck } from '../../main/storage/daily-integrity-check.ts'
import { isMarkedDamaged } from '../../main/storage/damage-marker.ts'
import { fakeClock, settle, START_MS, type FakeClock } from '../support/clock.ts'
import { tempFolder } from '../support/database.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const WRONG = 'row 3 missing from index messages_by_chat'

let dir: string
let file: string
let clock: FakeClock
let daily: DailyIntegrityCheck
/** Rises with every commit. */
let revision = 0
let isBusy = false
/** What a look at each of these files finds; whole where nothing stands here. */
let wrongIn: Record<string, readonly string[] | Error>
let looks: string[]
let lines: object[]
const onFound = vi.fn()

const checkDatabase: CheckDatabase = (path) => {
  const name = path.slice(dir.length + 1)
  looks.push(name)
  const wrong = wrongIn[name] ?? []
  return { problems: wrong instanceof Error ? Promise.reject(wrong) : Promise.resolve(wrong), kill() {} }
}

function open(more: Partial<Parameters<typeof createDailyIntegrityCheck>[0]> = {}): DailyIntegrityCheck {
  const note = (line: object) => void lines.push(line)
  const log = { info: note, warn: note, error: note, debug: note } as unknown as Log
  const copies = () => ['newest.db', 'older.db', 'oldest.db'].map((name) => ({ name, file: join(dir, name) }))
  const db = { revision: () => (isBusy ? ++revision : revision) }
  const made = createDailyIntegrityCheck({ db, file, clock, log, copies, onFound, checkDatabase, ...more })
  made.start()
  return made
}

beforeEach(() => {
  dir = tempFolder()
  file = join(dir, 'switchboard.db')
  clock = fakeClock()
  isBusy = false
  wrongIn = {}
  ;[looks, lines] = [[], []]
  onFound.mockReset()
  daily = open()
})
afterEach(async () => {
  await daily.close()
  expect(clock.waiting()).toBe(0)
  rmSync(dir, { recursive: true, force: true })
})

test('the whole database is checked ten minutes after the start, and then once a day', async () => {
  await clock.advance(9 * MINUTE)
  expect([looks.length, daily.state()]).toEqual([0, { checkedAtMs: null, damage: null }])
  await clock.advance(MINUTE)
  expect([looks.length, daily.state().checkedAtMs, daily.problem()]).toEqual([1, START_MS + 10 * MINUTE, null])
  expect(lines).toEqual([{ event: 'storage.looked_through', ms: 0 }])
  await clock.advance(23 * HOUR)
  expect(looks).toHaveLength(1)
  await clock.advance(2 * HOUR)
  expect(looks).toHaveLength(2)
})

test('the check waits for a minute without writes, for six hours at most', async () => {
  isBusy = true
  await clock.advance(3 * HOUR)
  expect(looks).toHaveLength(0)
  isBusy = false
  await clock.advance(2 * MINUTE)
  expect(looks).toHaveLength(1)
  isBusy = true
  await clock.advance(24 * HOUR)
  expect(looks).toHaveLength(1)
  await clock.advance(6 * HOUR)
  expect(looks).toHaveLength(2)
})

test('damage is noted for the next start and reported, with what to do and which backup is intact', async () => {
  wrongIn = { 'switchboard.db': [WRONG, 'another'], 'newest.db': [WRONG], 'older.db': new Error('disk I/O error') }
  await clock.advance(10 * MINUTE)
  expect(looks).toEqual(['switchboard.db', 'newest.db', 'older.db', 'oldest.db'])
  expect(isMarkedDamaged(file)).toBe(true)
  expect(daily.state().damage).toEqual({ found: [WRONG, 'another'], backup: 'oldest.db' })
  const sentence =
    `The database is damaged (${WRONG}). Hourly backups are off. Restart Switchboard soon: it will restore the backup ` +
    'oldest.db, and changes after it will be lost.'
  expect(daily.problem()).toBe(sentence)
  expect(lines).toEqual([{ event: 'storage.damaged', found: [WRONG, 'another'], backup: 'oldest.db', next: sentence }])
  expect(onFound).toHaveBeenCalledOnce()
  // It is true until the next start, however often one looks.
  await clock.advance(48 * HOUR)
  expect(looks).toHaveLength(4)
})

test('damage is reported even if it cannot be noted', async () => {
  wrongIn = { 'switchboard.db': [WRONG] }
  rmSync(dir, { recursive: true })
  await clock.advance(10 * MINUTE)
  expect([daily.state().damage?.found, lines.length, onFound.mock.calls.length]).toEqual([[WRONG], 2, 1])
  expect(lines[0]).toMatchObject({ event: 'storage.damage_not_noted' })
})

test('if no backup is intact either, the report says not to quit before there is one', async () => {
  wrongIn = { 'switchboard.db': [WRONG], 'newest.db': [WRONG], 'older.db': [WRONG], 'oldest.db': [WRONG] }
  await clock.advance(10 * MINUTE)
  expect(daily.problem()).toMatch(/No backup is intact, .* Before you quit, copy an intact backup/)
})

test('a check that fails says nothing about the database, and is repeated in an hour', async () => {
  wrongIn = { 'switchboard.db': new Error('disk I/O error') }
  await clock.advance(10 * MINUTE)
  expect([daily.state(), daily.problem(), isMarkedDamaged(file)]).toEqual([
    { checkedAtMs: null, damage: null },
    null,
    false,
  ])
  expect(lines).toEqual([{ event: 'storage.look_failed', cause: expect.objectContaining({}) }])
  wrongIn = {}
  await clock.advance(59 * MINUTE)
  expect(looks).toHaveLength(1)
  await clock.advance(MINUTE)
  expect([looks.length, daily.state().checkedAtMs !== null]).toEqual([2, true])
})

test('a disk that fails to report recent writes does not stop the check, and is asked again', async () => {
  let isFailing = true
  const revision = () => {
    if (isFailing) throw new Error('disk I/O error')
    return 1
  }
  const failing = open({ db: { revision } })
  await clock.advance(MINUTE)
  expect(lines).toEqual([
    { event: 'storage.look_failed', cause: expect.objectContaining({ message: 'disk I/O error' }) },
  ])
  isFailing = false
  await clock.advance(10 * MINUTE)
  expect(failing.state().checkedAtMs).not.toBeNull()
  await failing.close()
})

test('closing stops the running check, waits for it to end, and reports no damage', async () => {
  await daily.close()
  const gate = Promise.withResolvers<readonly string[] | null>()
  const kill = vi.fn(() => gate.resolve(null))
  daily = open({ checkDatabase: () => ({ problems: gate.promise, kill }) })
  await clock.advance(10 * MINUTE)
  await daily.close()
  expect(kill).toHaveBeenCalled()
  expect([daily.state().checkedAtMs, lines, existsSync(join(dir, 'damage.json'))]).toEqual([null, [], false])
})

test('damage is noted even if the database is closed while an intact backup is searched for', async () => {
  await daily.close()
  const gate = Promise.withResolvers<readonly string[] | null>()
  const lookSlowly: CheckDatabase = (path) =>
    path === file
      ? { problems: Promise.resolve([WRONG]), kill() {} }
      : { problems: gate.promise, kill: () => gate.resolve(null) }
  daily = open({ checkDatabase: lookSlowly })
  await clock.advance(10 * MINUTE)
  await settle()
  await daily.close()
  expect([isMarkedDamaged(file), daily.state().damage, onFound.mock.calls.length]).toEqual([true, null, 0])
})
