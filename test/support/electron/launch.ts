import { fork, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { browserPath } from '../browser.ts'
import type { StandInKeytar } from '../vault.ts'
import { electronBinary, launchElectron } from './real.ts'
import type { Recorded } from './covered.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** What a host, the stand-in or the real one, lets a test see. */
export interface Desktop {
  readonly host: 'electron' | 'stand-in'
  firstWindow(): Promise<Page>
  /** Runs the function in the main process, with Electron as its first argument. */
  evaluate<T, G = undefined>(act: (electron: HostSide, given: G) => T, given?: G): Promise<Awaited<T>>
  /** Quits as a person would. @returns the exit code. */
  close(): Promise<number | null>
  readonly exited: Promise<number | null>
  /** What the main process says to its launcher: opened, already-running. Nothing is heard of it from the real one. */
  readonly said: readonly unknown[]
  readonly errors: () => string
}

/** The members of Electron that tests reach for in the main process. */
export interface HostSide {
  readonly app: { quit(): void; relaunch(): void; emit(name: string, ...given: unknown[]): boolean }
  readonly autoUpdater: Emitter
  readonly powerMonitor: Emitter
  readonly dialog: { showMessageBox: (window: unknown, options: object) => Promise<{ response: number }> }
  readonly record: Recorded[]
  readonly Notification: { readonly all: readonly Emitter[] }
  readonly BrowserWindow: {
    readonly all: readonly {
      readonly webContents: Emitter & { send(channel: string, ...given: unknown[]): void }
      show(): void
      hide(): void
      blur(): void
      askToClose(): boolean
      askToOpen(url: string): string
      isVisible(): boolean
    }[]
  }
  /** What the computer answers that is asked for its keychain, with SWITCHBOARD_VAULT=keychain. */
  readonly keychain: Pick<StandInKeytar, 'become' | 'answerPrompts' | 'calls'>
  /** Asks over IPC as any frame, also one that no page of ours could make. */
  readonly invoke: (frame: object | null, channel: string, given: readonly unknown[]) => Promise<object>
  /** What was given to the session, to be asked. */
  readonly permissions: Readonly<Record<'request' | 'check' | 'device', (...given: unknown[]) => unknown>>
}

interface Emitter {
  emit(name: string, ...given: unknown[]): boolean
}

export interface Wish {
  readonly home: string
  readonly profile: string
  readonly argv?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The unpacked app of a package and its resources folder, instead of the project. */
  readonly packaged?: { readonly app: string; readonly resources: string }
}

/**
 * The built desktop app: in Electron where its binary is installed and there is a display, else in the stand-in.
 * For tests that ask only what both can answer.
 */
export async function launchDesktop(wish: Omit<Wish, 'packaged'>): Promise<Desktop> {
  const binary = electronBinary()
  return binary === undefined ? launchStandIn(wish) : launchElectron(binary, wish)
}

/** The built desktop app in the stand-in. Nothing is said about Electron itself. */
export async function launchStandIn({ home, profile, argv = [], environment, packaged }: Wish): Promise<Desktop> {
  const entry = join(packaged?.app ?? ROOT, 'out/main/desktop.js')
  if (!existsSync(entry)) throw new Error('out/main/desktop.js is missing: npm run build makes it.')
  const child = fork(entry, ['--home', home, '--port', '0', ...argv], {
    execArgv: ['--import', join(import.meta.dirname, 'register.ts')],
    env: {
      ...process.env,
      STAND_IN_PROFILE: profile,
      STAND_IN_BROWSER: browserPath(),
      SWITCHBOARD_VAULT: 'file',
      SWITCHBOARD_LOG_LEVEL: 'warn',
      ...(packaged !== undefined && { STAND_IN_PACKAGED: packaged.resources }),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stdout?.resume()
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  const said: unknown[] = []
  const hello = new Promise<{ gateway: string; cdp: string }>((done, fail) => {
    child.on('message', (message) => {
      if (typeof message === 'string') said.push(message)
      else if (typeof message === 'object' && 'gateway' in message) done(message as { gateway: string; cdp: string })
    })
    void exited.then((code) => fail(new Error(`The desktop app ended (${code}) before it was ready:\n${errors}`)))
  })
  hello.catch(() => {})

  let browser: Browser | undefined
  return {
    host: 'stand-in',
    exited,
    said,
    errors: () => errors,
    async firstWindow() {
      const { gateway, cdp } = await hello
      browser ??= await chromium.connectOverCDP(`http://127.0.0.1:${cdp.split('\n')[0] ?? ''}`)
      return until(
        () =>
          browser
            ?.contexts()[0]
            ?.pages()
            .find((page) => page.url().startsWith(gateway)),
        errors,
      )
    },
    evaluate: (act, given) => ask(child, act.toString(), given),
    async close() {
      child.send({ stop: true })
      const code = await exited
      await browser?.close().catch(() => {})
      return code
    },
  }
}

let asked = 0
function ask<T>(child: ChildProcess, evaluate: string, given: unknown): Promise<T> {
  const id = ++asked
  return new Promise((done, fail) => {
    const hear = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !('id' in message) || message.id !== id) return
      child.off('message', hear)
      if ('failed' in message) return fail(new Error(String(message.failed)))
      // What the test's own function returned, over JSON.
      done((message as unknown as { result: T }).result)
    }
    child.on('message', hear)
    child.send({ id, evaluate, given })
  })
}

async function until<T>(look: () => T | undefined, errors = ''): Promise<T> {
  for (let waited = 0; waited < 20_000; waited += 50) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`No window opened within 20 s.\n${errors}`)
}

/** A folder for the browser's profile, about 3 MB; `remove` it. */
export function tempProfile(): { profile: string; remove(): void } {
  const profile = mkdtempSync(join(tmpdir(), 'switchboard-profile-'))
  return { profile, remove: () => rmSync(profile, { recursive: true, force: true, maxRetries: 3 }) }
}
