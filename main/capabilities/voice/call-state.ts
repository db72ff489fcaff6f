import type { CallStatus, EndReason } from '../../contract/voice.ts'

/** The outcome of a call for each end reason. `answered`: depends on whether it was answered. */
const OUTCOMES = {
  person_hung_up: 'answered',
  agent_hung_up: 'answered',
  operator_hung_up: 'answered',
  time_limit: 'answered',
  transferred: 'answered',
  canceled: 'canceled',
  no_answer: 'no_answer',
  busy: 'busy',
  rejected: 'rejected',
  number_not_callable: 'failed',
  call_permission_required: 'failed',
  app_offline: 'failed',
  app_closed: 'failed',
  app_crashed: 'failed',
  not_ready: 'failed',
  voice_off: 'failed',
  trial_used_up: 'failed',
  agent_gone: 'failed',
  agent_failed: 'failed',
  gateway_unavailable: 'failed',
  calls_not_offered: 'failed',
  instance_deleted: 'canceled',
  receiving_off: 'rejected',
  instance_transferred: 'canceled',
  account_suspended: 'failed',
  account_frozen: 'failed',
  no_media_connection: 'failed',
  codec_not_supported: 'failed',
  media_lost: 'failed',
  storage_full: 'failed',
  restored: 'failed',
} as const satisfies Record<EndReason, CallStatus | 'answered'>

/** @param isAnswered whether it was answered. An unanswered call that ends is canceled by us, or missed. */
export function finalStatus(reason: EndReason, isAnswered: boolean): CallStatus {
  const outcome = OUTCOMES[reason]
  if (outcome !== 'answered') return outcome
  if (isAnswered) return 'completed'
  return reason === 'person_hung_up' ? 'no_answer' : 'canceled'
}

export const isLive = (status: CallStatus): boolean =>
  status === 'dialing' || status === 'ringing' || status === 'in_progress'
