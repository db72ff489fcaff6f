import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError, isErrorCode } from '../contract/errors.ts'
import { cause, type Log } from '../kernel/log.ts'

/** A command to the running service: one JSON line, answered with one JSON line. */
export interface ControlRequest {
  readonly command: string
  readonly input: unknown
}
type ControlAnswer =
  | { readonly ok: true; readonly result: unknown }
  /** No code: the service does not know what happened, or is an older version. */
  | { readonly ok: false; readonly message: string; readonly code?: string }

/** The running service did not execute a command. The message is for the person at the terminal. */
export class CommandRefused extends Error {}

/** Where the running service of a home folder listens for commands. */
export function controlAddress(home: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return join(home, 'control.sock')
  return `\\\\.\\pipe\\switchboard-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`
}

export interface ControlServer {
  close(): Promise<void>
}

interface ControlDeps {
  readonly address: string
  /** @throws ApiError with a message for the person at the terminal; any other error is logged. */
  readonly carryOut: (request: ControlRequest) => Promise<unknown>
  readonly log: Log
}

/** Listens for commands of the same user. The lock on the home folder ensures that there is only one listener. */
export async function listenForCommands({ address, carryOut, log }: ControlDeps): Promise<ControlServer> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
    linesOf(socket).on('line', (line) => {
      void answer(line, carryOut, log).then((reply) => socket.write(`${JSON.stringify(reply)}\n`))
    })
  })
  if (isFile(address)) await bindFile(server, address)
  else await bind(server, address)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          if (isFile(address)) rmSync(address, { force: true })
          resolve()
        })
        for (const socket of open) socket.destroy()
      }),
  }
}

/** Errors of the socket are emitted here a second time, where an unhandled one ends the process. */
const linesOf = (socket: Socket) => createInterface({ input: socket }).on('error', () => {})

const isFile = (address: string) => !address.startsWith('\\\\')

async function bindFile(server: Server, address: string): Promise<void> {
  // A killed process may have left its socket behind. We hold the lock of the home folder, so nobody listens on it.
  rmSync(address, { force: true })
  await throughShortName(address, (path) => {
    // Mode 0600 from the start, even if others can read the home folder. The socket is bound before `bind` returns.
    const previous = process.umask(0o177)
    try {
      return bind(server, path)
    } finally {
      process.umask(previous)
    }
  })
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(path, resolve))
}

/** The lowest limit of any system is 104 bytes, including the terminator. */
const LONGEST_SOCKET_PATH = 100

/** Opens a socket whose path is too long through a temporary symbolic link. */
async function throughShortName<T>(address: string, open: (path: string) => Promise<T>): Promise<T> {
  if (!isFile(address) || Buffer.byteLength(address) <= LONGEST_SOCKET_PATH) return open(address)
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-'))
  try {
    symlinkSync(dirname(address), join(folder, 'home'))
    return await open(join(folder, 'home', basename(address)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function answer(
  line: string,
  carryOut: (request: ControlRequest) => Promise<unknown>,
  log: Log,
): Promise<ControlAnswer> {
  try {
    return { ok: true, result: await carryOut(JSON.parse(line) as ControlRequest) }
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, code: error.code, message: error.message }
    log.error({ event: 'command.failed', cause: cause(error) })
    return { ok: false, message: 'The command failed in the running service. See its log for the cause.' }
  }
}

/** How long to wait for a service that hangs. */
const TIMEOUT_MS = 5_000

/**
 * Sends a command to the running service.
 * @returns undefined if no service listens there.
 * @throws ApiError if it refuses; CommandRefused if it fails, does not respond, or belongs to another user.
 */
export async function askRunningService(
  address: string,
  request: ControlRequest,
  timeoutMs = TIMEOUT_MS,
): Promise<{ result: unknown } | undefined> {
  const socket = await throughShortName(address, dial)
  if (socket === undefined) return undefined
  try {
    socket.setTimeout(timeoutMs, () => socket.destroy())
    socket.write(`${JSON.stringify(request)}\n`)
    const line = await firstLine(socket)
    if (line === undefined)
      throw new CommandRefused('The running service stopped or did not respond. Repeat the command.')
    const reply = JSON.parse(line) as ControlAnswer
    if (!reply.ok)
      throw isErrorCode(reply.code) ? new ApiError(reply.code, reply.message) : new CommandRefused(reply.message)
    return { result: reply.result }
  } finally {
    socket.destroy()
  }
}

/** @returns undefined if the connection ends first. */
function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    linesOf(socket).once('line', resolve)
    socket.once('close', () => resolve(undefined))
  })
}

const OF_ANOTHER_USER = 'The home folder belongs to another user. Run this command as that user.'

function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      // Later errors are followed by `close`, which is handled.
      socket.on('error', () => {})
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // ENOTDIR: the home is a file, which is reported where the home is opened.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR') resolve(undefined)
      else if (error.code === 'EACCES') reject(new CommandRefused(OF_ANOTHER_USER))
      else reject(new CommandRefused(`Cannot reach the running service: ${error.message}.`))
    })
  })
}
