import { Type, type Static } from 'typebox'
import { EVENT_TYPES, EventInstance } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'exhausted'] as const

export const DISABLED_REASONS = ['gone', 'too_many_failures'] as const

/** Why a delivery was closed before its attempts were used up. */
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
    'Where events are posted. Must begin with https:// and lead to a public address; redirects are not followed. ' +
    'In the sandbox, `https://catcher.sandbox/{name}` is answered inside the service.',
  examples: ['https://hooks.example.com/switchboard'],
})

const Events = Type.Array(Type.Enum([...EVENT_TYPES, '*']), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'The event types to deliver, each once; or exactly `["*"]` for all.',
  examples: [['message.received', 'message.failed'], ['*']],
})

const Description = Nullable(
  Type.String({
    maxLength: LIMITS.webhookDescriptionLength,
    description: 'A note for yourself. null removes it.',
  }),
)

const MaxInFlight = Type.Integer({
  minimum: 1,
  maximum: LIMITS.maxInFlight,
  description:
    'How many deliveries run at once to this destination. After a pause, a restart or trouble the service begins with ' +
    'one and works up to this number. With 1, and while nothing fails, events arrive in order.',
})

const Active = Type.Boolean({
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

const Webhook = Type.Object(webhookFields)
export type Webhook = Static<typeof Webhook>

/** The only two answers that hold the secret: of create and of rotate-secret. */
const WebhookWithSecret = Type.Object({
  ...webhookFields,
  secret: Type.String({
    pattern: '^whsec_',
    description: 'Key of the signatures, shown only now. Use the whole text, `whsec_` included, as the HMAC key.',
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

const SECRET_EXAMPLE = 'whsec_3kq8Qv0m7uY2bT5rW1xN9cJ4hL6dF8gS0aZpE7iq9Zk'

const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
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

const Delivery = Type.Object(deliveryFields)
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

const DeliveryDetail = Type.Object({
  ...deliveryFields,
  payload: Payload,
  attempt_log: Type.Array(AttemptEntry, { description: 'Every attempt, oldest first.' }),
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
      description: 'false creates it paused: events are held for it until it is resumed.',
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
          'false pauses: deliveries go on being written and are held for up to 72 hours. true resumes or reactivates: ' +
          'what is held is delivered, failures are forgotten.',
      }),
    ),
  },
  { description: 'The fields to change. The others stay as they are.' },
)
export type UpdateBody = Static<typeof UpdateBody>

const ReplayBody = Body({
  since: Type.String({
    format: 'date-time',
    description: `Events recorded at this time or later; at most ${LIMITS.eventDays} days back.`,
    examples: ['2026-03-01T09:30:00.000Z'],
  }),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Events recorded before this time, which must be later than `since`. Without it, all up to now.',
    }),
  ),
  events: Type.Optional(
    Type.Array(Type.Enum([...EVENT_TYPES, '*']), {
      minItems: 1,
      maxItems: EVENT_TYPES.length,
      uniqueItems: true,
      description: 'Only these of the types the webhook listens to. Without it, or with exactly `["*"]`, all of them.',
    }),
  ),
})
export type ReplayBody = Static<typeof ReplayBody>

const DeliveriesQuery = Type.Object({
  webhook_id: Type.Optional(Type.String({ description: 'Only deliveries to this webhook, deleted ones included.' })),
  instance_id: Type.Optional(Type.String({ description: 'Only events of this instance.' })),
  status: Type.Optional(DeliveryStatus),
  event_type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Only deliveries of this event type.' })),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only deliveries created at this time or later.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
  limit: Type.Optional(PageSize),
})
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

const SECRET_REPLY = { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE }

/** Spec: Account webhooks. All need a key without instance restriction. */
export const webhooksContract = {
  createWebhook: operation({
    id: 'createWebhook',
    approval: 'destination',
    method: 'POST',
    path: '/v1/webhooks',
    summary: 'Create a webhook',
    description:
      'Registers a destination for the events of all instances of the account. The answer holds the signing secret, and ' +
      'no later answer does: store it.\n\n' +
      'Each event is posted as JSON with the headers X-Service-Event-Id, X-Service-Timestamp, X-Service-Attempt and ' +
      'X-Service-Signature. The signature is `sha256=` and the hex HMAC-SHA256 of timestamp + "." + raw body, with the ' +
      'whole secret as key. Verify it over the bytes received, before parsing, and refuse a timestamp more than 300 ' +
      'seconds off.\n\n' +
      'Answer 2xx within 10 seconds. Anything else is tried again, up to 8 times over about 21 hours, with the same ' +
      `event_id and a higher attempt. An account has at most ${LIMITS.webhooksPerAccount} webhooks.`,
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    noStore: true,
    body: CreateBody,
    reply: { status: 201, description: 'The webhook, with its secret this one time.', schema: WebhookWithSecret },
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
        'Registers an https destination for the events of all instances of the account. The signing secret is not shown ' +
        'to assistants: tell the person to rotate it over the HTTP API (POST /v1/webhooks/{id}/rotate-secret) and to give ' +
        'the new one to the receiver.',
      idempotent: false,
      openWorld: true,
      redact: ['secret'],
    },
  }),

  listWebhooks: operation({
    id: 'listWebhooks',
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhooks',
    description: `All webhooks of the account, newest first. There are at most ${LIMITS.webhooksPerAccount}, so there are no pages.`,
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
    tool: { name: 'list_webhooks', title: 'List webhooks', idempotent: true, openWorld: false },
  }),

  getWebhook: operation({
    id: 'getWebhook',
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Read a webhook',
    description: 'One webhook. Of its secret only the last four characters are shown.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'spec',
    reply: { status: 200, description: 'The webhook.', schema: Webhook },
    errors: [],
    examples: { reply: WEBHOOK_EXAMPLE },
    tool: { name: 'get_webhook', title: 'Read a webhook', idempotent: true, openWorld: false },
  }),

  updateWebhook: operation({
    id: 'updateWebhook',
    approval: 'destination',
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change, pause or resume a webhook',
    description:
      'Changes the fields that are sent. A new `url` applies from the next attempt.\n\n' +
      'Pausing (`active: false`) takes effect at once; attempts under way end normally, and events that happen meanwhile ' +
      'are held for up to 72 hours. `active: true` resumes a paused webhook and reactivates one the service deactivated: ' +
      'deliveries held for less than 72 hours become due, older ones are closed as `expired`, those closed by an answer ' +
      '410 are taken up again, and earlier failures no longer count. While a webhook is deactivated its events are only ' +
      'recorded; `POST …/replay` sends them afterwards.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    body: UpdateBody,
    reply: { status: 200, description: 'The webhook as it is now.', schema: Webhook },
    errors: ['invalid_url'],
    examples: { body: { active: false }, reply: { ...WEBHOOK_EXAMPLE, active: false } },
    tool: { name: 'update_webhook', title: 'Change, pause or resume a webhook', idempotent: true, openWorld: true },
  }),

  deleteWebhook: operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    summary: 'Delete a webhook',
    description:
      'Removes the webhook and every delivery still waiting for it. Deliveries that ended stay readable. To stop ' +
      'deliveries for a while, pause the webhook instead.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    destructive: true,
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'delete_webhook', title: 'Delete a webhook', idempotent: false, openWorld: false },
  }),

  rotateWebhookSecret: operation({
    id: 'rotateWebhookSecret',
    approval: 'access',
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate-secret',
    summary: 'Rotate the signing secret',
    description:
      'Makes a new secret, shown only in this answer. During the overlap each delivery also carries ' +
      'X-Service-Signature-Previous, made with the old secret, so that receivers can accept either while they change ' +
      'over. With `overlap_seconds: 0` the old secret stops working at once. Rotating again within the overlap ends it ' +
      'for the older secret: only one previous signature is ever sent.',
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
          description: 'How long deliveries are signed with the old secret as well, in seconds.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: { status: 200, description: 'The webhook, with its new secret this one time.', schema: WebhookWithSecret },
    errors: ['sealed'],
    examples: { body: { overlap_seconds: 3_600 }, reply: SECRET_REPLY },
    // Its answer is the new secret, which no assistant may see; rotating without it would only break the receiver.
    tool: null,
  }),

  testWebhook: operation({
    id: 'testWebhook',
    approval: 'replay',
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    summary: 'Send a test event',
    description:
      'Sends this webhook an example event, so that a receiver can be tried without anybody writing. It is a delivery like ' +
      'any other: signed, in the list of deliveries, and tried again until it is answered 2xx. Its `data` has ' +
      '`test: true` and otherwise looks like that of the type, which is `message.received` if the webhook listens to it, ' +
      'else the first type it listens to; `instance.id` is all zeros and `sequence` is 0.\n\n' +
      'No other webhook gets it, and it is not in the list of events. 409 `invalid_state` when the webhook is not active.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'ours',
    reply: {
      status: 202,
      description: 'Accepted. `GET /v1/webhooks/deliveries/{id}` shows what became of it.',
      schema: Type.Object({ delivery_id: Type.String({ pattern: '^dlv_' }) }),
    },
    errors: ['invalid_state', 'sealed'],
    examples: { reply: { delivery_id: DELIVERY_EXAMPLE.id } },
    tool: { name: 'test_webhook', title: 'Send a test event', idempotent: false, openWorld: true, onRequest: true },
  }),

  replayWebhook: operation({
    id: 'replayWebhook',
    approval: 'replay',
    method: 'POST',
    path: '/v1/webhooks/{id}/replay',
    summary: 'Replay missed events',
    description:
      'Makes one delivery for each event of the period that this webhook never had one for: because it did not exist yet, ' +
      'was deactivated, or did not listen to the type then. Each carries its own event_id, as it would have at the time, ' +
      'and its attempts count from 1. They are sent a few at a time, beside what is new, oldest first.\n\n' +
      'Repeating the call is harmless: what the webhook has, it is not given again, whatever became of it; use ' +
      '`POST /v1/webhooks/deliveries/{id}/retry` for that. ' +
      `At most ${LIMITS.replayAtMost} deliveries are made by one call: while \`replayed\` is ${LIMITS.replayAtMost}, call again. ` +
      '409 `invalid_state` when the webhook is not active.',
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'ours',
    body: ReplayBody,
    reply: {
      status: 202,
      description: 'Accepted; how many deliveries were made.',
      schema: Type.Object({ replayed: Type.Integer({ minimum: 0, maximum: LIMITS.replayAtMost }) }),
    },
    errors: ['invalid_state'],
    examples: { body: { since: '2026-03-01T09:30:00.000Z', events: ['message.received'] }, reply: { replayed: 42 } },
    tool: { name: 'replay_webhook', title: 'Replay missed events', idempotent: true, openWorld: true, onRequest: true },
  }),

  listDeliveries: operation({
    id: 'listDeliveries',
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'List deliveries',
    description: 'Deliveries of the account, newest first. Filters narrow the list together.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'spec',
    query: DeliveriesQuery,
    reply: { status: 200, description: 'A page of deliveries.', schema: List(Delivery) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [DELIVERY_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { name: 'list_deliveries', title: 'List deliveries', idempotent: true, openWorld: false },
  }),

  getDelivery: operation({
    id: 'getDelivery',
    method: 'GET',
    path: '/v1/webhooks/deliveries/{id}',
    summary: 'Read a delivery with its attempts',
    description: 'One delivery, the body it carries, and the log of every attempt.',
    scope: 'webhooks:read',
    reach: 'webhooks',
    origin: 'spec',
    reply: { status: 200, description: 'The delivery with payload and log.', schema: DeliveryDetail },
    errors: [],
    examples: { reply: DELIVERY_DETAIL_EXAMPLE },
    tool: {
      name: 'get_delivery',
      title: 'Read a delivery with its attempts',
      idempotent: true,
      openWorld: false,
      untrusted: true,
    },
  }),

  retryDelivery: operation({
    id: 'retryDelivery',
    approval: 'replay',
    method: 'POST',
    path: '/v1/webhooks/deliveries/{id}/retry',
    summary: 'Redeliver now',
    description:
      'Sends the event again now, with the same event_id and the next attempt number, whatever the status. A 2xx makes ' +
      'the delivery `delivered`; a failure leaves status and automatic schedule as they were. At most ' +
      `${LIMITS.manualRetries} per delivery. 409 \`invalid_state\` while an attempt is running or the webhook is not active.`,
    scope: 'webhooks:write',
    reach: 'webhooks',
    origin: 'spec',
    reply: {
      status: 202,
      description: 'Accepted; the delivery, its new attempt already counted in `attempts`.',
      schema: Delivery,
    },
    errors: ['invalid_state', 'retry_limit_reached', 'sealed'],
    examples: { reply: { ...DELIVERY_EXAMPLE, attempts: 2, manual_retries: 1 } },
    tool: { name: 'retry_delivery', title: 'Redeliver now', idempotent: false, openWorld: true },
  }),
} as const satisfies Contract
