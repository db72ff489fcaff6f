import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { electronPackage } from '../../main/commands/start/electron-package.ts'
import { openWindow } from '../../main/commands/start/open-window.ts'
import { firstUsefulLine } from '../../main/commands/start/useful-line.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { tempFolder } from '../support/database.ts'

/** A package whose executable and installer are small programs of the test's own; real processes run. */
let folder: string
let said: string[]

beforeEach(() => {
  folder = tempFolder()
  said = []
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '45.3.4' }))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const program = (text: string) => `#!${process.execPath}\n${text}\n`

function installed(text: string): void {
  const file = join(folder, 'dist', 'electron')
  writeFileSync(file, program(text))
  chmodSync(file, 0o755)
  writeFileSync(join(folder, 'dist', 'version'), '45.3.4')
  writeFileSync(join(folder, 'path.txt'), 'electron')
}

const installer = (text: string) => writeFileSync(join(folder, 'install.js'), text)

const open = (more: Partial<Parameters<typeof openWindow>[0]> = {}) =>
  openWindow({
    platform: 'linux',
    environment: { ...process.env, DISPLAY: ':99' },
    uid: 1000,
    electron: electronPackage(folder, undefined),
    entry: '/nowhere/desktop.js',
    argv: ['--port', '4999'],
    clock: systemClock,
    say: (line) => said.push(line),
    ...more,
  })

describe('no window opens, and the reason is printed', () => {
  test('without a display, and nothing is downloaded', async () => {
    installer(`require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'fetched'))}, '')`)
    expect(await open({ environment: {} })).toEqual({
      kind: 'none',
      reason: 'there is no display (DISPLAY and WAYLAND_DISPLAY are not set)',
    })
    expect(said).toEqual([])
  })

  test('when the binary cannot be fetched', async () => {
    installer(`console.error('TypeError: fetch failed'); process.exit(1)`)
    expect(await open()).toEqual({
      kind: 'none',
      reason: 'Electron could not be downloaded (TypeError: fetch failed)',
    })
    expect(said).toEqual(['Downloading Electron (first start only)…'])
  })

  test('when the download makes no progress for too long', async () => {
    installer('setInterval(() => {}, 1_000)')
    expect(await open({ fetchMs: 300 })).toMatchObject({
      reason: 'Electron could not be downloaded (timed out)',
    })
  })

  test('when Electron ends first, with its own first useful line', async () => {
    installed(
      `console.error('[42:1120/165854.1:ERROR:x.cc(2)] \\u001b[31merror while loading shared libraries: libgtk-3.so.0'); process.exit(127)`,
    )
    expect(await open()).toEqual({
      kind: 'none',
      reason:
        'Electron exited before opening a window (exit 127: [31merror while loading shared libraries: libgtk-3.so.0)',
    })
  })

  test('when it is killed', async () => {
    installed(`process.kill(process.pid, 'SIGKILL')`)
    expect(await open()).toMatchObject({ reason: 'Electron exited before opening a window (signal SIGKILL)' })
  })

  test('when it runs and never opens; it has ended by then', async () => {
    installed(
      `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid)); setInterval(() => {}, 1_000)`,
    )
    expect(await open({ openMs: 3_000 })).toMatchObject({ reason: 'Electron did not open a window within 3 s' })
    const { readFileSync } = await import('node:fs')
    expect(() => process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0)).toThrow('ESRCH')
  })
})

test('an open window is waited for, and its exit code is returned', async () => {
  installed(`process.send('opened'); setTimeout(() => process.exit(3), 100)`)
  expect(await open()).toEqual({ kind: 'ended', exitCode: 3 })
})

test('an already open window is not a failure', async () => {
  installed(`process.send('already-running', () => process.exit(0))`)
  expect(await open()).toEqual({ kind: 'already-open' })
})

test('it is started with its own entry and arguments, as Electron and not as Node', async () => {
  const seen = join(folder, 'seen.json')
  installed(
    `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ argv: process.argv.slice(2), asNode: process.env.ELECTRON_RUN_AS_NODE ?? null })); process.send('opened', () => process.exit(0))`,
  )
  await open({ environment: { ...process.env, DISPLAY: ':99', ELECTRON_RUN_AS_NODE: '1' } })
  const { readFileSync } = await import('node:fs')
  expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual({
    argv: ['/nowhere/desktop.js', '--port', '4999'],
    asNode: null,
  })
})

test('only root runs without Chromium’s sandbox, with a message', async () => {
  const seen = join(folder, 'seen.json')
  installed(
    `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(2))); process.send('opened', () => process.exit(0))`,
  )
  await open({ uid: 0 })
  const { readFileSync } = await import('node:fs')
  expect(JSON.parse(readFileSync(seen, 'utf8'))[0]).toBe('--no-sandbox')
  expect(said).toEqual(["Running as root turns off Chromium's sandbox. Use a regular user account instead."])
})

describe('the binary is there', () => {
  test('only when it is complete and of the right version', () => {
    const electron = electronPackage(folder, undefined)
    expect(electron.executable()).toBeUndefined()
    installed('')
    expect(electron.executable()).toBe(join(folder, 'dist', 'electron'))
    writeFileSync(join(folder, 'dist', 'version'), '44.0.0')
    expect(electron.executable()).toBeUndefined()
    writeFileSync(join(folder, 'dist', 'version'), '45.3.4')
    rmSync(join(folder, 'path.txt'))
    expect(electron.executable()).toBeUndefined()
  })

  test('or where a setting says, whatever its version', () => {
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'electron'), '')
    expect(electronPackage(folder, elsewhere).executable()).toBe(join(elsewhere, 'electron'))
  })
})

test.each([
  ['\n\n  Missing X server \n', 'Missing X server'],
  ['node:internal/x:1\n  throw err\n  ^\n', 'throw err'],
  ['    at Object.<anonymous>\n', undefined],
  ['', undefined],
  ['x'.repeat(300), 'x'.repeat(200)],
])('of %j the useful line is %j', (text, line) => {
  expect(firstUsefulLine(text)).toBe(line)
})
