import type { WAVersion } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/ids.ts'
import type { EngineInstance, EngineSignal } from '../engine.ts'
import type { Backoff } from './backoff.ts'
import type { Refusal, Verdict } from './close-codes.ts'
import type { Protocol } from './protocol.ts'
import type { SessionStatusStore } from './session-status.ts'

export interface CloseHandlerDeps {
  readonly instance: EngineInstance
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly backoff: Backoff
  readonly sessionStatus: SessionStatusStore
  readonly protocol: Pick<Protocol, 'refresh'>
  /** The one of the connection that has ended. */
  version(): WAVersion
  publish(signal: EngineSignal): void
  connect(): Promise<void>
  connectAgain(waitMs: number): void
  /** Drops what is kept of the session in memory. */
  dropSession(): void
  /** Nobody scanned before the last code expired. */
  expire(): void
  /** Starts with new credentials. */
  beginPairingAgain(): void
}

export interface CloseHandler {
  /** Acts on a verdict and publishes the signal for it. */
  handle(verdict: Verdict, code: number | null): Promise<void>
  /** The connection was stable, so earlier failures no longer count. Conflicts with another client still do. */
  stood(): void
  /** A person or a program starts the instance. */
  reset(): void
}

const MINUTE_MS = 60_000
/**
 * How long to wait after each refusal in a row; the last wait repeats. Each wait grows by up to half of itself, so that
 * numbers that were refused together do not come back together.
 */
const WAITS_MS = {
  /** A newer version can appear at any time, and the look-up of it can fail. */
  client_outdated: [5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS],
  /**
   * Each attempt disconnects the other client if it is still connected, so attempts are rare. They never stop altogether.
   */
  replaced: [MINUTE_MS / 2, 10 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS],
} as const
/**
 * Two clients that both reconnect can disconnect each other after any time, so the count ends only after half a day without
 * a conflict.
 */
const REPLACED_COUNTS_MS = 720 * MINUTE_MS
const BAD_SESSION_TRIES = 3
const NOT_TRIED = { client_outdated: 0, replaced: 0, badSession: 0 }

/** What follows when a connection has ended. */
export function createCloseHandler(needs: CloseHandlerDeps): CloseHandler {
  const { instance, clock, random, backoff, sessionStatus, publish } = needs
  let tried = NOT_TRIED
  let replacedAtMs = -Infinity

  function retry(reason: string, code: number | null, waitMs: number): void {
    publish({ kind: 'link_lost', reason, code, nextRetryAtMs: clock.now() + waitMs })
    needs.connectAgain(waitMs)
  }

  function retryLater(reason: keyof typeof WAITS_MS, code: number | null): void {
    const waits = WAITS_MS[reason]
    const waitMs = waits[Math.min(tried[reason], waits.length - 1)] ?? MINUTE_MS
    tried = { ...tried, [reason]: tried[reason] + 1 }
    retry(reason, code, Math.ceil(waitMs * (1 + random.fraction() / 2)))
  }

  async function refused(reason: Refusal, code: number | null, untilMs: number | null): Promise<void> {
    needs.dropSession()
    // A session that was logged out is useless. A session that is banned for a time can be used again afterwards.
    const record = {
      logged_out: sessionStatus.wipe,
      banned: sessionStatus.markEnded,
      temporary_ban: sessionStatus.disable,
    } as const
    await record[reason]()
    publish({ kind: 'auth_failed', reason, code, untilMs })
  }

  async function outdated(code: number | null): Promise<void> {
    if (await needs.protocol.refresh(needs.version(), instance.accountId)) return needs.connect()
    retryLater('client_outdated', code)
  }

  return {
    stood: () => void (tried = { ...NOT_TRIED, replaced: tried.replaced }),
    reset: () => void (tried = NOT_TRIED),
    async handle(verdict, code) {
      switch (verdict.kind) {
        case 'restart':
          return needs.connect()
        case 'retry':
          return retry(verdict.reason, code, backoff.next())
        case 'expired':
          needs.expire()
          return publish({ kind: 'qr_expired' })
        case 'begin_anew':
          needs.beginPairingAgain()
          return needs.connectAgain(backoff.next())
        case 'refused':
          return refused(verdict.reason, code, verdict.untilMs)
        case 'outdated':
          return outdated(code)
        case 'replaced':
          if (clock.now() - replacedAtMs > REPLACED_COUNTS_MS) tried = { ...tried, replaced: 0 }
          replacedAtMs = clock.now()
          return retryLater('replaced', code)
        case 'bad_session':
          if (tried.badSession >= BAD_SESSION_TRIES) return publish({ kind: 'link_ended', reason: 'bad_session', code })
          tried = { ...tried, badSession: tried.badSession + 1 }
          return retry('bad_session', code, backoff.next())
      }
    },
  }
}
