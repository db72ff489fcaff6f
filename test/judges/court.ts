import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Api, TestHome } from '../support/service-process.ts'

/** A tool that others wrote, which says whether the product is as it should be: our own misunderstanding cannot pass twice. */
export interface Judge {
  /** What is judged, by whom: one line for people. */
  readonly about: string
  /** Settings of the service beyond those every judge gets. */
  readonly settings?: Readonly<Record<string, string>>
  /** @returns what was looked at, in a few words. @throws Objection with what is wrong. */
  judge(court: Court): Promise<string>
}

/** What a judge is given: the built service in a home of its own, a key that may do everything, and its own tools. */
export interface Court {
  readonly url: string
  /** Of the service's process. */
  readonly pid: number
  readonly key: string
  readonly api: Api
  /** For more keys. */
  readonly home: TestHome
  /** An empty folder, removed afterwards. */
  readonly dir: string
  /** The judge's own folder. */
  readonly folder: string
  /** Runs a program of the judge's own packages to its end. */
  tool(name: string, args: readonly string[], options?: ToolOptions): Promise<Heard>
  /** The same for a program that stays: where it lies, and what it is started with. */
  program(name: string): { readonly file: string; readonly env: Record<string, string | undefined> }
}

interface ToolOptions {
  readonly cwd?: string
  readonly seconds?: number
}

export interface Heard {
  /** null when it was ended from outside. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The product is not as the judge wants it; the message is what the judge said. */
export class Objection extends Error {}

/** @throws Objection with what the tool said, when it did not end well. */
export function mustAgree(who: string, { code, out, err }: Heard): void {
  if (code !== 0) throw new Objection(`${who} (exit code ${code ?? 'none'})\n${out}\n${err}`)
}

const LOCKED = ['--engine-strict', '--strict-allow-scripts', '--allow-git=none', '--allow-remote=none']
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']
/** Who cannot reach the registry should hear it soon. */
const SOON = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
/** What npm has kept is as good as new, the lockfile has the checksums; but what it kept can be older than the lockfile. */
const SOURCES = ['--prefer-offline', '--prefer-online']
const INSTALL_SECONDS = 200

/** Installs exactly what the folder's lockfile says, when that has changed or is not there. @throws Objection */
export async function install(folder: string): Promise<void> {
  const lockfile = join(folder, 'package-lock.json')
  // A judge that needs nothing but Node has none.
  if (!existsSync(lockfile)) return
  const lock = createHash('sha256').update(readFileSync(lockfile)).digest('hex')
  // Written last, so that an installation which was cut off is begun anew.
  const stamp = join(folder, 'node_modules', '.installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  // The npm that started us, under the Node we run on: another one would choose other packages.
  const npm = process.env['npm_execpath']
  const [file, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  let why = ''
  for (const source of SOURCES) {
    const args = [...first, 'ci', source, ...LOCKED, ...SOON, ...QUIET]
    const heard = await run(file, args, { cwd: folder, env: process.env, seconds: INSTALL_SECONDS })
    if (heard.code === 0) return writeFileSync(stamp, lock)
    why = heard.err.trim().split('\n').slice(0, 4).join('\n')
  }
  throw new Objection(
    `Its packages could not be installed (npm ci in ${folder}). That needs the npm registry once, and no network ` +
      `afterwards.\n${why}`,
  )
}

/** Tools that report home, look for updates or write into the user's folders are told not to. */
export function toolEnvironment(home: string): Record<string, string | undefined> {
  return {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    CI: 'true',
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    NODE_OPTIONS: undefined,
    NO_UPDATE_NOTIFIER: '1',
    SCARF_ANALYTICS: 'false',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
}

/** The file behind a name in node_modules/.bin, to be run with our own Node. */
export const programFile = (folder: string, name: string) => realpathSync(join(folder, 'node_modules', '.bin', name))

interface RunOptions {
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  readonly seconds: number
}

const MOST_OUTPUT = 64 * 2 ** 20

export function run(file: string, args: readonly string[], { cwd, env, seconds }: RunOptions): Promise<Heard> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: seconds * 1_000, killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT } as const
    const child = execFile(file, args, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null
      const why = error?.killed === true ? `it took more than ${seconds} s` : `signal ${String(error?.signal)}`
      resolve({ code, out, err: code === null ? `${err}\nended from outside: ${why}` : err })
    })
    child.stdin?.end()
  })
}
