import type { GHLError, GHLRateLimitError } from '@gohighlevel/api-client'
import { BridgeError, type BridgeFault } from '../bridge.ts'
import { NO_ANSWER, type NoAnswer } from './http.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * The fault for an error of the official client.
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
  // GoHighLevel's message names the field. Only the person who connected the CRM sees it.
  const said = typeof message === 'string' ? message.slice(0, 200) : `HTTP ${status}`
  return make({ kind: 'refused', code: 'message_refused' }, `GoHighLevel refused it: ${said}`)
}

/**
 * For a message's status. While GoHighLevel still forwards a message, for some seconds, it refuses statuses with the
 * same codes as for a forbidden connection.
 */
export function statusFaultOf(error: unknown): BridgeError | undefined {
  const { statusCode, message } = error as Partial<GHLError>
  const isEarly = (statusCode === 401 || statusCode === 403) && NOT_PASSED_ON.test(message ?? '')
  if (!isEarly) return undefined
  return new BridgeError({ kind: 'later', waitMs: 0, code: 'status_refused' }, STATUS_REFUSED, { cause: error })
}

/** For adding a message. Each of these answers concerns all messages of the location. */
export function messageFaultOf(error: unknown): BridgeError | undefined {
  const { statusCode, message } = error as Partial<GHLError>
  const isRefused = statusCode === 400 || statusCode === 403 || statusCode === 422 || statusCode === 500
  return isRefused && PROVIDER.test(message ?? '') ? providerRefused(error) : undefined
}

/** For the token endpoint. An unpaid location keeps its consent, and works again once it is paid for. */
export function tokenFaultOf(error: unknown): BridgeError | undefined {
  const { statusCode, message } = error as Partial<GHLError>
  if (statusCode !== 400 || !NOT_ACTIVE.test(message ?? '')) return undefined
  return new BridgeError(
    { kind: 'wait', waitMs: DAY_MS, code: 'location_inactive' },
    'GoHighLevel says that this location is not active, so it is probably not paid for. Nothing is lost. The sync tries again once a day; connect again to try now.',
    { cause: error },
  )
}

export const providerRefused = (cause?: unknown) =>
  new BridgeError(
    { kind: 'reconnect', code: 'provider_refused' },
    'GoHighLevel does not accept messages for the conversation provider of this connection. Set ghl.provider_id to the id of the provider in your app, restart the service, and connect again. Messages wait until then.',
    { cause },
  )

/** The location can be called, but adding messages fails. */
export const messagesFailing = (cause: unknown) =>
  new BridgeError(
    { kind: 'unknown', code: 'messages_failing' },
    'GoHighLevel answers, but fails when a message is added. It is tried again, and nothing is lost. If this lasts, check that ghl.provider_id is the id of the conversation provider in your app.',
    { cause },
  )

const NOT_PASSED_ON = /no conversation provider found for this message/i
const PROVIDER = /conversationProvider/i
const NOT_ACTIVE = /location is not active/i
const STATUS_REFUSED =
  'GoHighLevel did not accept the status of a message, because it has no provider for the message. The message itself was sent. Check that the conversation provider of your app is the one the location uses.'

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
