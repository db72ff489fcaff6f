import { Type, type Static } from 'typebox'
import { EVENT_TYPES } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List } from '../../contract/shapes.ts'
import {
  Active,
  Delivery,
  DELIVERY_DETAIL_EXAMPLE,
  DELIVERY_EXAMPLE,
  DeliveryDetail,
  DeliveryStatus,
  Description,
  Events,
  MaxInFlight,
  SECRET_EXAMPLE,
  Url,
  Webhook,
  WEBHOOK_EXAMPLE,
  WebhookWithSecret,
} from './shapes.ts'

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
  { minProperties: 1, description: 'The fields to change; at least one.' },
)
export type UpdateBody = Static<typeof UpdateBody>

const DeliveriesQuery = Type.Object({
  webhook_id: Type.Optional(Type.String({ description: 'Only deliveries to this webhook, deleted ones included.' })),
  instance_id: Type.Optional(Type.String({ description: 'Only events of this instance.' })),
  status: Type.Optional(DeliveryStatus),
  event_type: Type.Optional(Type.Enum([...EVENT_TYPES])),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only deliveries created at this time or later.' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageSize, default: LIMITS.pageSizeDefault })),
})
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

const SECRET_REPLY = { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE }

/** Spec: Account webhooks. All need a key without instance restriction. */
export const webhooksContract = {
  createWebhook: operation({
    id: 'createWebhook',
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
    tool: { name: 'create_webhook', title: 'Create a webhook', idempotent: false, openWorld: true, redact: ['secret'] },
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
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    summary: 'Change, pause or resume a webhook',
    description:
      'Changes the fields that are sent. A new `url` applies from the next attempt.\n\n' +
      'Pausing (`active: false`) takes effect at once; attempts under way end normally, and events that happen meanwhile ' +
      'are held for up to 72 hours. `active: true` resumes a paused webhook and reactivates one the service deactivated: ' +
      'deliveries held for less than 72 hours become due, older ones are closed as `expired`, those closed by an answer ' +
      '410 are taken up again, and earlier failures no longer count. While a webhook is deactivated its events are only ' +
      'recorded; no delivery is made for them afterwards.',
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
    tool: { name: 'get_delivery', title: 'Read a delivery with its attempts', idempotent: true, openWorld: false },
  }),

  retryDelivery: operation({
    id: 'retryDelivery',
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
