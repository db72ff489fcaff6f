import { WebSocket } from 'ws'
import { peerOf } from './connections.ts'
import type { Connector } from './connector.ts'

export type { WebSocket } from 'ws'

export interface WebSocketOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly protocol?: string
  /** DNS, TCP, TLS and the handshake together. */
  readonly connectTimeoutMs: number
}

/** Half a minute of sound as base64. The library's own limit is 100 MB. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024

/** Opens a WebSocket on a checked connection. Redirects are not followed. */
export function openWebSocket(
  connector: Connector,
  url: string,
  { headers = {}, protocol, connectTimeoutMs }: WebSocketOptions,
): WebSocket {
  return new WebSocket(url, protocol === undefined ? [] : [protocol], {
    headers: { ...headers },
    followRedirects: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // A compressed message of a few kilobytes may be made to unpack to gigabytes.
    perMessageDeflate: false,
    handshakeTimeout: connectTimeoutMs,
    // With a callback it may connect later; the types of `ws` know the synchronous form only.
    createConnection: ((_: unknown, connected: (error: unknown, socket?: unknown) => void) => {
      connector(peerOf(new URL(url)), connectTimeoutMs).opened.then(
        ({ socket }) => connected(null, socket),
        (error: unknown) => connected(error),
      )
    }) as never,
  })
}
