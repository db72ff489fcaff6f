import type { Problem } from '../../app/problem.ts'
import type { ChatMessage } from './records.ts'

/** What a person can do about a message that was not sent. */
type Remedy = 'retry' | 'edit' | 'pair' | 'wait' | 'none'

export interface Reason {
  /** A key below `messages.reason`, whose text says what happened and what to do next. */
  readonly code: string
  readonly remedy: Remedy
}

/** What to do if the network refused a message, by `error.code`. */
const FAILED: Readonly<Record<string, Remedy>> = {
  reachout_restricted: 'wait',
  not_on_whatsapp: 'edit',
  outside_window: 'wait',
  marketing_limit: 'wait',
  undeliverable: 'none',
  media_rejected: 'edit',
  engine_rejected: 'edit',
  expired: 'edit',
}

/** What to do if the service did not accept a message, by the code of the problem. */
const NOT_SENT: Readonly<Record<string, Remedy>> = {
  not_ready: 'pair',
  upstream_unavailable: 'retry',
  upstream_timeout: 'retry',
  service_unavailable: 'retry',
  idempotency_in_progress: 'retry',
  idempotency_conflict: 'edit',
  rate_limited: 'retry',
  engine_mismatch: 'edit',
  invalid_state: 'edit',
  account_suspended: 'retry',
  account_frozen: 'retry',
  invalid_url: 'edit',
  validation_error: 'edit',
  storage_full: 'retry',
  unreachable: 'retry',
  interrupted: 'retry',
}

export const REASON_CODES: readonly string[] = [...Object.keys(FAILED), 'unknown']

/** Why a message failed. @returns undefined if it did not. */
export function reasonOf({ status, error }: Pick<ChatMessage, 'status' | 'error'>): Reason | undefined {
  if (status !== 'failed') return undefined
  const remedy = error === null ? undefined : FAILED[error.code]
  return error === null || remedy === undefined ? { code: 'unknown', remedy: 'none' } : { code: error.code, remedy }
}

/** What a person can do after a send ended with a problem. Its text is the general text of that problem. */
export const remedyOfProblem = ({ code, isRetryable }: Pick<Problem, 'code' | 'isRetryable'>): Remedy =>
  NOT_SENT[code] ?? (isRetryable ? 'retry' : 'edit')
