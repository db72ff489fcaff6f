import { BridgeError, type BridgeFault } from '../bridge.ts'
import { GhlFailure } from './http.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * The fault for a failed call.
 * @param isRepeatable the call can be repeated safely, so an unknown outcome counts as not done.
 */
export function faultOf(error: unknown, isRepeatable: boolean): BridgeError {
  if (error instanceof BridgeError) return error
  if (!(error instanceof GhlFailure)) throw error
  const { status, message } = error
  const make = (fault: BridgeFault, words: string) => new BridgeError(fault, words, { cause: error })
  if (status === null) {
    const fault: BridgeFault =
      error.wasSent && !isRepeatable
        ? { kind: 'unknown', code: 'unreachable' }
        : { kind: 'wait', waitMs: null, code: 'unreachable' }
    return make(fault, UNREACHABLE)
  }
  if (status === 429) return make(...rateFault(error))
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
  return make({ kind: 'refused', code: 'message_refused' }, `GoHighLevel refused it: ${message.slice(0, 200)}`)
}

/**
 * For a message's status. While GoHighLevel still forwards a message, for some seconds, it refuses statuses with the
 * same codes as for a forbidden connection.
 */
export function statusFaultOf(error: unknown): BridgeError | undefined {
  if (!isRefusal(error, [401, 403], NOT_PASSED_ON)) return undefined
  return new BridgeError({ kind: 'later', waitMs: 0, code: 'status_refused' }, STATUS_REFUSED, { cause: error })
}

/** For adding a message. Each of these answers concerns all messages of the location. */
export function messageFaultOf(error: unknown): BridgeError | undefined {
  return isRefusal(error, [400, 403, 422, 500], PROVIDER) ? providerRefused(error) : undefined
}

/** For the token endpoint. An unpaid location keeps its consent, and works again once it is paid for. */
export function tokenFaultOf(error: unknown): BridgeError | undefined {
  if (!isRefusal(error, [400], NOT_ACTIVE)) return undefined
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

const isRefusal = (error: unknown, statuses: readonly number[], words: RegExp): boolean =>
  error instanceof GhlFailure && error.status !== null && statuses.includes(error.status) && words.test(error.message)

/** Which limit was hit, and until when: https://marketplace.gohighlevel.com/docs/oauth/RateLimits */
function rateFault({ headers }: GhlFailure): [BridgeFault, string] {
  const left = numberIn(headers['x-ratelimit-daily-remaining'])
  if (left !== undefined && left <= 0) {
    const waitMs = numberIn(headers['x-ratelimit-daily-reset']) ?? HOUR_MS
    return [
      { kind: 'wait', waitMs, code: 'daily_limit' },
      'The daily limit of GoHighLevel for this location is used up. The sync goes on when it is renewed; nothing is lost.',
    ]
  }
  return [
    { kind: 'wait', waitMs: numberIn(headers['x-ratelimit-interval-milliseconds']) ?? 10_000, code: 'rate_limited' },
    'GoHighLevel asks for a pause because of too many calls. The sync goes on in a few seconds.',
  ]
}

function numberIn(header: string | undefined): number | undefined {
  const number = header === undefined || header === '' ? NaN : Number(header)
  return Number.isFinite(number) ? number : undefined
}
