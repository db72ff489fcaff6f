import { Type, type Static } from 'typebox'
import { EVENT_TYPES, EventInstance } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'
import { DELIVERY_STATUSES, DISABLED_REASONS, FINAL_REASONS, OUTCOMES, TRIGGERS } from './states.ts'

/** What webhooks, deliveries and attempts look like on the wire. Spec: Account webhook, Webhook delivery; contract.md 7. */

export const Url = Type.String({
  minLength: 1,
  maxLength: LIMITS.webhookUrlLength,
  description:
    'Where events are posted. Must begin with https:// and lead to a public address; redirects are not followed. ' +
    'In the sandbox, `https://catcher.sandbox/{name}` is answered inside the service.',
  examples: ['https://hooks.example.com/switchboard'],
})

export const Events = Type.Array(Type.Enum([...EVENT_TYPES, '*']), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'The event types to deliver, each once; or exactly `["*"]` for all.',
  examples: [['message.received', 'message.failed'], ['*']],
})

export const Description = Nullable(
  Type.String({
    maxLength: LIMITS.webhookDescriptionLength,
    description: 'A note for yourself. null removes it.',
  }),
)

export const MaxInFlight = Type.Integer({
  minimum: 1,
  maximum: LIMITS.maxInFlight,
  description:
    'How many deliveries run at once to this destination. After a pause, a restart or trouble the service begins with ' +
    'one and works up to this number. With 1, and while nothing fails, events arrive in order.',
})

export const Active = Type.Boolean({
  description: 'false: paused, or deactivated by the service; `disabled_reason` tells which.',
})

const webhookFields = {
  id: Type.String({ pattern: '^whk_' }),
  url: Url,
  events: Events,
  description: Description,
  max_in_flight: MaxInFlight,
  active: Active,
  secret_last4: Type.String({ description: 'The last four characters of the signing secret.' }),
  disabled_reason: Nullable(
    Type.Enum([...DISABLED_REASONS], {
      description:
        `Why the service deactivated it: \`gone\` after an answer 410, \`too_many_failures\` after ` +
        `${LIMITS.consecutiveExhausted} exhausted deliveries in a row. null while it is active or paused.`,
    }),
  ),
}

export const Webhook = Type.Object(webhookFields)
export type Webhook = Static<typeof Webhook>

/** The only two answers that hold the secret: of create and of rotate-secret. */
export const WebhookWithSecret = Type.Object({
  ...webhookFields,
  secret: Type.String({
    pattern: '^whsec_',
    description: 'Key of the signatures, shown only now. Use the whole text, `whsec_` included, as the HMAC key.',
  }),
})
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const WEBHOOK_EXAMPLE = {
  id: 'whk_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  url: 'https://hooks.example.com/switchboard',
  events: ['message.received', 'message.failed'],
  description: 'CRM, production',
  max_in_flight: LIMITS.maxInFlightDefault,
  active: true,
  secret_last4: 'q9Zk',
  disabled_reason: null,
} as const

export const SECRET_EXAMPLE = 'whsec_3kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9Zk'

export const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
  description:
    '`pending`: not answered yet, or held because the webhook is paused. `failed`: the last attempt failed; ' +
    '`next_attempt_at` is the next one. `exhausted`: eight attempts failed. `delivered`: answered 2xx within 10 seconds.',
})

const deliveryFields = {
  id: Type.String({ pattern: '^dlv_' }),
  webhook_id: Type.String({ pattern: '^whk_' }),
  event_id: Type.String({ pattern: '^evt_', description: 'The same on every attempt: receivers deduplicate by it.' }),
  event_type: Type.Enum([...EVENT_TYPES]),
  instance_id: Uuid,
  status: DeliveryStatus,
  attempts: Type.Integer({
    minimum: 0,
    description:
      'The highest attempt number used. Attempts that were cut off on our side and manual ones raise it without using ' +
      'up one of the eight, so it can exceed 8.',
  }),
  manual_retries: Type.Integer({ minimum: 0, maximum: LIMITS.manualRetries, description: 'Manual redeliveries made.' }),
  next_attempt_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'When the next automatic attempt is due; while the webhook is not active it waits. null: none will follow.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  delivered_at: Nullable(Timestamp),
  last_status_code: Nullable(
    Type.Integer({ description: 'What the destination answered last; null if it did not answer.' }),
  ),
  last_error: Nullable(Type.String({ description: 'Why the last attempt got no answer, in plain words.' })),
  final_reason: Nullable(
    Type.Enum([...FINAL_REASONS], {
      description:
        'Why a `failed` delivery has no next attempt: `gone` (answer 410), `expired` (held for 72 hours), `overflow` ' +
        '(more than 100,000 were waiting).',
    }),
  ),
}

export const Delivery = Type.Object(deliveryFields)
export type Delivery = Static<typeof Delivery>

const AttemptEntry = Type.Object({
  attempt: Type.Integer({ minimum: 1, description: 'Value of X-Service-Attempt and of `attempt` in the body.' }),
  trigger: Type.Enum([...TRIGGERS], {
    description: '`schedule`, `manual` (a redelivery), `recovery` (brought forward).',
  }),
  started_at: Timestamp,
  duration_ms: Nullable(Type.Integer({ minimum: 0 })),
  status_code: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  response_excerpt: Nullable(
    Type.String({ description: 'The beginning of the answer, at most 4 KiB. Kept for 7 days.' }),
  ),
  outcome: Type.Enum([...OUTCOMES], {
    description: '`interrupted` and `local_fault` are faults on our side, `blocked` an address that is not public.',
  }),
  counted: Type.Boolean({ description: 'Whether it used up one of the eight attempts.' }),
})

const Payload = Type.Object(
  {
    event_id: Type.String({ pattern: '^evt_' }),
    type: Type.Enum([...EVENT_TYPES]),
    attempt: Type.Integer({ minimum: 1 }),
    created_at: Timestamp,
    account_id: Uuid,
    instance: EventInstance,
    data: Type.Object({}, { additionalProperties: true, description: 'Depends on the type.' }),
  },
  { description: 'The body as the latest attempt sent it; before the first attempt, as it will be sent.' },
)

export const DeliveryDetail = Type.Object({
  ...deliveryFields,
  payload: Payload,
  attempt_log: Type.Array(AttemptEntry, { description: 'Every attempt, oldest first.' }),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

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

export const DELIVERY_DETAIL_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  payload: {
    event_id: 'evt_01KJM8R2B5K7M9P1Q3S5T7V9X0',
    type: 'message.received',
    attempt: 1,
    created_at: '2026-03-01T09:30:00.000Z',
    account_id: '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60',
    instance: {
      id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
      external_ref: 'customer-17',
      metadata: { plan: 'pro' },
      engine: 'smv2',
    },
    data: {
      message_id: 'msg_01KJM8R2B4J6H8G0F2D4S6A8Q1',
      chat: '12025550123',
      from: '12025550123',
      from_me: false,
      is_group: false,
      type: 'text',
      text: 'Hello!',
      occurred_at: '2026-03-01T09:29:59.800Z',
      sequence: 42,
    },
  },
  attempt_log: [
    {
      attempt: 1,
      trigger: 'schedule',
      started_at: '2026-03-01T09:30:00.020Z',
      duration_ms: 389,
      status_code: 500,
      error: null,
      response_excerpt: '{"error":"database is locked"}',
      outcome: 'http_error',
      counted: true,
    },
  ],
} as const
