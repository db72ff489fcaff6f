import { WebSocket } from 'ws'
import type { Clock } from '../kernel/clock.ts'
import { startTimeout } from '../kernel/timeout.ts'
import { peerOf } from './connections.ts'
import type { Connector } from './connector.ts'

export type { WebSocket } from 'ws'

export interface WebSocketOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly protocol?: string
  /** DNS, TCP, TLS and the handshake together. */
  readonly connectTimeoutMs: number
}

/** Half a minute of audio as base64. The library's own limit is 100 MB. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024

/** Opens a WebSocket on a checked connection. Redirects are not followed. */
export function openWebSocket(
  { connector, clock }: { readonly connector: Connector; readonly clock: Clock },
  url: string,
  { headers = {}, protocol, connectTimeoutMs }: WebSocketOptions,
): WebSocket {
  const socket = new WebSocket(url, protocol === undefined ? [] : [protocol], {
    headers: { ...headers },
    followRedirects: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // A compressed message of a few kilobytes may expand to gigabytes.
    perMessageDeflate: false,
    // A callback allows connecting later; the types of `ws` declare only the synchronous form.
    createConnection: ((_: unknown, connected: (error: unknown, socket?: unknown) => void) => {
      connector(peerOf(new URL(url)), connectTimeoutMs).opened.then(
        ({ socket }) => connected(null, socket),
        (error: unknown) => connected(error),
      )
    }) as never,
  })
  // The library's own limit restarts with every byte.
  const limit = startTimeout(clock, connectTimeoutMs, () => socket.terminate())
  return socket.once('open', () => limit.cancel()).once('close', () => limit.cancel())
}
