import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { createDevTools, startWords, type After, type OwnBrowser } from './devtools.ts'

/** How long it may take to quit before it is killed. */
const CLOSE_MS = 3_000

/** Starts a browser as a child process and controls it over a pipe, which no other program can use. */
export async function startPipedBrowser(
  executable: string,
  words: readonly string[],
  after: After,
): Promise<OwnBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'switchboard-passkey-'))
  const child = spawn(executable, ['--remote-debugging-pipe', ...startWords(profile, words)], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  // File descriptors 3 and 4: the browser reads from the first and writes to the second.
  const [, , , toBrowser, fromBrowser] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const { devTools, receive, end } = createDevTools((message) => void toBrowser.write(`${message}\0`))
  let unread = ''
  fromBrowser.setEncoding('utf8').on('data', (text: string) => {
    const messages = (unread + text).split('\0')
    unread = messages.pop() ?? ''
    for (const message of messages) receive(message)
  })
  // Errors of the pipes are ignored, because the exit of the process is handled.
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', () => {})
  void exited.then(end)

  async function close(): Promise<void> {
    devTools.send('Browser.close').catch(() => {})
    const timer = after(CLOSE_MS, () => child.kill('SIGKILL'))
    await exited
    timer.cancel()
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  return { ...devTools, exited, close }
}
