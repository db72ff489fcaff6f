import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { follow, inherited, pause, until, untilListening, type ProductProcess } from '../support/service-process.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const STEPS = 10

/** The folder for temporary folders: what a command leaves behind is seen here. */
let scratch: string
let running: ProductProcess[]

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'switchboard-scripts-'))
  running = []
})

afterEach(async () => {
  await Promise.all(running.map((child) => child.end('SIGKILL')))
  rmSync(scratch, { recursive: true, force: true })
})

function run(command: string, args: string[], more: Record<string, string | undefined> = {}): ProductProcess {
  const env = { ...inherited, TMPDIR: scratch, NO_COLOR: '1', FORCE_COLOR: undefined, ...more }
  // A group of its own, as a terminal gives to each command: Ctrl+C reaches all of it.
  const child = follow(spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }))
  running.push(child)
  return child
}

/** Homes of the demo; npm keeps a cache of its own beside them. */
const homes = () => readdirSync(scratch).filter((name) => name.startsWith('switchboard'))

/** What it printed on standard error, but for the note of a build that was due. */
const said = (child: ProductProcess) => child.errors().replace(/^Building… done in .* s\n/, '')

const launcher = (...args: string[]) => [join('resources', 'run.mjs'), ...args]

test('npm run demo prints ten steps, marks each success, and leaves nothing behind', async () => {
  // Settings of the machine would show another product.
  const demo = run('npm', ['run', '--silent', 'demo'], {
    SWITCHBOARD_SLOTS: '0',
    SWITCHBOARD_HOME: join(scratch, 'mine'),
  })

  expect([await demo.ended, said(demo)]).toEqual([0, ''])
  const steps = demo
    .out()
    .split(/^ +\d+ {2}\S/m)
    .slice(1)
  expect(steps).toHaveLength(STEPS)
  for (const step of steps) expect(step).toContain('✓ ')
  expect(demo.out()).not.toMatch(/✗|WRONG|undefined|\[object|\u001b/)
  expect(demo.out()).toMatch(/\n All 10 steps held, in \d+\.\d s\. Next: npm run serve, /)
  expect(homes()).toEqual([])
})

test('the demo fails, and says where, when no temporary folder can be made', async () => {
  const demo = run(process.execPath, launcher('demo'), { TMPDIR: join(scratch, 'missing') })

  expect([await demo.ended, said(demo)]).toEqual([1, ''])
  expect(demo.out()).toMatch(
    /✗ no temporary folder can be made: ENOENT.*TMPDIR names the place for them\.\n\n Step 1 did not hold\.\n/,
  )
})

test('the demo fails, and says where, when its service ends unexpectedly', async () => {
  const demo = run(process.execPath, launcher('demo'))
  await until('the message goes out', () => demo.out().includes('is accepted as'))
  const [home = ''] = homes()
  process.kill(Number(readFileSync(join(scratch, home, 'lock.pid'), 'utf8')), 'SIGKILL')

  expect(await demo.ended).toBe(1)
  expect(demo.out()).toMatch(/✗ the service ended under it\n\n Step 6 did not hold\.\n/)
  expect(said(demo)).toBe('')
  expect(demo.out()).not.toContain('All 10 steps held')
  expect(homes()).toEqual([])
})

test('an interrupted demo stops its service and removes its home', async () => {
  const demo = run(process.execPath, launcher('demo'))
  await until('the message goes out', () => demo.out().includes('is accepted as'))
  const [home = ''] = homes()
  const service = Number(readFileSync(join(scratch, home, 'lock.pid'), 'utf8'))
  process.kill(-demo.pid, 'SIGINT')

  expect(await demo.ended).toBe(1)
  expect(demo.out()).toMatch(/✗ it was interrupted\n\n Step 6 did not hold\.\n/)
  expect(() => process.kill(service, 0)).toThrow('ESRCH')
  expect(homes()).toEqual([])
})

test('the demo takes no arguments', async () => {
  const demo = run(process.execPath, launcher('demo', '--fast'))

  expect([await demo.ended, demo.out(), said(demo)]).toEqual([1, '', 'demo takes no arguments: --fast.\n'])
})

test('npm run serve listens, keys reach it, and Ctrl+C ends it properly', async () => {
  const home = join(scratch, 'home')
  const vault = { SWITCHBOARD_VAULT: 'file', SWITCHBOARD_LOG_LEVEL: 'warn' }
  const npm = run('npm', ['run', 'serve', '--', '--port', '0', '--home', home, '--json'], vault)
  const { url } = await untilListening(npm)

  const keys = run('npm', ['run', '--silent', 'keys', '--', 'create', '--name', 'Shell', '--home', home], vault)
  expect(await keys.ended).toBe(0)
  const me = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${keys.out().trim()}` } })
  expect(me.status).toBe(200)

  process.kill(-npm.pid, 'SIGINT')
  await npm.ended
  await pause(100)
  // Only a service that closed everything itself takes these away.
  expect([existsSync(join(home, 'lock.pid')), existsSync(join(home, 'control.sock'))]).toEqual([false, false])
  expect(npm.errors()).not.toMatch(/\n\s+at /)
})

test.skipIf(process.platform !== 'linux')(
  'npm start without a display serves, and says why there is no window',
  async () => {
    const home = join(scratch, 'home')
    const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '', SWITCHBOARD_VAULT: 'file' }
    const start = run('npm', ['start', '--silent', '--', '--port', '0', '--home', home], noDisplay)
    await until('the sentence', () => start.out().includes('Open the console: '))

    expect(start.errors()).toContain(
      'Running without a window because there is no display (DISPLAY and WAYLAND_DISPLAY are not set).\n',
    )
    expect(start.out()).toMatch(
      /^Switchboard is running at (http:\/\/127\.0\.0\.1:\d+)\. Home folder: .*home\. Press Ctrl\+C to stop\.\nOpen the console: \1\/console\/#code=[\w-]+$/m,
    )
    process.kill(-start.pid, 'SIGINT')
    await start.ended
  },
)

test.each([[[]], [['fly']], [['fly', '--help']]])(
  'an unknown command prints the usage and exits with 1: %j',
  async (args) => {
    const unknown = run(process.execPath, launcher(...args))

    expect([await unknown.ended, unknown.out()]).toEqual([1, ''])
    expect(unknown.errors()).toMatch(/^Usage: /)
  },
)

test.each([
  [['serve', '--help'], /npm run serve -- \[--port N\] \[--home DIR\] \[--json\]/],
  [['keys', '--help'], /npm run keys -- create --name NAME/],
  [['demo', '-h'], /npm run demo/],
])('help prints to standard output: %j', async (args, words) => {
  const help = run(process.execPath, launcher(...args))

  expect([await help.ended, said(help)]).toEqual([0, ''])
  expect(help.out()).toMatch(words)
})
