import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { countPassedBytes } from '../kernel/buffer-garbage.ts'
import type { Clock, Timer } from '../kernel/clock.ts'
import { blocked, codeOf, ConnectFailure } from './connect-failure.ts'
import { startSilenceTimeout, startTimeout, type SilenceTimeout } from '../kernel/timeout.ts'
import type { AddressPolicy } from './public-address.ts'

export type OutboundAnswer = OutboundResponse | OutboundFailure

/** A response header arrived in time; the body is what could be read within its limits. */
export interface OutboundResponse {
  readonly kind: 'response'
  readonly status: number
  /** Names in lower case; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  /** Raw bytes, never decompressed. */
  readonly body: Buffer
  /** The body is incomplete: too long, too slow, or interrupted. */
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
  /** Whether bytes of the request may have been sent. */
  readonly sent: boolean
}

/** A response whose body is read as it arrives. */
export interface OutboundStream extends Omit<OutboundResponse, 'kind' | 'body' | 'truncated'> {
  readonly kind: 'stream'
  /** Raw bytes. Fails with BrokenBody if incomplete. Read it to its end, or destroy it. */
  readonly body: Readable
}

/** Why a body is incomplete. */
export class BrokenBody extends Error {
  readonly reason: 'too_large' | 'too_slow' | 'aborted' | 'broken_off'

  constructor(reason: BrokenBody['reason']) {
    super(`the body of a response is not whole: ${reason}`)
    this.name = 'BrokenBody'
    this.reason = reason
  }
}

export interface ExchangeLimits {
  /** From the start to the last byte of the response header. */
  readonly headersTimeoutMs: number
  readonly connectTimeoutMs: number
  /** From the header to the end of the body; for a stream, between two parts while its reader waits. */
  readonly bodyTimeoutMs: number
  readonly maxBodyBytes: number
}

/** A request body that is written only after something else is done; undici writes the header together with it. */
export class GatedBody extends Readable {
  /** Once true, bytes of the request may be sent. */
  isOpen = false
  readonly #bytes: Buffer
  readonly #before: () => Promise<void>

  constructor(bytes: Buffer, before: () => Promise<void>) {
    super()
    this.#bytes = bytes
    this.#before = before
  }

  override _read(): void {
    if (this.isOpen) return
    this.#before().then(
      () => {
        if (this.destroyed) return
        this.isOpen = true
        this.push(this.#bytes)
        this.push(null)
      },
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  }
}

/** Facts about the connection, known before the request is written. */
export interface PeerInfo {
  ip: string | null
  /** Revision of the address policy at the time of the check. */
  revision: number
}

/**
 * One request and its response on an undici connection. Settles exactly once: at the end of the body, at a limit, or
 * at the first error; later reports of undici are ignored.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<OutboundAnswer>
  line: PeerInfo | null = null
  gate: GatedBody | null = null
  #settle: (answer: OutboundAnswer) => void
  #isSettled = false
  #isSent = false
  #controller: Dispatcher.DispatchController | null = null
  #head: { status: number; headers: Record<string, string> } | null = null
  #chunks: Buffer[] = []
  /** Number of small chunks at the end that are not joined yet. */
  #small = 0
  #size = 0
  #announcements = 0
  #body: Readable | null = null
  #timer: Timer
  /** The same timer, while parts of a body are waited for. */
  #silence: SilenceTimeout | null = null
  readonly #host: string
  readonly limits: ExchangeLimits
  readonly #clock: Clock
  readonly #policy: AddressPolicy
  readonly #onStream: ((stream: OutboundStream) => void) | undefined

  /** @param onStream called with the header if the body is to be streamed; the result then has no body. */
  constructor(
    host: string,
    limits: ExchangeLimits,
    { clock, policy }: { clock: Clock; policy: AddressPolicy },
    onStream?: (stream: OutboundStream) => void,
  ) {
    const { promise, resolve } = Promise.withResolvers<OutboundAnswer>()
    this.answer = promise
    this.#settle = resolve
    this.#host = host
    this.limits = limits
    this.#clock = clock
    this.#policy = policy
    this.#onStream = onStream
    this.#timer = startTimeout(clock, limits.headersTimeoutMs, () => this.#end(this.#late()))
  }

  /** Ends the exchange from outside. */
  abort(): void {
    const answer = this.#head
      ? this.#response(true)
      : this.#failure('protocol', 'aborted', 'The request was cancelled.')
    this.#end(answer, 'aborted')
  }

  /** The connection is open and undici writes next: the last chance to refuse. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A second start would be an unrecorded repeat.
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
    if (this.#isSettled) return
    if (status < 200) return this.#skipAnnouncement()
    this.#head = { status, headers: flat(headers) }
    this.#waitForBody()
    if (this.#onStream === undefined) return
    this.#body = this.#openBody()
    this.#onStream({ kind: 'stream', ...this.#head, body: this.#body, remoteIp: this.line?.ip ?? null })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    const room = this.limits.maxBodyBytes - this.#size
    this.#size += chunk.length
    if (this.#body === null) this.#keep(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (chunk.length > room) return this.#end(this.#response(true), 'too_large')
    if (this.#body === null) return
    countPassedBytes(chunk.length)
    this.#waitForBody()
    if (this.#body.push(chunk)) return
    // The reader is slower than the network, which is not an error.
    this.#timer.cancel()
    this.#silence = null
    this.#controller?.pause()
  }

  onResponseEnd(): void {
    this.#finish(this.#response(false))
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#head) this.#finish(this.#response(true))
    else this.#finish(this.#failed(error))
  }

  /** Joins chunks; otherwise a body that arrives byte by byte would take hundreds of times its length. */
  #keep(chunk: Buffer): void {
    const isSmall = chunk.length < SMALL_BYTES
    if (!isSmall || this.#small >= SMALL_AT_MOST) this.#joinSmall()
    this.#chunks.push(chunk)
    if (isSmall) this.#small++
  }

  #joinSmall(): void {
    if (this.#small > 1) this.#chunks.push(Buffer.concat(this.#chunks.splice(-this.#small)))
    this.#small = 0
  }

  /** Skips a 1xx response; the final one follows. */
  #skipAnnouncement(): void {
    if (++this.#announcements <= ANNOUNCEMENTS_AT_MOST) return
    this.#end(this.#failure('protocol', 'too_many_1xx', notHttp(this.#host, 'too_many_1xx')))
  }

  #openBody(): Readable {
    const body = new Readable({
      highWaterMark: BUFFERED_BYTES,
      read: () => {
        if (this.#controller?.paused !== true || this.#isSettled) return
        this.#waitForBody()
        this.#controller.resume()
      },
      destroy: (error, done) => {
        if (!this.#isSettled) this.abort()
        done(error)
      },
    })
    // The reader gets the error. The listener is for streams that fail before anybody reads them.
    return body.on('error', () => {})
  }

  #waitForBody(): void {
    if (this.#silence !== null) return this.#silence.heard()
    this.#timer.cancel()
    this.#silence = startSilenceTimeout(this.#clock, this.limits.bodyTimeoutMs, () =>
      this.#end(this.#response(true), 'too_slow'),
    )
    this.#timer = this.#silence
  }

  /**
   * A kept connection may have been checked in another network, so after a change of networks the peer is checked
   * again.
   */
  #isStillPermitted(): boolean {
    const { line } = this
    if (!line || line.ip === null) return false
    const revision = this.#policy.revision()
    if (line.revision === revision) return true
    line.revision = revision
    return this.#policy.permits(line.ip)
  }

  /** Settles and destroys the connection, so that late data is ignored. */
  #end(answer: OutboundAnswer, reason: BrokenBody['reason'] = 'broken_off'): void {
    this.#finish(answer, reason)
    this.#controller?.abort(new Error('the exchange is over'))
  }

  #finish(answer: OutboundAnswer, reason: BrokenBody['reason'] = 'broken_off'): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#timer.cancel()
    this.#settle(answer)
    this.#chunks = []
    if (answer.kind === 'response' && !answer.truncated) this.#body?.push(null)
    else this.#body?.destroy(new BrokenBody(reason))
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
    return { kind: 'failure', stage, code, message, sent: this.#isSent && this.gate?.isOpen !== false }
  }
}

/** Size and number of chunks that are joined. */
const SMALL_BYTES = 1024
const SMALL_AT_MOST = 256
/** Servers send one or two. */
const ANNOUNCEMENTS_AT_MOST = 32
/** Bytes of a streamed body that are buffered ahead of its reader. */
const BUFFERED_BYTES = 128 * 1024

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
