import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Engine, Nullable } from '../../contract/shapes.ts'

/** `ALL` includes every other name. */
export const EVENT_NAMES = [
  'MESSAGE',
  'SEND_MESSAGE',
  'READ_RECEIPT',
  'CONNECTION',
  'QRCODE',
  'CALL',
  'GROUP',
  'PRESENCE',
  'CONTACT',
  'ALL',
] as const
export type EventName = (typeof EVENT_NAMES)[number]

export const DEFAULT_NAMES = ['MESSAGE', 'CONNECTION'] as const satisfies readonly EventName[]

/** Number of attempts, including the first. */
export const TRIES = 3
/** Seconds from a failed attempt to the next one. */
export const GAPS_SECONDS = [10, 60] as const
export const DROPPED_AFTER_MINUTES = 60

const SetBody = Body({
  url: Type.String({
    minLength: 1,
    maxLength: LIMITS.webhookUrlLength,
    description:
      'The URL events are posted to. Must use https:// and resolve to a public address. Redirects are not followed. ' +
      'To test without a receiver, use `https://catcher.sandbox/{name}`, which the service answers itself.',
    examples: ['https://hooks.example.com/line-1'],
  }),
  events: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 64,
      default: [...DEFAULT_NAMES],
      description:
        `Engine \`smv2\`: the event names to send, at least one of ${EVENT_NAMES.join(', ')}. Unknown names are rejected with 400; duplicates are ignored. ` +
        'Engine `official`: ignored, all events are sent.',
      examples: [['MESSAGE', 'CONNECTION']],
    }),
  ),
})
export type SetBody = Static<typeof SetBody>

const InstanceWebhook = Type.Object({
  engine: Engine,
  url: Nullable(Type.String({ description: '`null` if the instance has no webhook.' })),
  events: Type.Array(Type.Enum([...EVENT_NAMES]), {
    description: 'The event names it receives. Empty without a webhook, `["ALL"]` on the engine `official`.',
  }),
})
export type InstanceWebhook = Static<typeof InstanceWebhook>

const EXAMPLE = {
  engine: 'smv2',
  url: 'https://hooks.example.com/line-1',
  events: ['MESSAGE', 'CONNECTION'],
} as const satisfies InstanceWebhook

const BODY_EXAMPLE = { url: EXAMPLE.url, events: ['MESSAGE', 'CONNECTION'] } satisfies SetBody

const WHAT = [
  '**This is a legacy webhook. Prefer an account webhook (`POST /v1/webhooks`).** Requests are not signed, so receivers ' +
    `cannot verify the sender. An event is tried ${TRIES} times (immediately, after ${GAPS_SECONDS[0]} seconds and after ` +
    `another ${GAPS_SECONDS[1]} seconds) and then dropped. Events that cannot be delivered within ${DROPPED_AFTER_MINUTES} ` +
    'minutes are dropped too, also while the account is suspended and nothing is delivered. There is no delivery log, ' +
    'and the order is not guaranteed. An instance has at most one such webhook; setting it again replaces it. It is ' +
    'deleted with the instance.',
  'Each event is posted as `{event, instanceId, instanceName, data}`. `event` is one of the names below, `instanceName` ' +
    'is the `instance_name` of the instance, and `data` is the same as in account webhooks, plus `event_id` and ' +
    '`event_type` (for example `instance.connected`). It never contains credentials: QRCODE only tells you that there is ' +
    'a new code, which you read with `GET …/qr`. Answer 2xx within 10 seconds.',
  [
    '| Name | Events |',
    '|---|---|',
    '| MESSAGE | message.received, message.edited, message.deleted, message.reaction |',
    '| SEND_MESSAGE | message.sent, message.failed |',
    '| READ_RECEIPT | message.delivered, message.read |',
    '| CONNECTION | instance.connecting, instance.connected, instance.disconnected, instance.auth_failed, instance.updated, instance.deleted |',
    '| QRCODE | instance.qr.updated |',
    '| CALL | call.offered, call.accepted, call.rejected, call.ended |',
    '| GROUP | group.joined, group.participants_changed, group.join_requests_changed, group.updated |',
    '| PRESENCE | presence.updated |',
    '| CONTACT | contact.updated |',
    '| ALL | every name |',
  ].join('\n'),
  'The events of CALL, GROUP, PRESENCE and CONTACT exist only here: account webhooks do not deliver them, and ' +
    '`GET /v1/events` does not list them. They are reported by the engine `smv2` while it is connected; GROUP, PRESENCE ' +
    'and CONTACT on the live network only, except for requests to join. Their `data`:',
  [
    '| Event | `data` |',
    '|---|---|',
    '| call.offered | call_id, from, timestamp, video, group_id |',
    '| call.accepted, call.rejected | call_id, from, timestamp |',
    '| call.ended | call_id, from, timestamp, reason |',
    '| group.joined | group_id, by, subject, participants |',
    '| group.participants_changed | group_id, by, action (add, remove, promote, demote, modify), participants |',
    '| group.join_requests_changed | group_id, by, action (requested, withdrawn, rejected), participants: who asks to join. Only admins are told |',
    '| group.updated | group_id, by, changes: only what changed of subject, description, announce, locked, picture |',
    '| presence.updated | chat, from, state (available, unavailable, composing, recording), last_seen_at |',
    '| contact.updated | number, name?, picture? (changed, removed) |',
  ].join('\n'),
].join('\n\n')

/** Older clients use either PUT or POST. */
const set = {
  path: '/v1/instances/{id}/webhook',
  scope: 'instances:write',
  reach: 'instance',
  body: SetBody,
  reply: { status: 200, description: 'The updated webhook.', schema: InstanceWebhook },
  errors: ['invalid_url'],
  examples: { body: BODY_EXAMPLE, reply: EXAMPLE },
} as const

/** Spec: Per-instance webhook. */
export const instanceWebhookContract = {
  setInstanceWebhook: operation({
    ...set,
    id: 'setInstanceWebhook',
    effects: ['destination'],
    method: 'PUT',
    summary: 'Set the webhook of an instance',
    description: WHAT,
    origin: 'spec',
    tool: {
      name: 'set_instance_webhook',
      title: 'Set the webhook of an instance',
      description:
        'Sets the legacy, unsigned webhook of one instance. Events are dropped after three tries. Prefer create_webhook. ' +
        'On the official engine `events` is ignored.',
      idempotent: true,
    },
  }),

  postInstanceWebhook: operation({
    ...set,
    id: 'postInstanceWebhook',
    effects: ['destination'],
    method: 'POST',
    summary: 'Set the webhook of an instance, by POST',
    description: 'The same as `PUT` on this path, for clients that use POST.',
    origin: 'ours',
    // The tool set_instance_webhook does the same.
    tool: null,
  }),

  getInstanceWebhook: operation({
    id: 'getInstanceWebhook',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/webhook',
    summary: 'Read the webhook of an instance',
    description: 'Returns the legacy webhook of this instance. Without one, `url` is `null` and `events` is empty.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The webhook.', schema: InstanceWebhook },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: {
      name: 'get_instance_webhook',
      title: 'Read the webhook of an instance',
      idempotent: true,
    },
  }),

  deleteInstanceWebhook: operation({
    id: 'deleteInstanceWebhook',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/webhook',
    summary: 'Delete the webhook of an instance',
    description: 'Deletes the legacy webhook of this instance and its pending events. Succeeds if there is none.',
    scope: 'instances:write',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'delete_instance_webhook',
      title: 'Delete the webhook of an instance',
      idempotent: true,
    },
  }),
} as const satisfies Contract
