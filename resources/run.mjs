/**
 * The launcher behind the npm scripts: node resources/run.mjs
 * <start|serve|keys|backup|restore|doctor|move|console|mcp|demo|build> [...args]
 *
 * Each build is in its own folder, `.out-<hash of the sources>`, and `out` is a link to the newest build. A build is
 * therefore complete or absent, two starts in parallel cannot disturb each other, and a running service keeps the
 * files it was started from. The build folders are beside `out`, so `../..` of an entry file is the project folder in
 * both.
 */
import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// Checked before any native module is loaded, because better-sqlite3 crashes an older Node with a segmentation fault
// and no message.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Switchboard needs Node 24 or newer, and this is ${process.versions.node}. ` +
      'Run it through npm (npm start), which uses the Node that "npm ci" installs with the project.\n',
  )
  process.exit(1)
}

const ROOT = path.resolve(import.meta.dirname, '..')
const SOURCES = [
  'main',
  'preload',
  'renderer',
  'electron.vite.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
]
const KEPT_BUILDS = 3

/** @type {Readonly<Record<string, { entry: string, args: readonly string[] }>>} */
const COMMANDS = {
  start: { entry: 'start.js', args: [] },
  serve: { entry: 'headless.js', args: ['serve'] },
  keys: { entry: 'headless.js', args: ['keys'] },
  backup: { entry: 'headless.js', args: ['backup'] },
  restore: { entry: 'headless.js', args: ['restore'] },
  doctor: { entry: 'headless.js', args: ['doctor'] },
  move: { entry: 'headless.js', args: ['move'] },
  console: { entry: 'headless.js', args: ['console'] },
  mcp: { entry: 'headless.js', args: ['mcp'] },
}

class BuildFailed extends Error {}

if (import.meta.main) {
  try {
    await run(process.argv[2] ?? '', process.argv.slice(3))
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** @param {string} name @param {readonly string[]} args */
async function run(name, args) {
  if (name === 'build') return void build()
  if (name === 'demo') return demo(args)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) {
    process.stderr.write(
      `Usage: node resources/run.mjs <${[...Object.keys(COMMANDS), 'demo', 'build'].join('|')}> [...args]\n`,
    )
    process.exit(1)
  }
  const folder = build()
  markInUse(folder)
  const entry = path.join(folder, 'main', command.entry)
  process.argv = [process.execPath, entry, ...command.args, ...args]
  await import(pathToFileURL(entry).href)
}

/** @param {readonly string[]} args */
async function demo(args) {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write('Usage: npm run demo    runs an end-to-end demo in a temporary home\n')
    return
  }
  if (args.length > 0) {
    process.stderr.write(`demo takes no arguments: ${args.join(' ')}.\n`)
    process.exit(1)
  }
  const folder = build()
  markInUse(folder)
  // Loaded only here, because the other commands need neither the demo nor the packages that decode images.
  const { runDemo } = await import('./demo/demo.ts')
  const code = await runDemo(path.join(folder, 'main', 'headless.js'))
  // An interrupted step may still be waiting, so the process is ended explicitly.
  process.stdout.write('', () => process.exit(code))
}

/**
 * Builds if no existing build has the current sources, and points `out` to the result.
 * @returns {string} the folder of the build
 */
export function build() {
  const folder = path.join(ROOT, `.out-${hashOfSources()}`)
  if (!fs.existsSync(folder)) bundleInto(folder)
  const now = new Date()
  fs.utimesSync(folder, now, now)
  pointOutAt(folder)
  removeOldBuilds(folder)
  return folder
}

function hashOfSources() {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    for (const file of filesOf(source)) {
      const bytes = fs.readFileSync(path.join(ROOT, file))
      hash.update(`${file.replaceAll(path.sep, '/')}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** @param {string} source @returns {string[]} */
function filesOf(source) {
  if (!fs.statSync(path.join(ROOT, source)).isDirectory()) return [source]
  return fs
    .readdirSync(path.join(ROOT, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort()
}

/** @param {string} folder */
function bundleInto(folder) {
  const startedAt = performance.now()
  process.stderr.write('Building… ')
  const unfinished = path.join(ROOT, `.out-new-${process.pid}-${randomUUID().slice(0, 8)}`)
  const bundler = path.join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const result = spawnSync(process.execPath, [bundler, 'build', '--outDir', unfinished], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (result.status !== 0) {
    fs.rmSync(unfinished, { recursive: true, force: true })
    throw new BuildFailed(`failed.\n${result.stdout}${result.stderr}${result.error?.message ?? ''}`)
  }
  try {
    fs.renameSync(unfinished, folder)
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true })
    // A parallel start was faster and has created the same build.
    if (!fs.existsSync(folder)) throw error
  }
  process.stderr.write(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

/** @param {string} folder */
function pointOutAt(folder) {
  const out = path.join(ROOT, 'out')
  if (isLinkTo(out, folder)) return
  const link = path.join(ROOT, `.out-link-${process.pid}-${randomUUID().slice(0, 8)}`)
  // On Windows, a junction needs no special permission but an absolute target. On other systems the target is
  // relative, so that the project can be moved.
  const target = process.platform === 'win32' ? folder : path.basename(folder)
  fs.symlinkSync(target, link, 'junction')
  try {
    fs.renameSync(link, out)
  } catch {
    // Windows cannot rename over a junction. No system can rename over a real folder, which an earlier build may have
    // left here.
    fs.rmSync(out, { recursive: true, force: true })
    fs.renameSync(link, out)
  }
}

/** @param {string} link @param {string} folder */
function isLinkTo(link, folder) {
  try {
    return fs.lstatSync(link).isSymbolicLink() && fs.realpathSync(link) === fs.realpathSync(folder)
  } catch {
    return false
  }
}

/** @param {string} folder */
function markInUse(folder) {
  const mark = path.join(folder, `.used-by-${process.pid}`)
  fs.writeFileSync(mark, '')
  process.on('exit', () => fs.rmSync(mark, { force: true }))
}

/**
 * A long-running service may still read files of its build, so only unused builds are removed.
 * @param {string} current
 */
function removeOldBuilds(current) {
  const age = (/** @type {string} */ folder) => fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const folders = fs
    .readdirSync(ROOT)
    .filter((name) => name.startsWith('.out-'))
    .map((name) => path.join(ROOT, name))
  const whole = folders.filter((folder) => /^\.out-[0-9a-f]{16}$/.test(path.basename(folder)))
  const unfinished = folders.filter((folder) => !whole.includes(folder))
  const superfluous = whole.sort((a, b) => age(b) - age(a)).slice(KEPT_BUILDS)
  for (const folder of [...superfluous, ...unfinished]) {
    if (folder !== current && !usersOf(folder).some(isAlive)) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder @returns {number[]} ids of the processes that build this folder or run from it */
function usersOf(folder) {
  const maker = /^\.out-(?:new|link)-(\d+)-/.exec(path.basename(folder))
  if (maker) return [Number(maker[1])]
  try {
    return fs.readdirSync(folder).flatMap((name) => (name.startsWith('.used-by-') ? [Number(name.slice(9))] : []))
  } catch {
    // A parallel start has removed the folder meanwhile.
    return []
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
