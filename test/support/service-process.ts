import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { commandHere } from './command.ts'
import { NODE_FLAGS } from './node-flags.ts'

/** The built headless entry, as users run it. Taken through the link once: a build made meanwhile changes nothing. */
export const ENTRY = realpathSync(resolve(import.meta.dirname, '../../out/main/headless.js'))

/** For processes that must not outlive the test run, however that ends. */
const WITH_PARENT = ['--import', pathToFileURL(resolve(import.meta.dirname, 'end-with-parent.mjs')).href]

export interface Reply {
  status: number
  headers: Headers
  // Answers are read as they come; a test that is wrong about a field fails on it.
  body: any
}

export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

type Environment = Record<string, string | undefined>
type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT'

/** A process of the product, from its start to its end. */
export interface ProductProcess {
  readonly pid: number
  /** What it printed so far. */
  out(): string
  errors(): string
  signal(name: Signal): void
  /** How it ended: its exit code, or null when a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | null>
}

export interface RunningService extends ProductProcess {
  readonly url: string
  api(key: string): Api
}

export interface Ran {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly ms: number
}

/** A home folder of a test; services start in it one after another. */
export interface TestHome {
  readonly dir: string
  /** @param settings what settings.json holds from now on. */
  write(settings: Record<string, unknown>): void
  /** Starts the service and waits until it listens. */
  start(environment?: Environment, ...args: string[]): Promise<RunningService>
  /** Starts the service without waiting for anything. */
  launch(environment?: Environment, ...args: string[]): ProductProcess & { readonly listening: Promise<RunningService> }
  /** Runs a command of the product to its end, in this process. */
  command(...args: string[]): Promise<Ran>
  /** The same on another home folder. */
  commandAt(home: string, ...args: string[]): Promise<Ran>
  /** Runs a command in a process of its own, as a user does. */
  commandIn(environment: Environment, ...args: string[]): Promise<Ran>
  key(name: string, ...args: string[]): Promise<{ id: string; key: string }>
  /** Ends what still runs and removes the folder. */
  remove(): Promise<void>
}

/** The machine's environment without settings of the product: those would decide what is tested. */
export const inherited: Environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHBOARD_'))),
  NODE_OPTIONS: undefined,
}

/** What every service of a test is started with. */
export const ENVIRONMENT: Environment = {
  ...inherited,
  SWITCHBOARD_VAULT: 'file',
  SWITCHBOARD_LOG_LEVEL: 'warn',
  SWITCHBOARD_RATE_LIMIT_PER_MINUTE: '1000000',
}

/**
 * @param below lies so deep in the folder that is removed at the end.
 * @param on the folder it is made in, such as a disk of its own.
 */
export function testHome(below = '', on = tmpdir()): TestHome {
  const root = mkdtempSync(join(on, 'switchboard-test-'))
  const dir = join(root, below)
  const running = new Set<ProductProcess>()

  const run = (args: readonly string[], more: Environment, place = dir) => {
    const started = startProcess([...args, '--home', place], { ...ENVIRONMENT, ...more })
    running.add(started)
    void started.ended.then(() => running.delete(started))
    return started
  }
  const launch: TestHome['launch'] = (more = {}, ...args) => {
    const service = run(['serve', '--port', '0', '--json', ...args], more)
    return { ...service, listening: untilListening(service) }
  }
  const toItsEnd = async (start: () => ProductProcess): Promise<Ran> => {
    const startedAt = performance.now()
    const child = start()
    const code = await child.ended
    return { code, out: child.out(), err: child.errors(), ms: performance.now() - startedAt }
  }
  const commandIn: TestHome['commandIn'] = (more, ...args) => toItsEnd(() => run(args, more))
  return {
    dir,
    launch,
    commandIn,
    commandAt: (place, ...args) => commandHere([...args, '--home', place], ENVIRONMENT),
    command: (...args) => commandHere([...args, '--home', dir], ENVIRONMENT),
    write: (settings) => writeFileSync(join(dir, 'settings.json'), JSON.stringify(settings)),
    start: (more, ...args) => launch(more, ...args).listening,
    async key(name, ...args) {
      const { code, out, err } = await commandHere(
        ['keys', 'create', '--name', name, '--json', ...args, '--home', dir],
        ENVIRONMENT,
      )
      if (code !== 0) throw new Error(`keys create: ${err}`)
      return JSON.parse(out) as { id: string; key: string }
    },
    async remove() {
      await Promise.all([...running].map((child) => child.end('SIGKILL')))
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

export function startProcess(args: readonly string[], environment: Environment): ProductProcess {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  return follow(spawn(process.execPath, [...NODE_FLAGS, ...WITH_PARENT, ENTRY, ...args], { env: environment, stdio }))
}

/** Follows a process to its end. It never outlives the process that runs the tests. */
export function follow(child: ChildProcess): ProductProcess {
  let out = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  alive.add(child)
  // "close", not "exit": only then everything it printed has been read.
  const ended = once(child, 'close').then(([code]) => {
    alive.delete(child)
    return code as number | null
  })
  return {
    pid: child.pid ?? 0,
    out: () => out,
    errors: () => errors,
    signal: (name) => void child.kill(name),
    ended,
    end(signal) {
      child.kill(signal)
      return ended
    },
  }
}

/** Waits for the line of --json; lines of others, such as npm's, may stand before it. */
export async function untilListening(service: ProductProcess): Promise<RunningService> {
  const ended = service.ended.then(() => true)
  const line = () => /^(\{"event":"listening",.*\})\n/m.exec(service.out())?.[1]
  while (line() === undefined) {
    if (await Promise.race([ended, pause(5).then(() => false)]))
      throw new Error(`the service ended before it listened: ${service.errors()}`)
  }
  const { url } = JSON.parse(line() ?? '') as { url: string }
  return { ...service, url, api: (key) => createApi(url, key) }
}

/** Speaks to a running service as any program would. A request that nobody answers fails after half a minute. */
export function createApi(url: string, key: string): Api {
  return async (method, path, body, headers = {}) => {
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
}

/** The machine's clock as a process finds it that starts some minutes later than it does. */
export function later(minutes: number): Environment {
  const shift = `const now = Date.now; Date.now = () => now() + ${minutes * 61_000}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` }
}

export const pause = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms))

/** Looks again until something is there. @throws after `patienceMs`, naming what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined, patienceMs = 90_000) {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain: ${what}`)
    await pause(20)
  }
}
