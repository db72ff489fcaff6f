import type { GHLError, GHLRateLimitError } from '@gohighlevel/api-client'
import { BridgeError, type BridgeFault } from '../bridge.ts'
import { NO_ANSWER, type NoAnswer } from './http.ts'

const HOUR_MS = 3_600_000

/**
 * What an error of the official client means.
 * @param isRepeatable the call can be repeated safely, so an unknown outcome counts as not done.
 */
export function faultOf(error: unknown, isRepeatable: boolean): BridgeError {
  if (error instanceof BridgeError) return error
  const { statusCode: status, message } = error as Partial<GHLError>
  const response: unknown = (error as Partial<GHLError>).response
  if (status === undefined) throw error
  const make = (fault: BridgeFault, words: string) => new BridgeError(fault, words, { cause: error })
  if (status === NO_ANSWER) {
    const wasSent = isNoAnswer(response) ? response.outbound.sent : true
    const fault: BridgeFault =
      wasSent && !isRepeatable
        ? { kind: 'unknown', code: 'unreachable' }
        : { kind: 'wait', waitMs: null, code: 'unreachable' }
    return make(fault, UNREACHABLE)
  }
  if (status === 429) return make(...rateFault(error as GHLRateLimitError))
  if (status === 401) return make({ kind: 'reconnect', code: 'reconnect_required' }, RECONNECT)
  if (status === 403)
    return make(
      { kind: 'reconnect', code: 'missing_permission' },
      'GoHighLevel refuses access to this location. Check that the app or token has the scopes for contacts and conversations, then connect again.',
    )
  if (status === 404)
    return make({ kind: 'contact_gone', code: 'contact_refused' }, 'The contact is no longer in GoHighLevel.')
  if (status >= 500) {
    const fault: BridgeFault = isRepeatable
      ? { kind: 'wait', waitMs: null, code: 'unreachable' }
      : { kind: 'unknown', code: 'unreachable' }
    return make(fault, UNREACHABLE)
  }
  // Their sentence names the field; it is shown to the person who connected the CRM and to nobody else.
  const said = typeof message === 'string' ? message.slice(0, 200) : `HTTP ${status}`
  return make({ kind: 'refused', code: 'message_refused' }, `GoHighLevel refused it: ${said}`)
}

const UNREACHABLE =
  'GoHighLevel cannot be reached. Nothing is lost: everything waits, and is delivered in order once it answers.'
export const RECONNECT =
  'GoHighLevel no longer accepts the connection. Connect again; what happened meanwhile is then delivered.'

const isNoAnswer = (response: unknown): response is NoAnswer =>
  typeof response === 'object' && response !== null && 'outbound' in response

function rateFault({ rateLimit }: GHLRateLimitError): [BridgeFault, string] {
  if (rateLimit?.scope === 'daily') {
    const waitMs = rateLimit.dailyResetMs ?? HOUR_MS
    return [
      { kind: 'wait', waitMs, code: 'daily_limit' },
      'The daily limit of GoHighLevel for this location is used up. The sync goes on when it is renewed; nothing is lost.',
    ]
  }
  return [
    { kind: 'wait', waitMs: rateLimit?.intervalMs ?? 10_000, code: 'rate_limited' },
    'GoHighLevel asks for a pause because of too many calls. The sync goes on in a few seconds.',
  ]
}
