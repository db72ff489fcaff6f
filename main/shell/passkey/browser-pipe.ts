import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

type Params = Readonly<Record<string, unknown>>
interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** A browser started for one purpose, spoken to in the DevTools protocol over a pipe that no other program can reach. */
export interface PipedBrowser {
  /** @param session of a target; without one, the browser itself is asked. */
  send(method: string, params?: Params, session?: string): Promise<unknown>
  on(method: string, act: (params: unknown) => void): void
  readonly exited: Promise<void>
  /** Ends it and deletes its profile. */
  close(): Promise<void>
}

/** Time to end in order; then it is killed. */
const CLOSE_MS = 3_000

/** @param after a timer: `clock.after`. */
export async function startPipedBrowser(
  executable: string,
  words: readonly string[],
  after: (ms: number, act: () => void) => { cancel(): void },
): Promise<PipedBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'switchboard-passkey-'))
  const child = spawn(
    executable,
    ['--remote-debugging-pipe', `--user-data-dir=${profile}`, '--no-first-run', '--no-default-browser-check', ...words],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const connection = connect(child, exited)

  async function close(): Promise<void> {
    connection.send('Browser.close').catch(() => {})
    const timer = after(CLOSE_MS, () => child.kill('SIGKILL'))
    await exited
    timer.cancel()
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  return { ...connection, exited, close }
}

function connect(child: ChildProcess, exited: Promise<void>): Pick<PipedBrowser, 'send' | 'on'> {
  // The fourth and fifth of what it was started with: it reads from one and writes to the other.
  const [, , , toBrowser, fromBrowser] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners = new Map<string, (params: unknown) => void>()
  let lastId = 0
  let unread = ''

  function receive({ id, method, params, result, error }: Reply): void {
    if (id === undefined) return listeners.get(method ?? '')?.(params)
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(error.message))
    else asked?.resolve(result)
  }
  fromBrowser.setEncoding('utf8').on('data', (text: string) => {
    const messages = (unread + text).split('\0')
    unread = messages.pop() ?? ''
    for (const message of messages) receive(JSON.parse(message) as Reply)
  })
  // The exit says it all.
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', () => {})
  void exited.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'))
    waiting.clear()
  })

  return {
    send(method, params = {}, sessionId) {
      const id = ++lastId
      const asked = Promise.withResolvers<unknown>()
      waiting.set(id, asked)
      toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
      return asked.promise
    },
    on: (method, act) => void listeners.set(method, act),
  }
}
