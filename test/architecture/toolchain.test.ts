import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}
interface Lock {
  packages: Record<
    string,
    {
      name?: string
      resolved?: string
      gypfile?: boolean
      hasInstallScript?: boolean
      peerDependenciesMeta?: Record<string, { optional?: boolean }>
    }
  >
}
const manifest = JSON.parse(read('package.json')) as Manifest
const lock = JSON.parse(read('package-lock.json')) as Lock

test('the top level holds exactly the agreed names', () => {
  const generated = ['node_modules', 'out', 'dist', 'coverage']
  const names = readdirSync(ROOT).filter((name) => !name.startsWith('.') && !generated.includes(name))
  expect(names.sort()).toEqual(
    [
      'package.json',
      'package-lock.json',
      'LICENSE',
      'electron.vite.config.ts',
      'tsconfig.json',
      'main',
      'preload',
      'renderer',
      'resources',
      'test',
      'README.md',
    ].sort(),
  )
})

test('every dependency is pinned to one exact version', () => {
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  )
  expect(ranges).toEqual([])
})

test('npm ci never compiles better-sqlite3', () => {
  // npm install drops the first of these: put `"gypfile": false` back into the lockfile's entry.
  expect(lock.packages['node_modules/better-sqlite3']?.gypfile).toBe(false)
  expect(manifest.allowScripts['better-sqlite3']).toBe(false)
})

test('the messaging client does not install an image library', () => {
  // The client names `sharp` as a required peer, 20 MB of native code for thumbnails it makes only if it finds it. Its
  // lockfile entry says optional instead; npm keeps that as long as the version stays: after an upgrade write it again.
  expect(lock.packages['node_modules/baileys']?.peerDependenciesMeta?.['sharp']).toEqual({ optional: true })
  expect(Object.keys(lock.packages).filter((path) => /node_modules\/(sharp|@img)(\/|$)/.test(path))).toEqual([])
})

test('every install script is allowed or denied by name', () => {
  const unreviewed = Object.entries(lock.packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path, entry]) => entry.name ?? path.replace(/^.*node_modules\//, ''))
    .filter((name) => !(name in manifest.allowScripts))
  expect(unreviewed).toEqual([])
})

test('packages come from the public npm registry only', () => {
  const elsewhere = Object.entries(lock.packages).filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'),
  )
  expect(elsewhere).toEqual([])
})

test('npm refuses unreviewed scripts and foreign sources, on any Node that starts it', () => {
  expect(read('.npmrc').trim().split('\n').sort()).toEqual([
    'allow-git=none',
    'allow-remote=none',
    'save-exact=true',
    'strict-allow-scripts=true',
  ])
})

test('only entry files read their own path', () => {
  const entries = ['main/headless.ts', 'main/start.ts', 'main/desktop.ts']
  const asking = ['main', 'preload', 'renderer']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${String(name)}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(ts|vue)$/.test(path) && !entries.includes(path))
    .filter((path) => /import\.meta\.(dirname|filename|url)\b/.test(read(path)))
  expect(asking).toEqual([])
})
