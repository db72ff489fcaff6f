import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { damageIndex } from '../support/damage.ts'
import { testHome, type TestHome } from '../support/service-process.ts'

let home: TestHome

beforeEach(() => {
  home = testHome()
})
afterEach(() => home.remove())

interface Found {
  readonly subject: string
  readonly state: string
  readonly says: string
}

const doctor = async (...args: string[]) => {
  const ran = await home.command('doctor', '--offline', '--json', ...args)
  const { findings } = JSON.parse(ran.out) as { findings: Found[] }
  return { code: ran.code, findings, of: (subject: string) => findings.filter((one) => one.subject === subject) }
}

const copies = () => readdirSync(join(home.dir, 'backups'))

function accountId(): string {
  const database = new Database(join(home.dir, 'switchboard.db'), { readonly: true })
  const id = database.prepare('SELECT id FROM accounts').pluck().get()
  database.close()
  return String(id)
}

const keyNames = async () =>
  (JSON.parse((await home.command('keys', 'list', '--json')).out) as { data: { name: string }[] }).data.map(
    ({ name }) => name,
  )

describe.each([true, false])('while the service runs: %s', (isRunning) => {
  test('backup creates a checked copy and prints its path', async () => {
    if (isRunning) await home.start()
    else await home.key('So that there is a home')
    const made = await home.command('backup')
    expect([made.code, made.out]).toEqual([0, `${join(home.dir, 'backups', copies()[0] ?? '')}\n`])
    expect(made.err).toMatch(/^Backup created and verified \([\d.]+ [kM]B\)\. It does not contain the master key: /)
    const copy = new Database(made.out.trim(), { readonly: true })
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    copy.close()
    expect(JSON.parse((await home.command('backup', '--json')).out)).toMatchObject({ bytes: expect.any(Number) })
    expect(copies()).toHaveLength(2)
  })

  test('restore lists, asks for --yes, and restores: immediately without a service, otherwise at its next start', async () => {
    const service = isRunning ? await home.start() : undefined
    await home.key('Before')
    expect((await home.command('restore')).out).toBe('No backups yet. Create one with: npm run backup\n')
    await home.command('backup')
    await home.key('After')
    const [name = ''] = copies()
    expect((await home.command('restore')).out).toMatch(new RegExp(`^${name}  \\S+Z  manual  [\\d.]+ [kM]B\n$`))

    const asked = await home.command('restore', 'latest')
    expect([asked.code, asked.out]).toEqual([1, ''])
    expect(asked.err).toMatch(new RegExp(`^This replaces the database with ${name} from \\S+Z\\. `))
    expect(asked.err).toContain('\nRemoved, because it was created since: 1 API key. Changes made since are undone.\n')
    expect(asked.err).toMatch(/with --yes\.\n$/)
    expect(await keyNames()).toEqual(expect.arrayContaining(['Before', 'After']))

    const gone = await home.command('restore', 'latest', '--yes')
    expect([gone.code, gone.err]).toEqual([0, ''])
    if (service === undefined) {
      expect(gone.out).toMatch(
        new RegExp(`^Restored ${name}\\. The previous state was saved as switchboard-\\S+-before-restore\\.db\\.\n$`),
      )
    } else {
      expect(gone.out).toBe(
        `${name} will be restored on the next start. Quit and restart Switchboard. Nothing changes until then.\n`,
      )
      expect(await keyNames()).toContain('After')
      await service.end('SIGTERM')
    }
    expect(await keyNames()).toEqual(['Before'])
  })

  test('restore latest uses the newest intact backup, and says what is wrong with each newer one', async () => {
    const service = isRunning ? await home.start() : undefined
    await home.key('Before')
    await home.command('backup')
    await home.key('Since')
    await home.command('backup')
    await home.command('backup')
    const [whole, damaged = '', unreadable = ''] = copies().toSorted()
    damageIndex(join(home.dir, 'backups', damaged), 'sqlite_autoindex_accounts_1', accountId())
    writeFileSync(join(home.dir, 'backups', unreadable), 'no database')

    const gone = await home.command('restore', 'latest', '--yes', '--json')
    expect([gone.code, JSON.parse(gone.out)]).toEqual([0, expect.objectContaining({ name: whole, done: !isRunning })])
    expect(gone.err).toBe(`Skipped ${unreadable}: it is not a readable backup.\nSkipped ${damaged}: it is damaged.\n`)
    await service?.end('SIGTERM')
    expect(await keyNames()).toEqual(['Before'])
  })

  test('restore latest without an intact backup says what is wrong with each, and changes nothing', async () => {
    if (isRunning) await home.start()
    await home.key('Mine')
    await home.command('backup')
    const [name = ''] = copies()
    writeFileSync(join(home.dir, 'backups', name), 'no database')
    const refused = await home.command('restore', 'latest', '--yes')
    expect([refused.code, refused.err]).toEqual([
      1,
      `Skipped ${name}: it is not a readable backup.\nNo usable backup found.\n`,
    ])
    expect(await keyNames()).toEqual(['Mine'])
  })

  test('doctor reports a sound home as well, and what it checked', async () => {
    const service = isRunning ? await home.start() : undefined
    if (service === undefined) await (await home.start()).end('SIGTERM')
    await home.command('backup')
    const { code, findings, of } = await doctor()
    expect(code).toBe(0)
    expect(findings.map(({ subject }) => subject)).toEqual([
      ...['service', 'home', 'disk', 'log', 'database', 'deliveries', 'clock', 'files', 'vault', 'backups'],
    ])
    expect(findings.filter(({ state }) => state !== 'well')).toEqual([])
    expect(of('service')[0]?.says).toMatch(
      service === undefined ? /^Not running/ : /^Switchboard \S+ has been running at http/,
    )
    expect(of('vault')[0]?.says).toBe("The file has this home's master key.")
    expect((await home.command('doctor', '--offline')).out).toMatch(/^✓ service .*\n[^]*\nNo problems found\.\n$/)
  })
})

test('doctor changes nothing, and a home that does not exist yet is not a fault', async () => {
  const ran = await home.command('doctor', '--offline')
  expect([ran.code, ran.out]).toEqual([
    0,
    `! home        No database in ${home.dir} yet. The first start creates it.\nNo errors, 1 warning.\n`,
  ])
  expect(existsSync(join(home.dir, 'switchboard.db'))).toBe(false)
})

test('doctor names the faults, and exits with 2', async () => {
  await (await home.start()).end('SIGTERM')
  await home.command('backup')
  const backup = join(home.dir, 'backups', copies()[0] ?? '')
  writeFileSync(backup, readFileSync(backup).fill(0x5a, 100_000))
  const database = join(home.dir, 'switchboard.db')
  const before = readFileSync(database)
  writeFileSync(database, Buffer.from(before).fill(0x5a, before.length / 2))

  const found = await doctor('--storage-refuse-below-mb', '1000000')
  expect(found.code).toBe(2)
  expect(found.findings.filter(({ state }) => state === 'broken').map(({ subject }) => subject)).toEqual([
    ...['disk', 'database', 'backups'],
  ])
  const [{ says } = { says: '' }] = found.of('database')
  expect(says).toMatch(/is damaged \(.*\)\. No intact backup is in \S+backups, so Switchboard can't start/)

  writeFileSync(database, before)
  writeFileSync(join(home.dir, 'vault.key'), `${Buffer.alloc(32).toString('base64')}\n`)
  const locked = await doctor()
  expect([locked.code, locked.of('vault')[0]?.state, locked.of('database')[0]?.state]).toEqual([2, 'broken', 'well'])
})

test('doctor distinguishes a missing database, or a folder in its place, from a damaged one', async () => {
  await (await home.start()).end('SIGTERM')
  await home.command('backup')
  const database = join(home.dir, 'switchboard.db')
  const aside = join(home.dir, 'aside')
  renameSync(database, aside)
  expect((await doctor()).findings).toEqual([
    {
      ...{ subject: 'database', state: 'broken' },
      says: `${database} is missing, but backups exist. Restart Switchboard: it will restore the backup ${copies()[0]} and report what is missing.`,
    },
  ])
  mkdirSync(database)
  const found = await doctor()
  const says = `${database} is a folder, but Switchboard needs a file there. Move the folder away, then start again.`
  expect([found.code, found.findings]).toEqual([2, [{ subject: 'home', state: 'broken', says }]])
  const refused = await home.command('backup')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(says)])
})

test('doctor says what to do about a missing database without a backup, and the next start says the same', async () => {
  await (await home.start()).end('SIGTERM')
  rmSync(join(home.dir, 'backups'), { recursive: true, force: true })
  rmSync(join(home.dir, 'switchboard.db'))
  const [{ says, subject } = { says: '', subject: '' }] = (await doctor()).findings
  expect([subject, says]).toEqual(['database', expect.stringContaining('Put a copy of it in its place')])
  expect((await home.command('keys', 'list')).err).toContain(says)
})

test('a command that finds a damaged database says once which backup replaced it', async () => {
  await (await home.start()).end('SIGTERM')
  await home.command('backup')
  const database = join(home.dir, 'switchboard.db')
  writeFileSync(database, readFileSync(database).fill(0x5a, 100_000))
  const [first, second] = [await home.command('backup'), await home.command('backup')]
  expect([first.code, second.code]).toEqual([0, 0])
  expect(first.err).toMatch(/^Warning: The database was damaged and replaced with the backup \S+\./m)
  expect(second.err).not.toContain('Warning')
})

test('doctor finds an index that does not match its table, and the next start, which would not find it, acts on it', async () => {
  const first = await home.start()
  const { key } = await home.key('Mine')
  const { body } = await first.api(key)('POST', '/v1/instances', { name: 'Before' })
  await home.command('backup')
  await first.end('SIGTERM')
  damageIndex(join(home.dir, 'switchboard.db'), 'sqlite_autoindex_instances_1', body.id)

  const found = await doctor()
  expect([found.code, found.of('database')[0]?.says]).toEqual([
    2,
    expect.stringMatching(
      /is damaged \(row 1 missing from index .*Restart Switchboard: it will restore the backup switchboard-\S+-manual\.db/,
    ),
  ])
  const service = await home.start()
  expect((await service.api(key)('GET', `/v1/instances/${body.id}`)).body.name).toBe('Before')
  const { status, problems } = (await (await fetch(`${service.url}/healthz`)).json()) as Record<string, unknown>
  expect([status, problems]).toEqual(['degraded', ['data_lost']])
  expect((await doctor()).of('database')[0]?.state).toBe('well')
})

test.each(['backup', 'restore', 'doctor'])(
  '%s refuses unknown arguments with its usage, and exits with 1',
  async (name) => {
    const ran = await home.command(name, '--colour')
    expect([ran.code, ran.out]).toEqual([1, ''])
    expect(ran.err).toMatch(new RegExp(`^Unknown option '--colour'\\.\nUsage: npm run ${name}`))
    expect((await home.command(name, '--help')).out).toMatch(new RegExp(`^Usage: npm run ${name}`))
  },
)

test('restore of a missing backup, or one of another home, changes nothing', async () => {
  await home.key('Mine')
  const missing = await home.command('restore', 'switchboard-20200101T000000Z-manual.db', '--yes')
  expect([missing.code, missing.err]).toEqual([
    1,
    'There is no backup named switchboard-20200101T000000Z-manual.db. To see them, run: npm run restore\n',
  ])
  expect(await keyNames()).toEqual(['Mine'])
})
