import { ApiError } from '../contract/errors.ts'
import type { InstanceSubject } from './handler.ts'

/** A connection that is being restored is usually up by then: after a start of the service, or a short outage. */
export const RECONNECTING_SECONDS = 5

/**
 * @param undone "nothing was sent"
 * @param retry "send again"
 */
export function notConnected({ reconnecting }: InstanceSubject, undone: string, retry: string): ApiError {
  const seconds = RECONNECTING_SECONDS
  if (reconnecting !== true)
    return new ApiError('not_ready', `The instance is not connected, so ${undone}. Connect it, then ${retry}.`)
  return new ApiError(
    'not_ready',
    `The instance is reconnecting, so ${undone}. Wait ${seconds} s, then ${retry}; GET …/connection shows its state.`,
    { 'Retry-After': String(seconds) },
  ).because('reconnecting_now')
}
