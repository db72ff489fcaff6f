import { Type, type Static } from 'typebox'
import { EVENT_TYPES, EventInstance } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    webhooks: true
    deliveries: true
  }
}

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const

export const DISABLED_REASONS = ['gone', 'too_many_failures'] as const

/** Why a delivery was closed with attempts left. */
export const FINAL_REASONS = ['gone', 'expired', 'overflow'] as const

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

const Url = Type.String({
  minLength: 1,
  maxLength: LIMITS.webhookUrlLength,
  description:
    'The URL events are posted to. Must use https:// and resolve to a public address. Redirects are not followed. ' +
    'To test without a receiver, use `https://catcher.sandbox/{name}`, which the service answers itself.',
  examples: ['https://hooks.example.com/switchboard'],
})

const Events = Type.Array(Type.Enum([...EVENT_TYPES, '*']), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'The event types to deliver, without duplicates, or `["*"]` for all of them.',
  examples: [['message.received', 'message.failed'], ['*']],
})

const Description = Nullable(
  Type.String({
    maxLength: LIMITS.webhookDescriptionLength,
    description: 'A note for yourself. `null` removes it.',
  }),
)

const MaxInFlight = Type.Integer({
  minimum: 1,
  maximum: LIMITS.maxInFlight,
  description:
    'The maximum number of concurrent deliveries to this URL. After a pause, a restart or an outage, the service starts ' +
    'with one and works up to this number. With 1, events arrive in order as long as none fails.',
})

const Active = Type.Boolean({
  description:
    '`false` if you paused the webhook or the service deactivated it. `disabled_reason` is set only when it was deactivated.',
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
        `Why the service deactivated the webhook: \`gone\` after a 410 response, \`too_many_failures\` after ` +
        `${LIMITS.consecutiveExhausted} exhausted deliveries in a row. \`null\` while it is active or paused.`,
    }),
  ),
}

const Webhook = Type.Object(webhookFields)
export type Webhook = Static<typeof Webhook>

/** Only create and rotate-secret return the secret. */
const WebhookWithSecret = Type.Object({
  ...webhookFields,
  secret: Type.String({
    pattern: '^whsec_',
    description:
      'The signing secret, shown only in this response: `whsec_` and 44 characters of base64. For `X-Service-Signature`, ' +
      'the whole string is the HMAC key. Libraries for Standard Webhooks take it as it is.',
  }),
})
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

const WEBHOOK_EXAMPLE = {
  id: 'whk_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  url: 'https://hooks.example.com/switchboard',
  events: ['message.received', 'message.failed'],
  description: 'CRM, production',
  max_in_flight: LIMITS.maxInFlightDefault,
  active: true,
  secret_last4: 'q9Zk',
  disabled_reason: null,
} as const

const SECRET_EXAMPLE = 'whsec_ypeBEsobvcr6wjGzmiPc+aeG7/gUfE/yuYB3ha/uq9Zk'

const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
  description:
    '`pending`: not attempted yet, or held while the webhook is paused. `failed`: the last attempt failed, and ' +
    '`next_attempt_at` is the next one. `exhausted`: eight attempts failed. `delivered`: the receiver answered 2xx within 10 seconds.',
})

const deliveryFields = {
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

const Delivery = Type.Object(deliveryFields)
export type Delivery = Static<typeof Delivery>

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

const DELIVERY_EXAMPLE = {
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

const CreateBody = Body({
  url: Url,
  events: Events,
  description: Type.Optional(Description),
  max_in_flight: Type.Optional(Type.Integer({ ...MaxInFlight, default: LIMITS.maxInFlightDefault })),
  active: Type.Optional(
    Type.Boolean({
      default: true,
      description: '`false` creates the webhook paused. Its events are held until you resume it.',
    }),
  ),
})
export type CreateBody = Static<typeof CreateBody>

const UpdateBody = Body(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    max_in_flight: Type.Optional(MaxInFlight),
    active: Type.Optional(
      Type.Boolean({
        description:
          '`false` pauses the webhook: new deliveries are held for up to 72 hours. `true` resumes or reactivates it: held ' +
          'deliveries are sent and the failure count starts over.',
      }),
    ),
  },
  { description: 'The fields to change. The others stay as they are.' },
)
export type UpdateBody = Static<typeof UpdateBody>

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

const SECRET_REPLY = { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE }

/** Spec: Account webhooks. Keys restricted to instances cannot use them. */
export const webhooksContract = {
  createWebhook: operation({
    id: 'createWebhook',
    effects: ['destination', 'access'],
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook',
    description:
      'Registers a URL that receives the events of every instance in the account. The response contains the signing ' +
      'secret. Store it: it is not shown again.\n\n' +
      'Each event is posted as JSON with the headers `X-Service-Event-Id`, `X-Service-Timestamp`, `X-Service-Attempt` and ' +
      '`X-Service-Signature`. The signature is `sha256=` followed by the hex HMAC-SHA256 of timestamp + "." + raw body, ' +
      'keyed with the whole secret. Verify it against the raw bytes before you parse them, and reject timestamps more ' +
      'than 300 seconds off.\n\n' +
      'Answer 2xx within 10 seconds. Any other outcome is retried, for up to 8 attempts over about 21 hours, with the ' +
      `same \`event_id\` and a higher \`attempt\`. An account can have at most ${LIMITS.webhooksPerAccount} webhooks.`,
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    noStore: true,
    body: CreateBody,
    reply: { status: 201, description: 'The new webhook with its secret.', schema: WebhookWithSecret },
    errors: ['invalid_url', 'webhook_limit_reached', 'sealed'],
    examples: {
      body: {
        url: 'https://hooks.example.com/switchboard',
        events: ['message.received', 'message.failed'],
        description: 'CRM, production',
      },
      reply: SECRET_REPLY,
    },
    tool: {
      name: 'create_webhook',
      title: 'Create a webhook',
      description:
        'Registers an https URL that receives the events of every instance in the account. The signing secret is not shown ' +
        'to assistants. Tell the user to rotate it over the HTTP API (POST /v1/webhooks/{id}/rotate-secret) and configure ' +
        'the receiver with the new secret.',
      idempotent: false,
      redact: ['secret'],
    },
  }),

  listWebhooks: operation({
    id: 'listWebhooks',
    effects: [],
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhooks',
    description: `All webhooks of the account, newest first. There are at most ${LIMITS.webhooksPerAccount}, so the list is not paginated.`,
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'ours',
    reply: {
      status: 200,
      description: 'All webhooks of the account.',
      schema: Type.Object({ data: Type.Array(Webhook), count: Type.Integer({ minimum: 0 }) }),
    },
    errors: [],
    examples: { reply: { data: [WEBHOOK_EXAMPLE], count: 1 } },
    tool: { name: 'list_webhooks', title: 'List webhooks', idempotent: true },
  }),

  getWebhook: operation({
    id: 'getWebhook',
    effects: [],
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Read a webhook',
    description: 'Returns one webhook. Only the last four characters of its secret are included.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'spec',
    reply: { status: 200, description: 'The webhook.', schema: Webhook },
    errors: [],
    examples: { reply: WEBHOOK_EXAMPLE },
    tool: { name: 'get_webhook', title: 'Read a webhook', idempotent: true },
  }),

  updateWebhook: operation({
    id: 'updateWebhook',
    effects: ['destination'],
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change, pause or resume a webhook',
    description:
      'Updates the fields you send. A new `url` applies from the next attempt.\n\n' +
      'Pausing (`active: false`) takes effect immediately. Attempts in progress finish, and new events are held for up to ' +
      '72 hours. `active: true` resumes a paused webhook or reactivates one the service deactivated: deliveries held for ' +
      'less than 72 hours become due, older ones are closed as `expired`, deliveries closed by a 410 are reopened, and ' +
      'the failure count starts over. Events that occur while a webhook is deactivated are recorded but not held for it; ' +
      'send them later with `POST …/replay`.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    body: UpdateBody,
    reply: { status: 200, description: 'The updated webhook.', schema: Webhook },
    errors: ['invalid_url'],
    examples: { body: { active: false }, reply: { ...WEBHOOK_EXAMPLE, active: false } },
    tool: { name: 'update_webhook', title: 'Change, pause or resume a webhook', idempotent: true },
  }),

  deleteWebhook: operation({
    id: 'deleteWebhook',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook',
    description:
      'Deletes the webhook and its pending deliveries. Finished deliveries stay readable. To stop deliveries ' +
      'temporarily, pause the webhook instead.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'delete_webhook', title: 'Delete a webhook', idempotent: false },
  }),

  rotateWebhookSecret: operation({
    id: 'rotateWebhookSecret',
    effects: ['access'],
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    summary: 'Rotate the signing secret',
    description:
      'Creates a new secret, shown only in this response. During the overlap, deliveries also carry ' +
      '`X-Service-Signature-Previous`, made with the old secret, so receivers can accept either one while you switch. ' +
      'With `overlap_seconds: 0` the old secret stops working immediately. If you rotate again during an overlap, the ' +
      'oldest secret stops working: only one previous signature is sent.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    noStore: true,
    body: Body({
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LIMITS.overlapSeconds,
          default: LIMITS.overlapSeconds,
          description: 'How long deliveries are also signed with the old secret, in seconds.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: { status: 200, description: 'The webhook with its new secret.', schema: WebhookWithSecret },
    errors: ['sealed'],
    examples: { body: { overlap_seconds: 3_600 }, reply: SECRET_REPLY },
    // Assistants never see secrets, and rotating without the new one would only break the receiver.
    tool: null,
  }),

  testWebhook: operation({
    id: 'testWebhook',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends this webhook an example event so you can test your receiver. It is delivered like any other event: signed, ' +
      'listed among the deliveries and retried until the receiver answers 2xx. The type is `message.received` if the ' +
      'webhook subscribes to it, otherwise the first type it subscribes to. `data` has `test: true`, `instance.id` is all ' +
      'zeros and `sequence` is 0.\n\n' +
      'The event goes to this webhook only and does not appear in the list of events. Answers 409 `invalid_state` if the ' +
      'webhook is not active.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'ours',
    reply: {
      status: 202,
      description: 'Accepted. Check the result with `GET /v1/webhooks/deliveries/{id}`.',
      schema: Type.Object({ delivery_id: Type.String({ pattern: '^dlv_' }) }),
    },
    errors: ['invalid_state', 'sealed'],
    examples: { reply: { delivery_id: DELIVERY_EXAMPLE.id } },
    tool: { name: 'test_webhook', title: 'Send a test event', idempotent: false, onRequest: true },
  }),

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
