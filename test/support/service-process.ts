import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** The built headless entry, as users run it. */
export const ENTRY = resolve(import.meta.dirname, '../../out/main/headless.js')

const run = promisify(execFile)

export interface Reply {
  status: number
  headers: Headers
  // Answers are read as they come; a test that is wrong about a field fails on it.
  body: any
}

export interface RunningService {
  readonly url: string
  readonly pid: number
  /** What it printed on standard error so far. */
  errors(): string
  api(key: string): Api
  /** Sends the signal and waits for the end. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

/** A home folder of a test; services start in it one after another. */
export interface TestHome {
  readonly dir: string
  /** @param settings what settings.json holds from now on. */
  write(settings: Record<string, unknown>): void
  start(environment?: Record<string, string>): Promise<RunningService>
  /** Runs a command of the product to its end. */
  command(...args: string[]): Promise<{ code: number; out: string; err: string }>
  key(name: string, ...args: string[]): Promise<{ id: string; key: string }>
  remove(): void
}

const ENVIRONMENT = {
  SWITCHBOARD_VAULT: 'file',
  SWITCHBOARD_LOG_LEVEL: 'warn',
  SWITCHBOARD_RATE_LIMIT_PER_MINUTE: '1000000',
}

export function testHome(): TestHome {
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-test-'))
  const environment = (more: Record<string, string> = {}) => ({ ...process.env, ...ENVIRONMENT, ...more })
  const command: TestHome['command'] = async (...args) => {
    try {
      const { stdout, stderr } = await run(process.execPath, [ENTRY, ...args, '--home', dir], { env: environment() })
      return { code: 0, out: stdout, err: stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, out: stdout, err: stderr }
    }
  }
  return {
    dir,
    command,
    write: (settings) => writeFileSync(join(dir, 'settings.json'), JSON.stringify(settings)),
    start: (more) => startService(dir, environment(more)),
    async key(name, ...args) {
      const { code, out, err } = await command('keys', 'create', '--name', name, '--json', ...args)
      if (code !== 0) throw new Error(`keys create: ${err}`)
      return JSON.parse(out) as { id: string; key: string }
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function startService(home: string, environment: NodeJS.ProcessEnv): Promise<RunningService> {
  const child = spawn(process.execPath, [ENTRY, 'serve', '--port', '0', '--json', '--home', home], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { url: string }
    return {
      url,
      pid: child.pid ?? 0,
      errors: () => errors,
      api: (key) => createApi(url, key),
      async end(signal) {
        if (child.exitCode === null && child.signalCode === null) {
          const gone = once(child, 'exit')
          child.kill(signal)
          await gone
        }
        return child.exitCode
      },
    }
  }
  throw new Error(`the service ended before it listened: ${errors}`)
}

function createApi(url: string, key: string): Api {
  return async (method, path, body, headers = {}) => {
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
}
