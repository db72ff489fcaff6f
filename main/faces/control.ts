import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ApiError } from '../contract/errors.ts'

/** What a command asks of the running service, and what it answers: one JSON line each way. */
export interface ControlRequest {
  readonly command: string
  readonly input: unknown
}
type ControlAnswer =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly message: string }

/** Unix sockets have short names on every system; a longer home folder gets a socket in a private folder of its own. */
const LONGEST_SOCKET_PATH = 100

/** Where the running service of a home folder listens for commands. */
export function controlAddress(home: string, platform: NodeJS.Platform): string {
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 16)
  if (platform === 'win32') return `\\\\.\\pipe\\switchboard-${digest}`
  const inHome = join(home, 'control.sock')
  return inHome.length <= LONGEST_SOCKET_PATH ? inHome : join(tmpdir(), `switchboard-${digest}`, 'control.sock')
}

export interface ControlServer {
  close(): Promise<void>
}

/**
 * Listens for commands of the same user (the socket's mode is 0600; the home folder's lock says there is one listener).
 * @param carryOut throws ApiError, or any error whose message a person may read.
 */
export async function listenForCommands(
  address: string,
  carryOut: (request: ControlRequest) => Promise<unknown>,
): Promise<ControlServer> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
    createInterface({ input: socket }).on('line', (line) => {
      void answer(line, carryOut).then((reply) => socket.write(`${JSON.stringify(reply)}\n`))
    })
  })
  const isFile = !address.startsWith('\\\\')
  if (isFile) {
    mkdirSync(join(address, '..'), { recursive: true, mode: 0o700 })
    // A socket left behind by a killed process; the home folder's lock proves that nobody listens on it.
    rmSync(address, { force: true })
  }
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
  if (isFile) chmodSync(address, 0o600)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

async function answer(line: string, carryOut: (request: ControlRequest) => Promise<unknown>): Promise<ControlAnswer> {
  try {
    return { ok: true, result: await carryOut(JSON.parse(line) as ControlRequest) }
  } catch (error) {
    return {
      ok: false,
      message:
        error instanceof ApiError
          ? error.message
          : 'The running service could not carry out this command; its log says why.',
    }
  }
}

/** Asks the running service. @returns undefined when none listens there. @throws Error with its sentence when it refuses. */
export async function askRunningService(
  address: string,
  request: ControlRequest,
): Promise<{ result: unknown } | undefined> {
  const socket = await dial(address)
  if (socket === undefined) return undefined
  try {
    socket.write(`${JSON.stringify(request)}\n`)
    for await (const line of createInterface({ input: socket })) {
      const reply = JSON.parse(line) as ControlAnswer
      if (!reply.ok) throw new Error(reply.message)
      return { result: reply.result }
    }
    throw new Error('The running service ended before it answered.')
  } finally {
    socket.destroy()
  }
}

function dial(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}
