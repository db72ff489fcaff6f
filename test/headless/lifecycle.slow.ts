import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { slowness } from '../support/loop-stretch.ts'
import { catchEverything, everyPage, pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type Api, type TestHome } from '../support/service-process.ts'

let home: TestHome

beforeEach(() => {
  home = testHome()
})

afterEach(() => home.remove())

test('C-06 a second service on the same home is refused immediately, and starts after the first was killed', async () => {
  const first = await home.start()

  const second = await home.command('serve', '--port', '0', '--json')
  expect(second).toMatchObject({
    code: 1,
    out: '',
    err: `Another Switchboard (process ${first.pid}) is already using the home folder ${home.dir}. Quit it first, or use another --home.\n`,
  })
  expect(second.ms / slowness()).toBeLessThan(1_000)
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200)

  await first.end('SIGKILL')
  const third = await home.start()
  expect((await fetch(`${third.url}/healthz`)).status).toBe(200)
  expect(await third.end('SIGTERM')).toBe(0)
})

test('of eight services that start concurrently on one home exactly one runs', async () => {
  const launched = Array.from({ length: 8 }, () => home.launch())
  const outcomes = await Promise.allSettled(launched.map(({ listening }) => listening))

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const [index, { status }] of outcomes.entries()) {
    if (status === 'fulfilled') continue
    expect(await launched[index]?.ended).toBe(1)
    expect(launched[index]?.errors()).toMatch(/^Another Switchboard .*is already using the home folder .*\n$/)
  }
})

test('a port that is in use gives one line and exit code 1, and releases the home', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await until('the other program', () => other.listening)
  const { port } = other.address() as { port: number }

  const refused = await home.command('serve', '--port', String(port), '--json')
  other.close()

  expect(refused).toMatchObject({
    code: 1,
    out: '',
    err: `Port ${port} on 127.0.0.1 is in use by another program. Quit it, or choose another port with --port.\n`,
  })
  expect(existsSync(join(home.dir, 'control.sock'))).toBe(false)
  expect(await (await home.start()).end('SIGTERM')).toBe(0)
})

test('listening on an address that others can reach requires allow_lan, and logs a warning', async () => {
  const refused = await home.command('serve', '--port', '0', '--host', '0.0.0.0')
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toMatch(/^Other machines can reach host 0\.0\.0\.0\. If you want that, set allow_lan .*\n$/)
  expect(existsSync(join(home.dir, 'switchboard.db'))).toBe(false)

  const service = await home.start({ SWITCHBOARD_HOST: '0.0.0.0', SWITCHBOARD_ALLOW_LAN: 'true' })
  expect(service.errors()).toMatch(
    /^Warning: Other machines can reach the API at port \d+ on all network interfaces, without encryption\. /,
  )
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})

test.each([
  ['192.0.2.1', 'This machine does not have the address 192.0.2.1. Correct --host, or omit it to use 127.0.0.1.\n'],
  [
    'no-such-host.invalid',
    'The host name no-such-host.invalid does not resolve. Correct --host, or omit it to use 127.0.0.1.\n',
  ],
])('an address that cannot be listened on is reported in a sentence: %s', async (host, sentence) => {
  const refused = await home.command('serve', '--port', '0', '--host', host, '--allow-lan')

  expect(refused).toMatchObject({ code: 1, out: '', err: sentence })
})

test('a home that cannot be a folder is reported in a sentence', async () => {
  const file = join(home.dir, 'a-file')
  writeFileSync(file, '')

  for (const place of [file, join(file, 'below')]) {
    const refused = await home.commandAt(place, 'serve', '--port', '0')
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(
      /^.*a-file is a file, so the home folder can't be .*\. Choose another one with --home\.\n$/,
    )
  }
})

test('L-03 a database of a newer Switchboard is refused with a sentence and stays unchanged', async () => {
  await (await home.start()).end('SIGTERM')
  const file = join(home.dir, 'switchboard.db')
  const database = new Database(file)
  database.pragma('user_version = 9999')
  database.close()
  const before = readFileSync(file)

  const refused = await home.command('serve', '--port', '0', '--json')

  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toMatch(
    /^The database .*switchboard\.db was written by a newer Switchboard \(schema 9999, this version supports \d+\)\. Install the newer version, go back to a backup from before the upgrade with npm run restore, or use another --home\.\n$/,
  )
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a damaged database is refused with a sentence', async () => {
  expect(await (await home.start()).end('SIGTERM')).toBe(0)
  const file = join(home.dir, 'switchboard.db')
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0x5a, 0, 4_096))

  const refused = await home.command('serve', '--port', '0', '--json')

  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toContain(file)
  expect(refused.err).not.toMatch(/\n\s+at /)
})

test('its files are accessible only to its user, also in a home folder that others can read', async () => {
  chmodSync(home.dir, 0o755)
  const { key } = await home.key('Private')
  const service = await home.start()
  await service.api(key)('POST', '/v1/instances', { name: 'Something to write' })

  const files = readdirSync(home.dir).filter((name) => name !== 'settings.json')
  expect(files).toEqual(
    expect.arrayContaining(['control.sock', 'lock.db', 'switchboard.db', 'switchboard.db-wal', 'vault.key']),
  )
  for (const name of files) expect([name, statSync(join(home.dir, name)).mode & 0o077]).toEqual([name, 0])
})

test('SIGTERM stops an idle service immediately and leaves nothing behind', async () => {
  const service = await home.start()
  const startedAt = performance.now()

  expect(await service.end('SIGTERM')).toBe(0)

  expect((performance.now() - startedAt) / slowness()).toBeLessThan(1_000)
  expect(service.errors()).toBe('')
  expect(existsSync(join(home.dir, 'control.sock'))).toBe(false)
  expect(existsSync(join(home.dir, 'lock.pid'))).toBe(false)
  expect(statSync(join(home.dir, 'switchboard.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0)
})

test('SIGINT works like SIGTERM; a repeated SIGINT a second later exits without waiting', async () => {
  const { key } = await home.key('Impatient')
  const service = await home.start()
  const api = service.api(key)
  await catchEverything(api, 'hang')
  await api('PUT', '/v1/sandbox/catcher/hang', { hang: true })
  await api('POST', '/v1/instances', { name: 'One event' })
  await until('the delivery is under way', async () =>
    (await openDeliveries(api)).some(({ attempts }) => attempts === 1),
  )

  const toldAt = performance.now()
  service.signal('SIGINT')
  await pause(50)
  // npm hands on the Ctrl+C that the terminal has sent already.
  service.signal('SIGINT')
  await pause(1_500)
  service.signal('SIGINT')
  expect(await service.ended).toBe(1)
  expect(performance.now() - toldAt).toBeGreaterThan(1_500)
  expect(performance.now() - toldAt).toBeLessThan(3_000)

  expect(await (await home.start()).end('SIGTERM')).toBe(0)
})

test('a service that is stopped while it starts leaves a home that can start again', async () => {
  for (const delayMs of [0, 60, 120, 180, 240, 300]) {
    const launched = home.launch()
    launched.listening.catch(() => {})
    await pause(delayMs)
    await launched.end('SIGTERM')
  }

  expect(await (await home.start()).end('SIGTERM')).toBe(0)
})

test('standard output contains only the one line of --json, whatever is logged', async () => {
  const service = await home.start({ SWITCHBOARD_LOG_LEVEL: 'debug' })
  const { key } = await home.key('Output')
  await service.api(key)('POST', '/v1/instances', { name: 'Something to log' })
  await service.api('swb_wrong')('GET', '/v1/me')
  expect(await service.end('SIGTERM')).toBe(0)

  expect(service.out()).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(service.out())).toEqual({
    event: 'listening',
    url: service.url,
    console_url: expect.stringMatching(/\/console\/#code=[\w-]{32}$/),
  })
  const logged = service
    .errors()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event)
  expect(logged).toContain('service.started')
  expect(logged.at(-1)).toBe('service.stopped')
})

test('the service starts in under 1.5 seconds, and uses less than 180 MB when idle', async () => {
  // The best of a few: what else the machine does meanwhile is not the service's.
  const startMs: number[] = []
  while (startMs.length < 3 || (Math.min(...startMs) > 1_500 && startMs.length < 20)) {
    const startedAt = performance.now()
    const service = await home.start()
    startMs.push(Math.round((performance.now() - startedAt) / slowness()))
    expect(await service.end('SIGTERM')).toBe(0)
  }
  expect(Math.min(...startMs)).toBeLessThan(1_500)

  const { key } = await home.key('Idle')
  const service = await home.start()
  const api = service.api(key)
  await pairedInstance(api, '12025550100')
  for (let request = 0; request < 20; request++) await api('GET', '/v1/instances')
  let megabytes = Infinity
  for (let looks = 0; looks < 3 || (megabytes >= 180 && looks < 20); looks++) {
    await pause(1_000)
    megabytes = Math.min(megabytes, residentKib(service.pid) / 1_024)
  }
  process.stdout.write(`started in ${startMs.join(', ')} ms; ${megabytes.toFixed(0)} MB when idle\n`)
  expect(megabytes).toBeLessThan(180)
})

function residentKib(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1])
}

interface Open {
  readonly id: string
  readonly attempts: number
  readonly next_attempt_at: string | null
}

const openDeliveries = async (api: Api) =>
  (await everyPage<Open>(api, '/v1/webhooks/deliveries')).filter((delivery) => delivery.next_attempt_at !== null)
