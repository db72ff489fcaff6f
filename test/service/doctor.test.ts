import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../main/config.ts'
import { dueIn, type Due } from '../../main/kernel/due.ts'
import { createFiles, pathOfFile } from '../../main/kernel/files.ts'
import { createIds, type AccountId } from '../../main/kernel/ids.ts'
import { checkFiles } from '../../main/service/doctor/files.ts'
import { createLogFile } from '../../main/kernel/log-file.ts'
import { checkProtocol } from '../../main/service/doctor/protocol.ts'
import { checkLog } from '../../main/service/doctor/log.ts'
import { checkBackups } from '../../main/service/doctor/home-folder.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { seededRandom } from '../support/random.ts'
import { testDatabase, type TestDatabase } from '../support/database.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let home: TestDatabase
let clock: FakeClock

beforeEach(async () => {
  clock = fakeClock()
  home = await testDatabase(undefined, { clock })
})
afterEach(() => home.close())

let seq = 0
function happen(): void {
  home.raw
    .prepare("INSERT INTO events VALUES (?, ?, 1, 1, 'message.sent', ?, '{', '}', NULL)")
    .run(++seq, `evt_${seq}`, clock.now())
}

/** @param startedAtMs null: no service runs. */
function found(startedAtMs: number | null, ...flags: string[]) {
  const machine = { env: {}, platform: process.platform, homedir: home.dir, readFile: () => null }
  const config = readConfig({ ...machine, argv: ['--home', home.dir, ...flags] })
  return checkBackups(config, clock.now(), startedAtMs)
}

const well = { state: 'well', says: expect.stringMatching(/, and intact\.$/) }

/** A copy, and then hours in each of which something happens. */
async function uncopiedHours(hours: number): Promise<void> {
  await home.db.writeBackup('hourly')
  for (let n = 0; n < hours; n++) {
    happen()
    if (n < hours - 1) await clock.advance(HOUR)
  }
}

test('reports missing hourly copies while the service runs, and since when', async () => {
  const startedAtMs = clock.now()
  await uncopiedHours(3)
  expect(found(startedAtMs)).toMatchObject(well)

  await clock.advance(HOUR)
  happen()
  expect(found(startedAtMs)).toEqual({
    subject: 'backups',
    state: 'look',
    says:
      'The newest of 1, switchboard-20260105T120000Z-hourly.db, is from 2026-01-05T12:00:00.000Z, and changes since ' +
      '2026-01-05T12:00:00.000Z are not backed up. Check the log for housekeeping.failed and storage.backup_skipped, ' +
      'and create a backup with: npm run backup',
  })
  expect(found(startedAtMs, '--backups', 'off')).toMatchObject(well)

  await home.db.writeBackup('manual')
  expect(found(startedAtMs)).toMatchObject(well)
})

test('reports missing hourly copies after the service ended', async () => {
  await uncopiedHours(4)
  await clock.advance(20 * DAY)
  expect(found(null)).toMatchObject({ state: 'look', says: expect.stringContaining('since 2026-01-05T12:00:00.000Z') })
})

test('reports no old copy if nothing changed, no service ran, all slept, or it just started', async () => {
  const startedAtMs = clock.now()
  await uncopiedHours(0)
  await clock.advance(20 * DAY)
  expect([found(startedAtMs), found(null)]).toMatchObject([well, well])

  happen()
  await clock.advance(5 * HOUR)
  happen()
  expect([found(startedAtMs), found(null)]).toMatchObject([well, well])

  for (let hour = 0; hour < 3; hour++) {
    await clock.advance(HOUR)
    happen()
  }
  expect([found(clock.now() - 10 * MINUTE), found(null)]).toMatchObject([well, { state: 'look' }])
})

test('reports missing and truncated files with their owner', async () => {
  const folder = join(home.dir, 'files')
  const files = createFiles({ db: home.db, clock, ids: createIds(clock, seededRandom(1)), folder })
  const about = { accountId: 'account' as AccountId, name: null, mimeType: 'audio/ogg', maxBytes: 100 }
  const store = (kind: string, expiresAt: Due | null = null) =>
    files.store(Readable.from([Buffer.from('sound')]), { ...about, kind, expiresAt })
  const [whole, gone, short] = [
    await store('voice.recording'),
    await store('voice.recording'),
    await store('messages.media'),
  ]
  await store('messages.media', dueIn(clock, MINUTE))
  expect(await checkFiles(home.dir, home.db, clock.now())).toEqual({
    ...{ subject: 'files', state: 'well', says: `4 in ${folder}, each of them complete.` },
  })

  rmSync(pathOfFile(folder, gone.id))
  truncateSync(pathOfFile(folder, short.id), 2)
  const { state, says } = await checkFiles(home.dir, home.db, clock.now() + 2 * MINUTE)
  expect(state).toBe('broken')
  expect(says).toContain(`1 of voice.recording (${gone.id}); 1 of messages.media (${short.id}).`)
  expect(says).not.toContain(whole.id)
})

describe('the log', () => {
  const log = () =>
    createLogFile({ folder: join(home.dir, 'logs'), clock, level: 'info', bytes: 100_000, files: 3, folders: [] })
  const looked = (logFiles = 3) => checkLog({ home: home.dir, logFiles })

  test('has no fault if no line is missing, or before it exists', () => {
    expect(looked()).toMatchObject({ subject: 'log', state: 'well' })
    const file = log()
    file.info({ event: 'first' })
    file.close()
    expect(looked()).toMatchObject({ state: 'well' })
  })

  test('reports lines that could not be written, also after the service ended', async () => {
    writeFileSync(join(home.dir, 'logs'), '')
    const file = log()
    for (let i = 0; i < 3; i++) file.warn({ event: 'lost' })
    expect(file.problem()).toContain('Lines missing so far: 3.')
    expect(looked()).toMatchObject({ state: 'look', says: expect.stringContaining("Can't write log files") })
    rmSync(join(home.dir, 'logs'))
    await clock.advance(1_000)
    file.warn({ event: 'written' })
    file.close()
    expect(looked()).toEqual({
      subject: 'log',
      state: 'look',
      says: expect.stringMatching(
        /^Lines missing from the log files in .*: 3, the last before 2026-01-05T12:00:01\.000Z\./,
      ),
    })
  })

  test('is reported if it is off', () => {
    expect(looked(0)).toMatchObject({ state: 'look', says: expect.stringContaining('are off') })
  })
})

describe('the version of WhatsApp Web', () => {
  const pair = () =>
    home.raw.prepare("INSERT INTO smv2_sessions VALUES ('shop', 'account', 1, x'00', 1, 0, NULL, NULL)").run()
  const learn = (days: number) =>
    home.raw.prepare("INSERT INTO smv2_protocol VALUES (1, '2.3000.1050000000', ?)").run(clock.now() - days * 24 * HOUR)
  const check = (configured: string | null = null) => checkProtocol(home.db, configured, clock.now())

  test('is not checked if no phone is paired', async () => {
    expect(await check()).toEqual([])
  })

  test('is reported with its age', async () => {
    pair()
    learn(3)
    expect(await check()).toEqual([
      {
        subject: 'whatsapp',
        state: 'well',
        says: 'WhatsApp last named version 2.3000.1050000000 of WhatsApp Web, 3 days ago.',
      },
    ])
  })

  test.each([
    ['was never looked up', () => {}, null, /has not said yet .*check that it reaches web\.whatsapp\.com/],
    ['is so old that it will be refused', () => learn(90), null, /90 days ago\. WhatsApp refuses versions of that age/],
    ['is fixed by the settings', () => learn(3), '2.3000.1', /version 2\.3000\.1 .*which the settings fix/],
  ] as const)('is a warning if it %s', async (_what, prepare, configured, says) => {
    pair()
    prepare()
    expect(await check(configured)).toMatchObject([{ state: 'look', says: expect.stringMatching(says) }])
  })
})
