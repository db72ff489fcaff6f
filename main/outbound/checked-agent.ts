import { Agent } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { blocked } from './connect-failure.ts'
import type { Connector } from './connector.ts'

interface CheckedAgentOptions {
  readonly connector: Connector
  /** As in `OutboundDeps`. */
  readonly only: (() => readonly string[]) | undefined
  readonly connectTimeoutMs: number
  /** null: it is connected. */
  readonly onConnect: ((failure: Error | null) => void) | undefined
}

const HTTPS = 443

/** An agent for clients that accept one: it connects with TLS and the checks of the outbound guard. */
export class CheckedAgent extends Agent {
  readonly #options: CheckedAgentOptions

  constructor(options: CheckedAgentOptions) {
    super({ keepAlive: false })
    this.#options = options
  }

  override createConnection(
    target: { host?: string | null },
    connected: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { onConnect } = this.#options
    this.#open(target.host ?? '').then(
      ({ socket }) => {
        onConnect?.(null)
        connected(null, socket)
      },
      (reason: unknown) => {
        const error = reason instanceof Error ? reason : new Error(String(reason))
        onConnect?.(error)
        // Without a socket the connection failed; the type does not allow this.
        connected(error, undefined as never)
      },
    )
  }

  async #open(host: string) {
    const { connector, only, connectTimeoutMs } = this.#options
    if (only?.().some((one) => isOf(one, host)) === false) throw blocked(host)
    const peer = { scheme: 'https', host, port: HTTPS, isLiteral: isIP(host) !== 0 } as const
    return connector(peer, connectTimeoutMs).opened
  }
}

/** @param one an origin, or a zone that starts with a dot. */
const isOf = (one: string, host: string) => (one.startsWith('.') ? host.endsWith(one) : one === `https://${host}`)
