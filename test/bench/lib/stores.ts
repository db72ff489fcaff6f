import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A database server for one run, on loopback. The folder with its files is removed afterwards. */
export interface Store {
  readonly port: number
  readonly pids: () => readonly number[]
  stop(): Promise<void>
}

const START_MS = 10_000

/** @returns undefined if the program is not installed. */
export async function startRedis(): Promise<Store | undefined> {
  const program = find('redis-server', [])
  if (program === undefined) return undefined
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'bench-redis-'))
  const args = `--bind 127.0.0.1 --port ${port} --dir ${dir} --appendonly yes --appendfsync everysec --maxmemory-policy noeviction`
  const child = spawn(program, [...args.split(' '), '--save', ''], { stdio: 'ignore' })
  await answers(port)
  return { port, pids: () => [child.pid ?? 0], stop: () => end(child, 'SIGTERM', dir) }
}

/** @returns undefined if the programs are not installed. */
export async function startPostgres(): Promise<Store | undefined> {
  const folders = existsSync(PACKAGED) ? readdirSync(PACKAGED).map((version) => join(PACKAGED, version, 'bin')) : []
  const [postgres, initdb] = [find('postgres', folders), find('initdb', folders)]
  if (postgres === undefined || initdb === undefined) return undefined
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'bench-postgres-'))
  const data = join(dir, 'data')
  mkdirSync(data)
  chmodSync(dir, 0o755)
  const who = asPostgres()
  if (who !== undefined) execFileSync('chown', ['-R', `${who.uid}:${who.gid}`, dir])
  execFileSync(initdb, ['-D', data, '-U', 'bench', '-A', 'trust', '--no-sync'], { ...who, stdio: 'ignore', cwd: '/' })
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', dir, '-c', 'shared_buffers=256MB']
  const child = spawn(postgres, args, { ...who, stdio: 'ignore', cwd: '/' })
  await answers(port)
  const pid = child.pid ?? 0
  return { port, pids: () => [pid, ...childrenOf(pid)], stop: () => end(child, 'SIGINT', dir) }
}

const PACKAGED = '/usr/lib/postgresql'

function find(program: string, folders: readonly string[]): string | undefined {
  const all = [...(process.env['PATH'] ?? '').split(':'), ...folders]
  return all.map((folder) => join(folder, program)).find((file) => existsSync(file))
}

/** PostgreSQL refuses to run as root. */
function asPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    // The process has ended meanwhile.
    return undefined
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function answers(port: number): Promise<void> {
  const until = performance.now() + START_MS
  while (performance.now() < until) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nothing answers on port ${port}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals, dir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal)
    await once(child, 'exit')
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
