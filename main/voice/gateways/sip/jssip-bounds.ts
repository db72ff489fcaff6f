import { unsupportedIn, type SipRequest } from './refusal.ts'
import type { Session } from './sip-leg.ts'

/** Missing checks of JsSIP in a call: required extensions, and timers set by the other side. */

interface InCall extends SipRequest {
  readonly method: string
  reply(status: number, reason: null, headers: readonly string[] | undefined): void
}

/** Requests that `createLeg` refuses itself, that have no answer, or that must not be refused. */
const LEFT_TO_OTHERS: ReadonlySet<string> = new Set(['INVITE', 'UPDATE', 'ACK', 'CANCEL'])

/** JsSIP ignores the extensions that requests in a call require. */
export function refuseUnsupported(session: Session): void {
  const receiver = session as unknown as { receiveRequest(request: InCall): void }
  const receive = receiver.receiveRequest.bind(receiver)
  receiver.receiveRequest = (request) => {
    const refusal = LEFT_TO_OTHERS.has(request.method) ? null : unsupportedIn(request)
    if (refusal === null) return receive(request)
    request.reply(refusal.status_code, null, refusal.extraHeaders)
  }
}

/** Private timers of a JsSIP call. */
interface CallTimers {
  readonly _timers: { readonly expiresTimer: NodeJS.Timeout | null }
  readonly _sessionTimers: { currentExpires: number }
  readonly _request: SipRequest
  _runSessionTimer: () => void
}

/** Timers cannot wait longer than 24 days: a longer one fires immediately, and the call would refresh in a loop. */
const LONGEST_SESSION_SECONDS = 86_400

export function boundTimers(session: Session): void {
  const timers = session as unknown as CallTimers
  const run = timers._runSessionTimer.bind(session)
  timers._runSessionTimer = () => {
    const { _sessionTimers: agreed } = timers
    agreed.currentExpires = Math.min(agreed.currentExpires, LONGEST_SESSION_SECONDS)
    run()
  }
  // JsSIP waits a minute for an answer anyway.
  if (Number(timers._request.getHeader('expires')) > LONGEST_SESSION_SECONDS)
    clearTimeout(timers._timers.expiresTimer ?? undefined)
}
