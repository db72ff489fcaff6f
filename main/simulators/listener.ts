import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { cause, type Log } from '../kernel/log.ts'

/** A request to a simulated service, with its whole body. */
export interface SimulatedRequest {
  readonly method: string
  /** The decoded segments of the path. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  /** The exact bytes, so that signatures can be checked. */
  readonly body: Buffer
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

/** An answer of the simulated service. */
export type SimulatedAnswer =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      /** Text and bytes are sent unchanged, a stream in chunks, anything else as JSON. */
      readonly body?: unknown
    }
  /** Resets the connection without an answer. */
  | 'reset'

/** Thrown by a stream to cut the response off at this point. */
export class CutConnection extends Error {}

export interface SimulatorListener {
  /** @param port 0 for any free port. @returns the URL, such as `http://127.0.0.1:40123`. */
  listen(port: number): Promise<string>
  /** The URL; empty before `listen` and after `close`. */
  url(): string
  close(): Promise<void>
}

interface ListenerDeps {
  readonly log: Log
  /** Name of the simulator for the log: `stripe`. */
  readonly name: string
  readonly answer: (request: SimulatedRequest) => Promise<SimulatedAnswer>
  /** Larger bodies are answered 413. */
  readonly maxBodyBytes?: number
}

/** An HTTP listener on loopback, for a service that Switchboard simulates. */
export function createSimulatorListener({
  log,
  name,
  answer,
  maxBodyBytes = 26 * 1024 * 1024,
}: ListenerDeps): SimulatorListener {
  const sockets = new Set<Socket>()
  let url = ''
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      if (!(error instanceof CutConnection))
        log.error({ event: 'simulator.failed', simulator: name, cause: cause(error) })
      response.destroy()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = await bodyOf(request, maxBodyBytes)
    if (body === null) return write(response, { status: 413 })
    const given = await answer({
      method: request.method ?? 'GET',
      path: pathname.slice(1).split('/').map(decodeURIComponent),
      query: searchParams,
      headers: request.headers,
      body,
      signal: gone.signal,
    })
    if (given === 'reset') return void request.socket.resetAndDestroy()
    await write(response, given)
  }

  return {
    async listen(port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject)
          // A listening simulator must not keep a process alive whose service failed to start.
          server.unref()
          resolve()
        })
      })
      // A TCP server has an address of this type.
      url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
      return url
    },
    url: () => url,
    async close() {
      url = ''
      if (!server.listening) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** @returns null if it exceeds the limit. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    // Without an encoding, Node reads buffers.
    parts.push(part as Buffer)
    bytes += (part as Buffer).length
    if (bytes > maxBytes) return null
  }
  return Buffer.concat(parts)
}

async function write(
  response: ServerResponse,
  { status, headers, body }: Exclude<SimulatedAnswer, 'reset'>,
): Promise<void> {
  const isGone = () => response.destroyed
  if (isGone()) return
  if (isStream(body)) {
    response.writeHead(status, headers)
    for await (const chunk of body) {
      if (isGone()) return
      response.write(chunk)
    }
    response.end()
    return
  }
  const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
  const type = isRaw ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, ...headers }).end(isRaw ? body : JSON.stringify(body))
}

const isStream = (body: unknown): body is AsyncIterable<string | Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body
