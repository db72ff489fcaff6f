import { Type, type Static } from 'typebox'
import { EVENT_TYPES } from '../../../contract/events.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Nullable } from '../../../contract/shapes.ts'
import { DELIVERY_EXAMPLE } from './parts.ts'

export const DISABLED_REASONS = ['gone', 'too_many_failures'] as const

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

const SECRET_REPLY = { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE }

export const endpointsContract = {
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
} as const satisfies Contract
