import { ApiError } from '../../contract/errors.ts'
import { sql } from '../../kernel/sql.ts'
import type { Lane } from './states.ts'
import type { WebhookRow } from './store.ts'

/**
 * A delivery that somebody asked for, made after its event and not in its commit. The pair of event and webhook is
 * unique: one that is there already stays as it is.
 */
export const makeDelivery = sql<{
  seq: number
  id: string
  accountId: string
  webhookSeq: number
  eventSeq: number
  instanceId: string
  eventType: string
  lane: Lane
  inMs: number
  now: number
}>(
  `INSERT INTO deliveries (seq, id, account_id, webhook_seq, event_seq, instance_id, event_type, status, lane,
                           next_attempt_at, gap_ms, created_at, updated_at)
   VALUES (:seq, :id, :accountId, :webhookSeq, :eventSeq, :instanceId, :eventType, 'pending', :lane, :now + :inMs, :inMs,
           :now, :now)
   ON CONFLICT (event_seq, webhook_seq) DO NOTHING`,
)

/** What somebody asks for now is not held: who waits for it should hear why it would not come. */
export function requireActive({ state }: WebhookRow): void {
  if (state === 'active') return
  throw new ApiError(
    'invalid_state',
    `The webhook is ${state}, so nothing would be sent. Make it active first (PATCH with active true).`,
  )
}
