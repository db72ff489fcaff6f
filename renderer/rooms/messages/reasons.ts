import type { Problem } from '../../app/problem.ts'
import type { ChatMessage } from './records.ts'

/** What a person can do about a message that did not go out. */
type Way = 'retry' | 'edit' | 'pair' | 'wait' | 'none'

export interface Reason {
  /** Under `messages.reason`: what happened and what to do next. */
  readonly word: string
  readonly way: Way
}

/** Why the network refused a message (`error.code`). */
const FAILED: Readonly<Record<string, Way>> = {
  reachout_restricted: 'wait',
  not_on_whatsapp: 'edit',
  outside_window: 'wait',
  marketing_limit: 'wait',
  undeliverable: 'none',
  media_rejected: 'edit',
  engine_rejected: 'edit',
  expired: 'edit',
}

/** Why a send was not taken; the key of the intent is kept where it is still good. */
const NOT_SENT: Readonly<Record<string, Way>> = {
  not_ready: 'pair',
  upstream_unavailable: 'retry',
  upstream_timeout: 'retry',
  service_unavailable: 'retry',
  idempotency_in_progress: 'retry',
  idempotency_conflict: 'edit',
  rate_limited: 'retry',
  engine_mismatch: 'edit',
  invalid_url: 'edit',
  validation_error: 'edit',
  storage_full: 'retry',
  unreachable: 'retry',
}

export const REASON_WORDS: readonly string[] = [...Object.keys(FAILED), ...Object.keys(NOT_SENT), 'unknown']

/** A message that failed. @returns undefined when it did not. */
export function reasonOf({ status, error }: Pick<ChatMessage, 'status' | 'error'>): Reason | undefined {
  if (status !== 'failed') return undefined
  const way = error === null ? undefined : FAILED[error.code]
  return error === null || way === undefined ? { word: 'unknown', way: 'none' } : { word: error.code, way }
}

/** A send that was answered with a problem. */
export function reasonOfProblem({ code, isRetryable }: Pick<Problem, 'code' | 'isRetryable'>): Reason {
  const way = NOT_SENT[code]
  return way === undefined ? { word: 'unknown', way: isRetryable ? 'retry' : 'edit' } : { word: code, way }
}
