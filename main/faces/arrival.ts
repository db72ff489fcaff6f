import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../contract/errors.ts'
// Sockets use real time, like Node's own limits, even if a test stops the clock of the service.
import { systemClock, type Timer } from '../kernel/clock.ts'

/** Time limit for receiving a body. */
const BODY_MS = 15_000
/** A file may take longer if at least this many bytes arrive in that time … */
const FILE_BYTES = 32 * 1024
/** … and the whole file arrives in this time. */
const FILE_MS = 10 * 60_000

/** Node's single limit for all requests: longer than all of ours, which depend on the body. */
export const LONGEST_REQUEST_MS = FILE_MS + 60_000

/** The time limit for receiving a body. */
export interface Arrival {
  /** The body is a file. */
  allowFile(): void
  /** Aborted when the body is too slow. The reason is the error that the client gets. */
  readonly signal: AbortSignal
}

/** @param refuse answers a client whose body is too slow, and closes the connection. */
export function createArrivals(refuse: (late: ApiError, socket: Socket) => void) {
  const arrivals = new WeakMap<IncomingMessage, Arrival>()
  return {
    /** Starts the limit of a request. */
    watch(request: IncomingMessage): void {
      if (hasBody(request)) arrivals.set(request, watchBody(request, refuse))
    },
    /** undefined: the request has no socket, or no body. */
    find: (request: IncomingMessage): Arrival | undefined => arrivals.get(request),
  }
}

export type Arrivals = ReturnType<typeof createArrivals>

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function watchBody(request: IncomingMessage, refuse: (late: ApiError, socket: Socket) => void): Arrival {
  const { socket } = request
  const late = new AbortController()
  const endsAt = systemClock.mono() + FILE_MS
  let isFile = false
  let received = socket.bytesRead
  let timer: Timer
  const look = () => {
    if (request.complete || socket.destroyed) return
    const bytes = socket.bytesRead - received
    received += bytes
    // Bytes that wait to be read are delayed by this service, not by the client.
    const isComing = isFile && (bytes >= FILE_BYTES || request.readableLength > 0)
    if (isComing && systemClock.mono() < endsAt) return begin()
    const error = isFile ? lateFile() : lateBody()
    refuse(error, socket)
    late.abort(error)
  }
  const begin = () => void (timer = systemClock.after(BODY_MS, look))
  begin()
  const end = () => timer.cancel()
  request.once('close', end).once('end', end)
  return { allowFile: () => void (isFile = true), signal: late.signal }
}

const lateBody = () => new ApiError('validation_error', 'The request took too long to arrive.')

const lateFile = () =>
  new ApiError(
    'validation_error',
    `The file arrived too slowly, so nothing of it was kept. Send it again over a faster connection: at least ${FILE_BYTES / 1024} kB in ${BODY_MS / 1_000} seconds, and all of it in ${FILE_MS / 60_000} minutes.`,
  ).because('upload_slow')
