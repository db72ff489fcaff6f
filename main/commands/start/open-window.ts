import { spawn, type ChildProcess } from 'node:child_process'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import type { ElectronPackage } from './electron-package.ts'
import { firstUsefulLine } from './useful-line.ts'

/** Result of trying to open the window. */
export type WindowOutcome =
  /** A window opened, and it ended with this code. */
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'already-open' }
  /** No window can open here; the reason completes “Running without a window because …”. */
  | { readonly kind: 'none'; readonly reason: string }

interface WindowDeps {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** 0 is root, undefined where there are no user ids. */
  readonly uid: number | undefined
  readonly electron: ElectronPackage
  /** The built main process, out/main/desktop.js. */
  readonly entry: string
  readonly argv: readonly string[]
  readonly clock: Pick<Clock, 'mono' | 'after'>
  readonly say: (line: string) => void
  /** Time limits for the download and for opening the window. */
  readonly fetchMs?: number
  readonly openMs?: number
}

const FETCH_MS = 180_000
const OPEN_MS = 60_000

/**
 * Opens the window, or returns why it can't. The main process reports “opened” after its first page has loaded, which
 * detects a missing display, a missing library, sandbox problems and crashes alike. The child has exited when this
 * resolves, because a headless fallback opens the same home folder.
 */
export async function openWindow(around: WindowDeps): Promise<WindowOutcome> {
  const { platform, environment, electron, say } = around
  if (platform === 'linux' && !environment['DISPLAY'] && !environment['WAYLAND_DISPLAY'])
    return { kind: 'none', reason: 'there is no display (DISPLAY and WAYLAND_DISPLAY are not set)' }
  if (electron.executable() === undefined) {
    say('Downloading Electron (first start only)…')
    const trouble = await fetchBinary(around)
    if (electron.executable() === undefined)
      return { kind: 'none', reason: `Electron could not be downloaded (${trouble})` }
  }
  return runWindow(around, electron.executable() ?? '')
}

async function fetchBinary({ electron, environment, clock, fetchMs = FETCH_MS }: WindowDeps): Promise<string> {
  const child = spawn(process.execPath, [electron.installer], {
    env: { ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = collect(child)
  const ended = endOf(child)
  if ((await raceWithTimeout(clock, fetchMs, ended)) === undefined) {
    child.kill('SIGKILL')
    await ended
    return 'timed out'
  }
  return firstUsefulLine(errors()) ?? 'the downloaded files are missing'
}

async function runWindow(around: WindowDeps, executable: string): Promise<WindowOutcome> {
  const { environment, entry, argv, clock, uid, say, openMs = OPEN_MS } = around
  // Chromium refuses to run as root with its sandbox on.
  if (uid === 0) say("Running as root turns off Chromium's sandbox. Use a regular user account instead.")
  const child = spawn(executable, [...(uid === 0 ? ['--no-sandbox'] : []), entry, ...argv], {
    // Some editors' terminals set it, which would start Electron as plain Node.
    env: { ...environment, ELECTRON_RUN_AS_NODE: undefined },
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  })
  const errors = collect(child)
  const ended = endOf(child)
  const reported = new Promise<'opened' | 'already-running'>((resolve) => {
    child.on('message', (message) => {
      if (message === 'opened' || message === 'already-running') resolve(message)
    })
  })
  const first = await raceWithTimeout<'opened' | 'already-running' | End>(clock, openMs, reported, ended)
  if (first === 'already-running') {
    await ended
    return { kind: 'already-open' }
  }
  if (first === 'opened') {
    const unhook = forwardSignals(child)
    const { code } = await ended
    unhook()
    return { kind: 'ended', exitCode: code ?? 1 }
  }
  if (first === undefined) {
    child.kill('SIGKILL')
    await ended
    return { kind: 'none', reason: `Electron did not open a window within ${Math.round(openMs / 1_000)} s` }
  }
  return { kind: 'none', reason: `Electron exited before opening a window (${describe(first, errors())})` }
}

/** The first to resolve, or undefined on timeout. */
function raceWithTimeout<T>(
  clock: WindowDeps['clock'],
  ms: number,
  ...awaited: readonly Promise<T>[]
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const limit = startTimeout(clock, ms, () => resolve(undefined))
    void Promise.race(awaited).then((value) => {
      limit.cancel()
      resolve(value)
    })
  })
}

interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly error: Error | undefined
}

const endOf = (child: ChildProcess): Promise<End> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('exit', (code, signal) => resolve({ code, signal, error: undefined }))
  })

const MAX_CHARACTERS = 8_000

/** Collects the beginning of the child's standard error. */
function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_CHARACTERS) text += chunk
  })
  return () => text
}

function describe({ code, signal, error }: End, errors: string): string {
  const how = error ? error.message : signal ? `signal ${signal}` : `exit ${code ?? '?'}`
  const line = firstUsefulLine(errors)
  return line === undefined ? how : `${how}: ${line}`
}

function forwardSignals(child: ChildProcess): () => void {
  const hooks = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const hook = () => void child.kill(signal)
    process.on(signal, hook)
    return () => process.off(signal, hook)
  })
  return () => hooks.forEach((unhook) => unhook())
}
