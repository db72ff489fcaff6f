import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDevTools, startWords, type After, type OwnBrowser } from './devtools.ts'

const OPEN = '/usr/bin/open'
/** How long it may take to quit before it is killed. */
const CLOSE_MS = 3_000
const POLL_MS = 100
/** Enough for a cold start on a slow disk. */
const POLLS = 300

/**
 * Starts a browser as the Finder does. Bluetooth, and so a passkey on a nearby phone, needs a permission on macOS, and a
 * child process has only those of this app. A program started like this has no pipe: it listens on a random local port
 * until it quits.
 *
 * @param app path of the app: `/Applications/Google Chrome.app`.
 * @param open the system's command; replaced by tests.
 */
export async function startOpenedBrowser(
  app: string,
  words: readonly string[],
  after: After,
  open = OPEN,
): Promise<OwnBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'switchboard-passkey-'))
  const removeProfile = () => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  // -n starts another instance beside a running one, -W waits until it quits.
  const child = spawn(
    open,
    ['-n', '-W', '-a', app, '--args', '--remote-debugging-port=0', ...startWords(profile, words)],
    {
      stdio: 'ignore',
    },
  )
  let hasExited = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  }).then(() => void (hasExited = true))
  const pause = () => new Promise<void>((resolve) => void after(POLL_MS, resolve))
  try {
    const socket = await connect(await addressIn(profile, pause, () => hasExited))
    const { devTools, receive, end } = createDevTools((message) => socket.send(message))
    socket.addEventListener('message', ({ data }) => receive(String(data)))
    socket.addEventListener('close', end)
    const pid = await pidOf(devTools)

    async function close(): Promise<void> {
      devTools.send('Browser.close').catch(() => {})
      const timer = after(CLOSE_MS, () => kill(pid))
      await exited
      timer.cancel()
      await removeProfile()
    }
    return { ...devTools, exited, close }
  } catch (error) {
    child.kill()
    await removeProfile()
    throw error
  }
}

/** The address it listens on: it writes the port and the path into a file of its profile. */
async function addressIn(profile: string, pause: () => Promise<void>, hasExited: () => boolean): Promise<string> {
  for (let turn = 0; turn < POLLS && !hasExited(); turn++) {
    const [port, path] = (await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '')).split('\n')
    if (port !== undefined && path !== undefined) return `ws://127.0.0.1:${port}${path}`
    await pause()
  }
  throw new Error('the browser did not start')
}

function connect(address: string): Promise<WebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  const socket = new WebSocket(address)
  socket.addEventListener('open', () => resolve(socket))
  socket.addEventListener('error', () => reject(new Error('the browser did not answer')))
  return promise
}

async function pidOf({ send }: Pick<OwnBrowser, 'send'>): Promise<number | undefined> {
  const { processInfo } = (await send('SystemInfo.getProcessInfo')) as {
    processInfo: readonly { readonly type: string; readonly id: number }[]
  }
  return processInfo.find(({ type }) => type === 'browser')?.id
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has already quit.
  }
}
