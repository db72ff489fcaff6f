import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { maintenanceProcess } from '../../main/service/maintenance.ts'
import { loadOnce, type Target } from '../bench/lib/http-load.ts'
import { pairedLine, SILENT_NUMBER } from '../bench/lib/sandbox-line.ts'
import { callerOf, createKey } from '../bench/lib/service.ts'
import { asConsole } from '../support/console.ts'
import { ENTRY, ENVIRONMENT, follow, until, untilListening } from '../support/service-process.ts'
import { world } from '../support/world.ts'

const MB = 1_000_000
/** Of the program that fills the home: with them the database has 200 MB. */
const ROWS = '240000'
const LOAD = { connections: 16, seconds: 8, perSecond: 200 }

let home: string
let key: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-large-'))
  key = createKey(home)
  vi.stubEnv('ROWS', ROWS)
  const { fillHome } = await import('../bench/lib/full-home.ts')
  fillHome(home, key, Date.now())
}, 300_000)
afterAll(() => rmSync(home, { recursive: true }))

const megabytes = () => Math.round(statSync(join(home, 'switchboard.db')).size / MB)

test('D-05 all of a 200 MB database is looked through again and again, and sends do not notice', async ({ task }) => {
  const child = join(import.meta.dirname, 'looking-child.ts')
  const args = [child, resolve(ENTRY, '..'), '--port', '0', '--json', '--home', home, '--slots', ROWS]
  const service = await untilListening(
    follow(spawn(process.execPath, args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })),
  )
  onTestFinished(async () => {
    await service.end('SIGKILL')
  })
  const line = await pairedLine(callerOf(service.url, key))
  const sends: Target = {
    name: 'sends',
    pid: service.pid,
    method: 'POST',
    url: `${service.url}/v1/instances/${line}/messages`,
    headers: { authorization: `Bearer ${key}` },
    body: { to: SILENT_NUMBER, text: 'Hello' },
  }
  await loadOnce(sends, { ...LOAD, seconds: 2 })
  const alone = await loadOnce(sends, LOAD)
  process.kill(service.pid, 'SIGUSR2')
  const beside = await loadOnce(sends, LOAD)
  const looks = service
    .out()
    .split('\n')
    .filter((text) => text.includes('"looked"'))
    .map((text) => JSON.parse(text) as { ms: number; found: string[] })
  expect(looks.length).toBeGreaterThan(0)
  expect(looks.flatMap(({ found }) => found)).toEqual([])
  // Load, receiver and look share two processors here, and perhaps with others.
  expect(beside.p99).toBeLessThan(3 * alone.p99 + 50)
  const [fastest = 0] = looks.map(({ ms }) => ms).toSorted((a, b) => a - b)
  task.meta.observed = `${megabytes()} MB looked through in ${fastest.toFixed(0)} ms; p99 of sends ${alone.p99.toFixed(1)} ms without, ${beside.p99.toFixed(1)} ms beside it`
})

/** Its deliveries were made up, without their attempts. */
const large = () => ({ home, maintenanceProcess: maintenanceProcess(resolve(ENTRY, '..')), soundAtEnd: false })

test('D-06 told to stop in the middle of a copy of 200 MB, the service ends soon and leaves nothing of it', async ({
  task,
}) => {
  const w = await world(large())
  const copies = () => (existsSync(join(home, 'backups')) ? readdirSync(join(home, 'backups')) : [])
  const before = copies()
  const asked = asConsole(w)('POST', '/v1/service/backups')
  await until('a copy under way', () => copies().some((name) => name.endsWith('.part')))
  const begun = performance.now()
  await w.close()
  const ms = performance.now() - begun
  expect(ms).toBeLessThan(2_000)
  expect((await asked).status).toBe(503)
  expect(copies()).toEqual(before)
  task.meta.observed = `told to stop meanwhile, it ended after ${ms.toFixed(0)} ms, without a copy`
})

test('D-05 told to stop in the middle of a look through 200 MB, the service ends soon', async ({ task }) => {
  const w = await world({ ...large(), seed: 2 })
  await w.clock.advance(600_000)
  await new Promise((done) => setTimeout(done, 50))
  const begun = performance.now()
  await w.close()
  const ms = performance.now() - begun
  expect(ms).toBeLessThan(2_000)
  task.meta.observed = `told to stop meanwhile, it ended after ${ms.toFixed(0)} ms`
})
