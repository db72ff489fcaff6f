import { Type, type Static } from 'typebox'
import { EVENT_TYPES, EventInstance } from '../../../contract/events.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { DeliveryStatus, deliveryFields, Delivery, DELIVERY_EXAMPLE } from './parts.ts'

export const TRIGGERS = ['schedule', 'manual', 'recovery'] as const

export const OUTCOMES = [
  'in_progress',
  'success',
  'http_error',
  'timeout',
  'dns',
  'connect',
  'tls',
  'protocol',
  'blocked',
  'interrupted',
  'local_fault',
] as const

const AttemptEntry = Type.Object({
  attempt: Type.Integer({ minimum: 1, description: 'The value of `X-Service-Attempt` and of `attempt` in the body.' }),
  trigger: Type.Enum([...TRIGGERS], {
    description:
      '`schedule`: automatic. `manual`: redelivered by hand. `recovery`: retried early because the receiver is back.',
  }),
  started_at: Timestamp,
  duration_ms: Nullable(Type.Integer({ minimum: 0 })),
  status_code: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  response_excerpt: Nullable(Type.String({ description: 'The first 4 KiB of the response body. Kept for 7 days.' })),
  outcome: Type.Enum([...OUTCOMES], {
    description: '`interrupted` and `local_fault` are failures on our side. `blocked` means the address is not public.',
  }),
  counted: Type.Boolean({ description: 'Whether this attempt used up one of the eight.' }),
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
  { description: 'The body of the latest attempt, or of the first one if none was made yet.' },
)

const DeliveryDetail = Type.Object({
  ...deliveryFields,
  payload: Payload,
  attempt_log: Type.Array(AttemptEntry, { description: 'All attempts, oldest first.' }),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

const DELIVERY_DETAIL_EXAMPLE = {
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
      chat_type: 'person',
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

const ReplayBody = Body({
  since: Type.String({
    format: 'date-time',
    description: `Replay events recorded at or after this time, at most ${LIMITS.eventDays} days ago.`,
    examples: ['2026-03-01T09:30:00.000Z'],
  }),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Replay events recorded before this time. Must be later than `since`. Defaults to now.',
    }),
  ),
  events: Type.Optional(
    Type.Array(Type.Enum([...EVENT_TYPES, '*']), {
      minItems: 1,
      maxItems: EVENT_TYPES.length,
      uniqueItems: true,
      description: 'Replay only these event types. Without it, or with `["*"]`, all types the webhook subscribes to.',
    }),
  ),
})
export type ReplayBody = Static<typeof ReplayBody>

const DeliveriesQuery = Type.Object({
  webhook_id: Type.Optional(
    Type.String({ description: 'Only deliveries to this webhook. Also works for deleted webhooks.' }),
  ),
  instance_id: Type.Optional(Type.String({ description: 'Only deliveries of events from this instance.' })),
  status: Type.Optional(DeliveryStatus),
  event_type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Only deliveries of this event type.' })),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only deliveries created at or after this time.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
  limit: Type.Optional(PageSize),
})
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

export const deliveriesContract = {
  replayWebhook: operation({
    id: 'replayWebhook',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/webhooks/{id}/replay',
    summary: 'Replay missed events',
    description:
      'Creates a delivery for each event in the period that this webhook has no delivery for, because it did not exist ' +
      'yet, was deactivated or was not subscribed to the type. Each delivery carries the original `event_id`, and its ' +
      'attempts start at 1. They are sent gradually alongside new events, oldest first.\n\n' +
      'Repeating the call is safe: events the webhook already has a delivery for are skipped, even if that delivery ' +
      'failed. To send one of those again, use `POST /v1/webhooks/deliveries/{id}/retry`. ' +
      `One call creates at most ${LIMITS.replayAtMost} deliveries; call again while \`replayed\` is ${LIMITS.replayAtMost}. ` +
      'Answers 409 `invalid_state` if the webhook is not active.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'ours',
    body: ReplayBody,
    reply: {
      status: 202,
      description: 'Accepted. `replayed` is the number of deliveries created.',
      schema: Type.Object({ replayed: Type.Integer({ minimum: 0, maximum: LIMITS.replayAtMost }) }),
    },
    errors: ['invalid_state'],
    examples: { body: { since: '2026-03-01T09:30:00.000Z', events: ['message.received'] }, reply: { replayed: 42 } },
    tool: { name: 'replay_webhook', title: 'Replay missed events', idempotent: true, onRequest: true },
  }),

  listDeliveries: operation({
    id: 'listDeliveries',
    effects: [],
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'List deliveries',
    description: 'Deliveries of the account, newest first. Filters can be combined.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'spec',
    query: DeliveriesQuery,
    reply: { status: 200, description: 'A page of deliveries.', schema: List(Delivery) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [DELIVERY_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { name: 'list_deliveries', title: 'List deliveries', idempotent: true },
  }),

  listEventDeliveries: operation({
    id: 'listEventDeliveries',
    effects: [],
    method: 'GET',
    path: '/v1/events/{event_id}/deliveries',
    summary: 'List the deliveries of an event',
    description: 'The deliveries of one event: one for each webhook that subscribed to it.',
    scope: null,
    reach: 'account',
    origin: 'ours',
    audience: 'console',
    role: 'member',
    reply: { status: 200, description: 'The deliveries.', schema: Type.Object({ data: Type.Array(Delivery) }) },
    errors: [],
    examples: { reply: { data: [DELIVERY_EXAMPLE] } },
    tool: null,
  }),

  getDelivery: operation({
    id: 'getDelivery',
    effects: [],
    method: 'GET',
    path: '/v1/webhooks/deliveries/{id}',
    summary: 'Read a delivery with its attempts',
    description: 'Returns one delivery with its payload and the log of its attempts.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'spec',
    reply: { status: 200, description: 'The delivery with its payload and attempt log.', schema: DeliveryDetail },
    errors: [],
    examples: { reply: DELIVERY_DETAIL_EXAMPLE },
    tool: {
      name: 'get_delivery',
      title: 'Read a delivery with its attempts',
      idempotent: true,
      untrusted: true,
    },
  }),

  retryDelivery: operation({
    id: 'retryDelivery',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/webhooks/deliveries/{id}/retry',
    summary: 'Redeliver now',
    description:
      'Sends the event again immediately, in any status, with the same `event_id` and the next attempt number. A 2xx ' +
      'marks the delivery `delivered`; a failure changes neither its status nor its automatic schedule. Limited to ' +
      `${LIMITS.manualRetries} per delivery. Answers 409 \`invalid_state\` while an attempt is running or if the webhook is not active.`,
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    reply: {
      status: 202,
      description: 'Accepted. `attempts` of the delivery already includes the new one.',
      schema: Delivery,
    },
    errors: ['invalid_state', 'retry_limit_reached', 'sealed'],
    examples: { reply: { ...DELIVERY_EXAMPLE, attempts: 2, manual_retries: 1 } },
    tool: { name: 'retry_delivery', title: 'Redeliver now', idempotent: false },
  }),
} as const satisfies Contract
