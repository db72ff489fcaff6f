import {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { checkInvariants } from '../../main/capabilities/webhooks/index.ts'
import { readConfig } from '../../main/config.ts'
import type { BootId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { openHome, type Home } from '../../main/service/home.ts'
import { StartError } from '../../main/service.ts'
import { isMarkedDamaged, markDamaged } from '../../main/storage/damage-marker.ts'
import { openReadOnly } from '../../main/storage/read-only.ts'
import { openStorage, type OpenStorage } from '../../main/storage/sqlite.ts'
import { commandHere } from '../support/command.ts'
import { asConsole } from '../support/console.ts'
import { damageIndex } from '../support/damage.ts'
import { openTestStorage, tempFolder } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { world, type World } from '../support/world.ts'

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const random = seededRandom(SEED)
const upTo = (most: number) => Math.floor(random.fraction() * most)

const CUSTOMER = '12025550177'
const OPTED_OUT = '12025550178'
/** How an hour of the service looks on disk: one home that was closed, one whose process is dead. */
const images = { closed: '', killed: '' }
let w: World
let backup = ''
let seenAttempts = 0
let events = 0
/** What one commit can have in it here: what a crash may take that came in the middle of it. */
const LAST_COMMIT = 3
const COUNT_EVENTS = 'SELECT COUNT(*) AS n FROM events'

beforeAll(async () => {
  w = await world({ home: tempFolder() })
  const { id } = await w.pair('12025550100')
  await w.api('POST', '/v1/webhooks', { url: 'https://catcher.sandbox/quarantine', events: ['message.sent'] })
  await w.api('PUT', '/v1/sandbox/catcher/quarantine', { status: 500 })
  const send = (text: string) => w.api('POST', `/v1/instances/${id}/messages`, { to: CUSTOMER, text })
  await w.api('POST', '/v1/opt-outs', { phone: OPTED_OUT })
  await send('before the backup')
  await w.quiet()
  backup = (await asConsole(w)('POST', '/v1/service/backups')).body.file.split('/').at(-1)
  await w.pass(20_000)
  for (let i = 0; i < 30; i++) await send(`after the backup, ${i} ${'x'.repeat(500)}`)
  await w.pass(20_000)
  const [most] = await w.rows<{ n: number }>('SELECT MAX(attempts) AS n FROM deliveries')
  seenAttempts = most?.n ?? 0
  events = (await w.events()).length
  images.killed = imageOf(w.home)
  await w.close()
  images.closed = imageOf(w.home)
})
afterAll(() => {
  for (const image of [...Object.values(images), w.home]) rmSync(image, { recursive: true, force: true })
})

function imageOf(home: string): string {
  const image = tempFolder()
  cpSync(home, image, { recursive: true, filter: (path) => !path.endsWith('.sock') })
  return image
}

function homeOf(image: string): string {
  const home = imageOf(image)
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const opened = (home: string, open: OpenStorage = openTestStorage): Promise<Home> =>
  openHome(
    {
      openStorage: open,
      clock: w.clock,
      random,
      config: readConfig({
        argv: ['--home', home],
        env: {},
        platform: process.platform,
        homedir: home,
        readFile: () => null,
      }),
      log: silentLog,
    },
    'service',
  )

const database = (home: string) => join(home, 'switchboard.db')

function change(file: string, act: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file)
  act(bytes)
  writeFileSync(file, bytes)
}

const look = <T>(home: string, act: (connection: Database.Database) => T): T => {
  const connection = new Database(database(home))
  try {
    return act(connection)
  } finally {
    connection.close()
  }
}

const quarantined = (home: string) => readdirSync(home).filter((name) => name.startsWith('quarantine-'))

/** Leaves the first pages, where the schema is, as they were. */
const damagePages = (bytes: Buffer) => bytes.fill(0x5a, Math.floor(bytes.length * 0.6))

test('D-05 a damaged database is replaced by the newest intact backup, and the data loss is reported until it is dismissed', async () => {
  const home = homeOf(images.closed)
  change(database(home), damagePages)
  const first = await opened(home)
  const [sentence = ''] = first.dataLosses()
  expect(sentence).toMatch(
    new RegExp(
      String.raw`^The database was damaged and replaced with the backup ${backup}\. Changes made between 2026-01-05T12:00:0\d\.000Z and \d{4}-\S+Z are missing`,
    ),
  )
  expect(sentence).toContain(`The damaged files are in ${join(home, quarantined(home)[0] ?? '')}`)
  expect(await checkInvariants(first.db)).toEqual([])
  await first.close()

  // The next start has nothing to restore, and says it still.
  const second = await opened(home)
  expect([quarantined(home).length, second.dataLosses()]).toEqual([1, [sentence]])
  rmSync(join(home, quarantined(home)[0] ?? ''), { recursive: true })
  expect(second.dataLosses()).toEqual([])
  await second.close()
})

test('D-05 after a damaged database is replaced, attempt numbers and sequences skip ahead, sessions end, and facts are kept', async () => {
  const home = homeOf(images.closed)
  const counters = look(home, (db) => db.prepare('SELECT name, value FROM counters').all()) as {
    name: string
    value: number
  }[]
  change(database(home), damagePages)
  const restored = await opened(home)
  expect(restored.dataLosses()).toEqual([
    expect.stringContaining('Opt-outs, revocations, payments and what campaigns sent were kept.'),
  ])
  await restored.close()

  look(home, (db) => {
    const open = db
      .prepare('SELECT attempts FROM deliveries WHERE next_attempt_at IS NOT NULL')
      .pluck()
      .all() as number[]
    expect(open.length).toBeGreaterThan(0)
    for (const attempts of open) expect(attempts).toBeGreaterThan(seenAttempts)
    for (const { name, value } of counters) {
      expect(db.prepare('SELECT value FROM counters WHERE name = ?').pluck().get(name)).toBeGreaterThan(value)
    }
    expect(db.prepare('SELECT COUNT(*) FROM console_sessions').pluck().get()).toBe(0)
  })
  const loss = JSON.parse(readFileSync(join(home, quarantined(home)[0] ?? '', 'loss.json'), 'utf8'))
  expect(loss).toEqual({ backup, fromMs: expect.any(Number), untilMs: expect.any(Number), areFactsKnown: true })
})

test('D-05 a queued message in the backup may have been sent since: it is not sent again', async () => {
  const home = homeOf(images.closed)
  const copy = new Database(join(home, 'backups', backup))
  copy.exec("UPDATE messages SET status = 'queued', dispatch_started_at = NULL, engine_message_id = NULL")
  copy.close()
  change(database(home), damagePages)
  await (await opened(home)).close()

  const marks = look(home, (db) => db.prepare('SELECT created_at = dispatch_started_at FROM messages').pluck().all())
  expect(marks).toEqual([1])
})

test('D-05 damage that only a full check finds is quarantined at the next start, together with the backups that contain it', async () => {
  const home = homeOf(images.closed)
  const newest = 'switchboard-20260105T120020Z-hourly.db'
  const id = look(home, (db) => db.prepare('SELECT MAX(id) FROM messages').pluck().get())
  damageIndex(database(home), 'messages_id', String(id))
  cpSync(database(home), join(home, 'backups', newest))

  // A usual start is a quick one: it takes the file for whole.
  const unsuspecting = await opened(home)
  expect([unsuspecting.dataLosses(), quarantined(home)]).toEqual([[], []])
  await unsuspecting.close()

  markDamaged(database(home), ['row 1 missing from index messages_id'])
  const replaced = await opened(home)
  expect(replaced.dataLosses()).toEqual([expect.stringContaining(`replaced with the backup ${backup}`)])
  expect(isMarkedDamaged(database(home))).toBe(false)
  expect(await checkInvariants(replaced.db)).toEqual([])
  await replaced.close()
  look(home, (db) => expect(db.pragma('integrity_check', { simple: true })).toBe('ok'))
})

test('D-05 if damage was noted and no backup is intact, the start is refused, and so is the next one', async () => {
  const home = homeOf(images.closed)
  const id = look(home, (db) => db.prepare('SELECT MAX(id) FROM messages').pluck().get())
  damageIndex(database(home), 'messages_id', String(id))
  rmSync(join(home, 'backups'), { recursive: true })
  markDamaged(database(home), ['it is'])
  for (let start = 0; start < 2; start++)
    await expect(opened(home)).rejects.toThrow(/is damaged \(row \d+ missing from index .*has no intact backup/)
  expect(isMarkedDamaged(database(home))).toBe(true)
})

test('noted damage that no longer exists is forgotten', async () => {
  const home = homeOf(images.closed)
  markDamaged(database(home), ['it was'])
  const whole = await opened(home)
  expect([whole.dataLosses(), quarantined(home), isMarkedDamaged(database(home))]).toEqual([[], [], false])
  await whole.close()
})

test('damage of several pages is reported on separate lines', async () => {
  const home = homeOf(images.closed)
  change(database(home), (bytes) => bytes.fill(0x5a, Math.floor(bytes.length * 0.3), Math.floor(bytes.length * 0.5)))
  const opened = openReadOnly(database(home))
  const damage = opened.damage()
  opened.close()
  expect(damage.length).toBeGreaterThan(1)
  for (const line of damage) expect(line).toMatch(/^[^*\n][^\n]*$/)
})

/** A delivery may have been under way when the process died, or at the commit that is the last one now. */
async function brokenInvariants(db: Home['db']): Promise<unknown> {
  const [running] = await db.read<object, { lease: BootId }>(
    { text: "SELECT lease FROM deliveries WHERE lease > '' LIMIT 1" },
    {},
  )
  return checkInvariants({ read: db.read, boot: running?.lease ?? db.boot })
}

const parts = (home: string, ...names: string[]) => names.forEach((name) => rmSync(`${database(home)}${name}`))
/** Only the last commit is missing. */
const cutLog = (home: string) => {
  const log = `${database(home)}-wal`
  truncateSync(log, readFileSync(log).length - 1)
}
const putOlder = (home: string, seconds: number) => {
  for (const part of ['-wal', '-shm']) rmSync(`${database(home)}${part}`, { force: true })
  copyFileSync(join(home, 'backups', backup), database(home))
  const at = Date.now() / 1_000 + seconds
  utimesSync(database(home), at, at)
}

test.each([
  ['killed', 'its log is gone', (home: string) => parts(home, '-wal'), 'switchboard.db-wal'],
  ['killed', 'its log and index are gone', (home: string) => parts(home, '-wal', '-shm'), 'switchboard.db-wal'],
  ['killed', 'its log is empty', (home: string) => truncateSync(`${database(home)}-wal`), 'switchboard.db-wal'],
  ['killed', 'its log is cut', cutLog, 'switchboard.db-wal'],
  ['killed', 'an older file is in its place', (home: string) => putOlder(home, 60), 'an older file'],
  ['killed', 'its index is gone', (home: string) => parts(home, '-shm'), null],
  ['killed', 'nothing is gone', () => {}, null],
  ['closed', 'its note is gone, as its log would be', (home: string) => parts(home, '.closed'), null],
  ['closed', 'an older file is in its place', (home: string) => putOlder(home, -3_600), 'an older file took the place'],
  ['closed', 'it was copied back', (home: string) => putOlder(home, 60), 'an older file took the place'],
  ['closed', 'nothing is gone', () => {}, null],
] as const)('D-05 %s, and %s: commits that are gone are said', async (image, _what, act, said) => {
  const home = homeOf(images[image])
  act(home)
  const first = await opened(home)
  expect(first.dataLosses()).toEqual(said === null ? [] : [expect.stringContaining(said)])
  expect(await brokenInvariants(first.db)).toEqual([])
  await first.close()
  const second = await opened(home)
  expect([second.dataLosses().length, quarantined(home).length]).toEqual(said === null ? [0, 0] : [1, 1])
  await second.close()
})

test('D-05 after commits are lost, sequences skip ahead, sessions end, and queued messages are not sent again', async () => {
  const home = homeOf(images.killed)
  const counters = 'SELECT name, value FROM counters'
  const before = look(home, (db) => db.prepare(counters).all()) as { name: string; value: number }[]
  expect(before.length).toBeGreaterThan(0)
  const dead = homeOf(images.killed)
  parts(dead, '-wal')
  await (await opened(dead)).close()
  look(dead, (db) => {
    const after = new Map(db.prepare(counters).raw().all() as [string, number][])
    for (const { name, value } of before) expect(after.get(name) ?? after.get('*')).toBeGreaterThan(value)
    expect(db.prepare('SELECT COUNT(*) FROM console_sessions').pluck().get()).toBe(0)
    const waiting = "SELECT COUNT(*) FROM messages WHERE status = 'queued' AND dispatch_started_at IS NULL"
    expect(db.prepare(waiting).pluck().get()).toBe(0)
  })
})

test('D-05 a failed start does not make the next start report lost commits', async () => {
  const home = homeOf(images.killed)
  const statements = [{ text: 'SELECT text FORM notes' }]
  await expect(opened(home, (deps) => openStorage({ ...deps, statements }))).rejects.toThrow('syntax error')
  const next = await opened(home)
  expect(next.dataLosses()).toEqual([])
  await next.close()
})

test('D-05 if a cleanly closed database is missing and there is no backup, no new database is created', async () => {
  const home = homeOf(images.closed)
  rmSync(join(home, 'backups'), { recursive: true })
  rmSync(database(home))
  const note = `${database(home)}.closed`
  await expect(opened(home)).rejects.toThrow(`${database(home)} is missing, and there is no backup of it. Put a copy`)
  await expect(opened(home)).rejects.toThrow(`delete ${note}: Switchboard then starts with a new database`)
  rmSync(note)
  await (await opened(home)).close()
})

test('D-05 a missing database that is replaced by a backup is not called damaged', async () => {
  const home = homeOf(images.closed)
  rmSync(database(home))
  const restored = await opened(home)
  const [sentence = ''] = restored.dataLosses()
  expect(sentence).toContain(`The database was missing and replaced with the backup ${backup}. Changes made between`)
  expect(sentence).not.toContain('damaged')
  await restored.close()
})

test('D-05 an empty file is not mistaken for a new database', async () => {
  const home = homeOf(images.closed)
  truncateSync(database(home), 0)
  const restored = await opened(home)
  await restored.close()
  expect(quarantined(home)).toHaveLength(1)
  expect(look(home, (db) => db.prepare('SELECT COUNT(*) FROM instances').pluck().get())).toBe(1)
})

test.each([
  ['nothing', ''],
  ['its log', 'a log'],
])(
  'D-05 where the file is missing and %s is left of it, the newest whole backup takes its place, and no new database hides it',
  async (_, log) => {
    const home = homeOf(images.closed)
    rmSync(database(home))
    if (log !== '') writeFileSync(`${database(home)}-wal`, log)
    const restored = await opened(home)
    expect(restored.dataLosses()).toEqual([
      expect.stringMatching(/replaced with the backup \S+\. Changes made between 2026-\S+Z and 2026-/),
    ])
    await restored.close()
    expect(look(home, (db) => db.prepare('SELECT COUNT(*) FROM instances').pluck().get())).toBe(1)
  },
)

test('D-05 a changed character in the text of a table is damage, even if every page of the file is valid', async () => {
  const home = homeOf(images.closed)
  look(home, (db) => {
    db.unsafeMode().pragma('writable_schema = ON')
    db.exec("UPDATE sqlite_schema SET sql = replace(sql, 'secret_version', 'secret_versjon') WHERE name = 'webhooks'")
  })
  // What is prepared at the start of a service finds it.
  const restored = await opened(home, openStorage)
  expect(restored.dataLosses()).toEqual([expect.stringContaining(`replaced with the backup ${backup}`)])
  await restored.close()
})

test('D-05 a schema version that does not match is damage', async () => {
  const home = homeOf(images.closed)
  look(home, (db) => db.pragma('user_version = 6'))
  const restored = await opened(home)
  expect(restored.dataLosses()).toEqual([expect.stringContaining(`replaced with the backup ${backup}`)])
  await restored.close()
})

test('D-05 a backup dated by a wrong clock is not chosen as the newest', async () => {
  const home = homeOf(images.closed)
  cpSync(join(home, 'backups', backup), join(home, 'backups', 'switchboard-20380101T000000Z-hourly.db'))
  change(database(home), damagePages)
  const restored = await opened(home)
  expect(restored.dataLosses()).toEqual([expect.stringContaining(`replaced with the backup ${backup}`)])
  await restored.close()
})

test.each([
  ['damaged', (home: string) => change(database(home), damagePages)],
  ['missing', (home: string) => rmSync(database(home))],
  ['emptied', (home: string) => truncateSync(database(home), 0)],
] as const)('D-05 the backup that was named takes the place of a %s database, not the newest', async (what, act) => {
  const home = homeOf(images.closed)
  const name = olderBackup(home)
  act(home)
  const { code, out, err } = await commandHere(['restore', name, '--yes', '--home', home], {
    PATH: process.env['PATH'],
    SWITCHBOARD_VAULT: 'file',
  })
  const [folder = ''] = quarantined(home)
  expect([code, out]).toEqual([
    0,
    what === 'damaged'
      ? `Restored ${name}. The previous database could not be read. What is left of it is in ${folder}.\n`
      : `Restored ${name}. There was no database before, so no previous state was saved.\n`,
  ])
  const was = what === 'missing' ? 'missing' : 'damaged'
  expect(err).toMatch(new RegExp(`^Warning: The database was ${was} and replaced with the backup ${name}\\. [^\n]*\n$`))
  expect(quarantined(home)).toEqual([folder])
  expect(readdirSync(join(home, folder)).includes('switchboard.db')).toBe(what !== 'missing')
  look(home, (db) => {
    expect(db.prepare("SELECT value FROM meta WHERE name = 'which'").pluck().get()).toBe('older')
    expect(db.pragma('foreign_key_check')).toEqual([])
  })
  const next = await opened(home)
  expect([next.restored, await checkInvariants(next.db)]).toEqual([null, []])
  await next.close()
})

/** @returns the name of a backup that is an hour older than the other. */
function olderBackup(home: string): string {
  const name = 'switchboard-20260105T110000Z-manual.db'
  copyFileSync(join(home, 'backups', backup), join(home, 'backups', name))
  const copy = new Database(join(home, 'backups', name))
  copy.exec("INSERT INTO meta (name, value) VALUES ('which', 'older')")
  copy.close()
  return name
}

test('D-05 a damaged backup that was requested by name replaces nothing, and an intact database stays', async () => {
  const home = homeOf(images.closed)
  const name = olderBackup(home)
  writeFileSync(join(home, 'restore.json'), JSON.stringify({ name, asked_at_ms: 1 }))
  change(join(home, 'backups', name), damagePages)
  const { restored, close } = await opened(home)
  expect(restored).toMatchObject({ kind: 'failed', name })
  await close()
  expect([quarantined(home), look(home, (db) => db.prepare(COUNT_EVENTS).pluck().get())]).toEqual([[], events])
})

test('D-05 if the database is missing and there is no backup, this is reported, and known facts are kept', async () => {
  const home = homeOf(images.closed)
  rmSync(join(home, 'backups'), { recursive: true })
  for (const part of ['', '.closed']) rmSync(`${database(home)}${part}`)
  const doctor = () =>
    commandHere(['doctor', '--offline', '--home', home], { PATH: process.env['PATH'], SWITCHBOARD_VAULT: 'file' })
  expect(await doctor()).toMatchObject({ code: 2, out: expect.stringContaining('is missing, and there is no backup') })

  const second = await world({ home, seed: 2, vault: w.vault })
  const said = expect.stringMatching(
    /^switchboard\.db was missing and there was no backup, so a new database was created\. Changes made between 2026-\S+Z and 2026-\S+Z are missing\. Accounts, their opt-outs/,
  )
  expect(second.service.warnings).toEqual([said])
  const health = await second.api('GET', '/healthz', undefined, { key: null })
  expect(health.body).toEqual({ status: 'degraded', problems: ['data_lost'] })
  expect(second.account.id).toBe(w.account.id)
  expect((await second.api('GET', '/v1/opt-outs')).body.data).toMatchObject([{ phone: OPTED_OUT }])
  expect(await second.rows('PRAGMA foreign_key_check')).toEqual([])
  await second.pair('12025550102')
  await second.close()
  expect((await doctor()).out).toMatch(/! service +switchboard\.db was missing/)

  // The next start has nothing to make up for, and says it still.
  const third = await world({ home, seed: 3, vault: w.vault })
  expect([third.service.warnings, quarantined(home).length]).toEqual([[said], 1])
  await third.close()
})

test('a home folder that was never used is not reported as data loss', async () => {
  const home = tempFolder()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const first = await opened(home)
  expect(first.dataLosses()).toEqual([])
  await first.close()
})

test('D-05 without an intact backup nothing is changed, and the message says what to do', async () => {
  const home = homeOf(images.closed)
  for (const name of readdirSync(join(home, 'backups'))) {
    change(join(home, 'backups', name), damagePages)
  }
  change(database(home), damagePages)
  const before = readFileSync(database(home))

  await expect(opened(home)).rejects.toThrow(
    /^The database .* is damaged .* The backups folder next to it has no intact backup/,
  )
  expect([readFileSync(database(home)).equals(before), quarantined(home)]).toEqual([true, []])
})

test('D-05 a damaged log is read up to the damage, and the database is intact', async () => {
  const home = homeOf(images.killed)
  change(`${database(home)}-wal`, (bytes) => bytes.fill(0x5a, Math.floor(bytes.length / 2)))
  const { db, close } = await opened(home)
  expect(await brokenInvariants(db)).toEqual([])
  await close()
  look(home, (db) => expect(db.pragma('integrity_check', { simple: true })).toBe('ok'))
})

test.each([
  ['database', 'closed', ''],
  ['log', 'killed', '-wal'],
  ['index of the log', 'killed', '-shm'],
  ['database with a log', 'killed', ''],
] as const)(
  `D-05 random bytes in the %s are found, or do no harm, and the start after that is a usual one (SEED=${SEED})`,
  async (_, image, part) => {
    for (const bytesToFlip of [1, 1, 100, 100, 10_000, 'cut'] as const) {
      const home = homeOf(images[image])
      const file = `${database(home)}${part}`
      if (bytesToFlip === 'cut') truncateSync(file, upTo(readFileSync(file).length))
      else {
        change(file, (bytes) => {
          for (let i = 0; i < bytesToFlip; i++) bytes[upTo(bytes.length)]! ^= 1 + upTo(255)
        })
      }
      const [first] = await Promise.allSettled([opened(home)])
      // The only way not to start is a sentence; it is never the second time.
      if (first.status === 'rejected') {
        expect(first.reason).toBeInstanceOf(StartError)
        expect((first.reason as Error).message).toMatch(/damaged|newer Switchboard/)
        continue
      }
      const { db, dataLosses } = first.value
      const [there] = await db.read<object, { n: number }>({ text: COUNT_EVENTS }, {})
      // SQLite takes the damage in a log for its end.
      if (dataLosses().length === 0 && part !== '-wal') expect(there?.n).toBeGreaterThanOrEqual(events - LAST_COMMIT)
      await first.value.close()
      const second = await opened(home)
      expect(await second.db.read({ text: 'PRAGMA quick_check' }, {})).toEqual([{ quick_check: 'ok' }])
      await second.close()
    }
  },
)
