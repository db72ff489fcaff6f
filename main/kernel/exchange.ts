import type { Dispatcher } from 'undici'
import type { Clock, Timer } from './clock.ts'
import { blocked, codeOf, ConnectFailure } from './connect-failure.ts'
import { startTimeout } from './timeout.ts'
import type { AddressPolicy } from './public-address.ts'

export type OutboundAnswer = OutboundResponse | OutboundFailure

/** A response header arrived in time; the body is what could be read within its limits. */
export interface OutboundResponse {
  readonly kind: 'response'
  readonly status: number
  /** Names in lower case; values that came more than once are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Raw bytes, never decompressed. */
  readonly body: Buffer
  /** The body is not whole: too long, too slow, or broken off. */
  readonly truncated: boolean
  /** null when answered inside the service. */
  readonly remoteIp: string | null
}

export interface OutboundFailure {
  readonly kind: 'failure'
  readonly stage: 'blocked' | 'dns' | 'connect' | 'tls' | 'protocol' | 'timeout'
  /** For logs and classification, for example ECONNREFUSED. */
  readonly code: string
  /** For the owner of the destination. */
  readonly message: string
  /** Bytes of the request may have left the machine. */
  readonly sent: boolean
}

export interface ExchangeLimits {
  /** From the start to the last byte of the response header. */
  readonly headersTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly bodyTimeoutMs: number
  readonly maxBodyBytes: number
}

/** What an exchange learns of its connection before the request is written. */
export interface PeerInfo {
  ip: string | null
  /** Of the address policy, when the peer was checked. */
  revision: number
}

/**
 * One request and its answer on an undici connection. Settles exactly once: at the end of the body, at a limit, or at
 * the first fault; whatever undici reports afterwards is ignored.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<OutboundAnswer>
  line: PeerInfo | null = null
  #settle: (answer: OutboundAnswer) => void
  #isSettled = false
  #isSent = false
  #controller: Dispatcher.DispatchController | null = null
  #head: { status: number; headers: Record<string, string> } | null = null
  #chunks: Buffer[] = []
  #size = 0
  #timer: Timer
  readonly #host: string
  readonly limits: ExchangeLimits
  readonly #clock: Clock
  readonly #policy: AddressPolicy

  constructor(host: string, limits: ExchangeLimits, { clock, policy }: { clock: Clock; policy: AddressPolicy }) {
    const { promise, resolve } = Promise.withResolvers<OutboundAnswer>()
    this.answer = promise
    this.#settle = resolve
    this.#host = host
    this.limits = limits
    this.#clock = clock
    this.#policy = policy
    this.#timer = startTimeout(clock, limits.headersTimeoutMs, () => this.#end(this.#late()))
  }

  /** Ends it from outside; the caller knows why. */
  abort(): void {
    this.#end(this.#head ? this.#response(true) : this.#failure('protocol', 'aborted', 'The request was cancelled.'))
  }

  /** The connection is open and the next thing undici does is write: the last moment to say no. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A second start would be a resend nobody recorded.
    if (this.#isSettled || this.#isSent) return controller.abort(new Error('nothing is sent any more'))
    this.#controller = controller
    if (!this.#isStillPermitted()) {
      return this.#end(this.#failure('blocked', 'address_not_public', blocked(this.#host).message))
    }
    this.#isSent = true
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    if (status < 200 || this.#isSettled) return
    this.#head = { status, headers: flat(headers) }
    this.#timer.cancel()
    this.#timer = startTimeout(this.#clock, this.limits.bodyTimeoutMs, () => this.#end(this.#response(true)))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    const room = this.limits.maxBodyBytes - this.#size
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#size += chunk.length
    if (chunk.length > room) this.#end(this.#response(true))
  }

  onResponseEnd(): void {
    this.#finish(this.#response(false))
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#head) this.#finish(this.#response(true))
    else this.#finish(this.#failed(error))
  }

  /** A kept connection outlives the network it was checked in, so a changed network means a new look at the peer. */
  #isStillPermitted(): boolean {
    const { line } = this
    if (!line || line.ip === null) return false
    const revision = this.#policy.revision()
    if (line.revision === revision) return true
    line.revision = revision
    return this.#policy.permits(line.ip)
  }

  /** Settles and gives the connection up: what still comes on it belongs to nobody. */
  #end(answer: OutboundAnswer): void {
    this.#finish(answer)
    this.#controller?.abort(new Error('the exchange is over'))
  }

  #finish(answer: OutboundAnswer): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#timer.cancel()
    this.#settle(answer)
    this.#chunks = []
  }

  #response(truncated: boolean): OutboundAnswer {
    const { status, headers } = this.#head ?? { status: 0, headers: {} }
    const body = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
    return { kind: 'response', status, headers, body, truncated, remoteIp: this.line?.ip ?? null }
  }

  #late(): OutboundAnswer {
    const seconds = this.limits.headersTimeoutMs / 1_000
    return this.#failure('timeout', 'headers_timeout', `${this.#host} did not answer within ${seconds} s.`)
  }

  #failed(error: Error): OutboundAnswer {
    if (error instanceof ConnectFailure) return this.#failure(error.stage, error.reason, error.message)
    const code = codeOf(error)
    return this.#failure('protocol', code, NOT_HTTP.test(code) ? notHttp(this.#host, code) : brokeOff(this.#host, code))
  }

  #failure(stage: OutboundFailure['stage'], code: string, message: string): OutboundAnswer {
    return { kind: 'failure', stage, code, message, sent: this.#isSent }
  }
}

const NOT_HTTP = /^HPE_|^UND_ERR_(HEADERS_OVERFLOW|RES)/
const notHttp = (host: string, code: string) => `${host} sent an invalid HTTP/1.1 response (${code}).`
const brokeOff = (host: string, code: string) => `${host} closed the connection before it answered (${code}).`

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return plain
}
