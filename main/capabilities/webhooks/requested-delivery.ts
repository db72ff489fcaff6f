import { ApiError } from '../../contract/errors.ts'
import { sql } from '../../kernel/sql.ts'
import type { Lane } from './states.ts'
import type { WebhookRow } from './store.ts'

/**
 * A delivery that somebody asked for, made after its event and not in its commit. The pair of event and webhook is
 * unique: one that is there already stays as it is.
 */
export const insertRequestedDelivery = sql<{
  seq: number
  id: string
  accountSeq: number
  webhookSeq: number
  eventSeq: number
  instanceSeq: number
  eventType: string
  lane: Lane
  now: number
  dueAt: number
  gap: number
}>(
  `INSERT INTO deliveries (seq, id, account_seq, webhook_seq, event_seq, instance_seq, event_type, status, lane,
                           next_attempt_at, gap_ms, created_at, updated_at)
   VALUES (:seq, :id, :accountSeq, :webhookSeq, :eventSeq, :instanceSeq, :eventType, 'pending', :lane, :dueAt, :gap,
           :now, :now)
   ON CONFLICT (event_seq, webhook_seq) DO NOTHING`,
)

/** A requested delivery is never held: the caller should learn immediately that it would not be sent. */
export function requireActive({ state }: WebhookRow): void {
  if (state === 'active') return
  throw new ApiError(
    'invalid_state',
    `The webhook is ${state}. Activate it first with PATCH {"active": true}.`,
  ).because('webhook_inactive')
}
