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
  readonly protocol: Protocol
  publish(signal: EngineSignal): void
  connect(): Promise<void>
  connectAgain(waitMs: number): void
  /** What is held of the session in memory is of no use any more. */
  dropSession(): void
  /** Nobody scanned: the codes are over. */
  expire(): void
  /** Starts with new credentials. */
  beginPairingAgain(): void
}

export interface CloseHandler {
  /** Acts on a verdict and publishes the signal for it. */
  handle(verdict: Verdict, code: number | null): Promise<void>
  /** The link had stood: what was tried against earlier ends counts no more. */
  reset(): void
}

const REPLACED_WAIT_MS = 30_000
const BAD_SESSION_TRIES = 3
const NOT_TRIED = { version: false, replaced: false, badSession: 0 }

/** What follows when a connection has ended. */
export function createCloseHandler(needs: CloseHandlerDeps): CloseHandler {
  const { instance, clock, random, backoff, sessionStatus, publish } = needs
  let tried = NOT_TRIED

  function retry(reason: string, code: number | null, waitMs: number): void {
    publish({ kind: 'link_lost', reason, code, nextRetryAtMs: clock.now() + waitMs })
    needs.connectAgain(waitMs)
  }

  function ended(reason: 'client_outdated' | 'replaced' | 'bad_session', code: number | null): void {
    publish({ kind: 'link_ended', reason, code })
  }

  async function refused(reason: Refusal, code: number | null, untilMs: number | null): Promise<void> {
    needs.dropSession()
    // One that was logged out is worth nothing to anybody; one that is banned for a time is good again afterwards.
    const record = {
      logged_out: sessionStatus.wipe,
      banned: sessionStatus.markEnded,
      temporary_ban: sessionStatus.disable,
    } as const
    await record[reason]()
    publish({ kind: 'auth_failed', reason, code, untilMs })
  }

  async function outdated(code: number | null): Promise<void> {
    const isNew = !tried.version && (await needs.protocol.refresh(instance.accountId))
    tried = { ...tried, version: true }
    if (isNew) return needs.connect()
    ended('client_outdated', code)
  }

  return {
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
          if (tried.replaced) return ended('replaced', code)
          tried = { ...tried, replaced: true }
          return retry('replaced', code, REPLACED_WAIT_MS + Math.ceil(random.fraction() * REPLACED_WAIT_MS))
        case 'bad_session':
          if (tried.badSession >= BAD_SESSION_TRIES) return ended('bad_session', code)
          tried = { ...tried, badSession: tried.badSession + 1 }
          return retry('bad_session', code, backoff.next())
      }
    },
  }
}
