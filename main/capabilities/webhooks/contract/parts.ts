import { Type, type Static } from 'typebox'
import { EVENT_TYPES } from '../../../contract/events.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const

/** Why a delivery was closed with attempts left. */
export const FINAL_REASONS = ['gone', 'expired', 'overflow'] as const

export const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
  description:
    '`pending`: not attempted yet, or held while the webhook is paused. `failed`: the last attempt failed, and ' +
    '`next_attempt_at` is the next one. `exhausted`: eight attempts failed. `delivered`: the receiver answered 2xx within 10 seconds.',
})

export const deliveryFields = {
  id: Type.String({ pattern: '^dlv_' }),
  webhook_id: Type.String({ pattern: '^whk_' }),
  event_id: Type.String({ pattern: '^evt_', description: 'The same on every attempt. Use it to deduplicate.' }),
  event_type: Type.Enum([...EVENT_TYPES]),
  instance_id: Uuid,
  status: DeliveryStatus,
  attempts: Type.Integer({
    minimum: 0,
    description:
      'The number of the latest attempt. Manual redeliveries and attempts interrupted on our side count here but do not ' +
      'use up one of the eight, so it can exceed 8.',
  }),
  manual_retries: Type.Integer({
    minimum: 0,
    maximum: LIMITS.manualRetries,
    description: 'How often this delivery was redelivered by hand.',
  }),
  next_attempt_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'When the next automatic attempt is due. It waits while the webhook is not active. `null` if there is none.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  delivered_at: Nullable(Timestamp),
  last_status_code: Nullable(
    Type.Integer({ description: 'The HTTP status of the last response, or `null` if there was no response.' }),
  ),
  last_error: Nullable(Type.String({ description: 'Why the last attempt got no response.' })),
  final_reason: Nullable(
    Type.Enum([...FINAL_REASONS], {
      description:
        'Why a `failed` delivery has no next attempt: `gone` (the receiver answered 410), `expired` (held for 72 hours) or ' +
        '`overflow` (more than 100,000 deliveries were waiting).',
    }),
  ),
}

export const Delivery = Type.Object(deliveryFields)
export type Delivery = Static<typeof Delivery>

export const DELIVERY_EXAMPLE = {
  id: 'dlv_01KJM8R2B6Y4W8X0Z3C5V7N9M1',
  webhook_id: 'whk_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  event_id: 'evt_01KJM8R2B5K7M9P1Q3S5T7V9X0',
  event_type: 'message.received',
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  status: 'failed',
  attempts: 1,
  manual_retries: 0,
  next_attempt_at: '2026-03-01T09:30:10.912Z',
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:30:00.412Z',
  delivered_at: null,
  last_status_code: 500,
  last_error: null,
  final_reason: null,
} as const satisfies Delivery
