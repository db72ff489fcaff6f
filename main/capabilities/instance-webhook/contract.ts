import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Engine, Nullable } from '../../contract/shapes.ts'

/** The names this webhook knows; `ALL` stands for every one of them. */
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

/** How often an event is tried, first try included. */
export const TRIES = 3
/** How long after a failed try the next one comes. */
export const GAPS_SECONDS = [10, 60] as const
/** What could not be delivered by then is dropped as well. */
export const DROPPED_AFTER_MINUTES = 60

const SetBody = Body({
  url: Type.String({
    minLength: 1,
    maxLength: LIMITS.webhookUrlLength,
    description:
      'Where events are posted. Must begin with https:// and lead to a public address; redirects are not followed. ' +
      'In the sandbox, `https://catcher.sandbox/{name}` is answered inside the service.',
    examples: ['https://hooks.example.com/line-1'],
  }),
  events: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 64,
      default: [...DEFAULT_NAMES],
      description:
        `Engine \`smv2\`: the names to call it for, at least one of ${EVENT_NAMES.join(', ')}; an unknown name is 400, a repeated one counts once. ` +
        'Engine `official`: ignored, all events are sent.',
      examples: [['MESSAGE', 'CONNECTION']],
    }),
  ),
})
export type SetBody = Static<typeof SetBody>

const InstanceWebhook = Type.Object({
  engine: Engine,
  url: Nullable(Type.String({ description: 'null: the instance has no such webhook.' })),
  events: Type.Array(Type.Enum([...EVENT_NAMES]), {
    description: 'What it is called for; empty when there is none, and `["ALL"]` on the engine `official`.',
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
  '**This is the older and weaker webhook.** It is not signed, so a receiver cannot tell who calls; an event is tried ' +
    `${TRIES} times (at once, after ${GAPS_SECONDS[0]} seconds and after another ${GAPS_SECONDS[1]}) and then dropped, and ` +
    `so is what could not be delivered within ${DROPPED_AFTER_MINUTES} minutes; there is no log, and the order of calls is ` +
    'not promised. Prefer an account webhook (`POST /v1/webhooks`). An instance has at most one; setting it again ' +
    'replaces it. It ends with the instance.',
  'Each event is posted as `{event, instanceId, instanceName, data}`. `event` is one of the names below, `instanceName` ' +
    'is the `instance_name` of the record, and `data` is that of the event in account webhooks, with `event_id` and ' +
    '`event_type` (for example `instance.connected`) beside it. It never holds a credential: QRCODE says that there is a ' +
    'new code, which is read with `GET …/qr`. Answer 2xx within 10 seconds.',
  [
    '| Name | Called for |',
    '|---|---|',
    '| MESSAGE | message.received, message.edited, message.deleted, message.reaction |',
    '| SEND_MESSAGE | message.sent, message.failed |',
    '| READ_RECEIPT | message.delivered, message.read |',
    '| CONNECTION | instance.connecting, instance.connected, instance.disconnected, instance.auth_failed, instance.updated, instance.deleted |',
    '| QRCODE | instance.qr.updated |',
    '| CALL, GROUP, PRESENCE, CONTACT | accepted for older programs; nothing is sent for them |',
    '| ALL | every name |',
  ].join('\n'),
].join('\n\n')

/** What PUT and POST share: programs of that time use either. */
const set = {
  approval: 'destination',
  path: '/v1/instances/{id}/webhook',
  scope: 'instances:write',
  reach: 'instance',
  body: SetBody,
  reply: { status: 200, description: 'The webhook as it is now.', schema: InstanceWebhook },
  errors: ['invalid_url'],
  examples: { body: BODY_EXAMPLE, reply: EXAMPLE },
} as const

/** Spec: Per-instance webhook. */
export const instanceWebhookContract = {
  setInstanceWebhook: operation({
    ...set,
    id: 'setInstanceWebhook',
    method: 'PUT',
    summary: 'Set the webhook of an instance',
    description: WHAT,
    origin: 'spec',
    tool: {
      name: 'set_instance_webhook',
      title: 'Set the webhook of an instance',
      description:
        'Sets the older, unsigned webhook of one instance: three tries, then dropped. Prefer create_webhook. ' +
        'On the official engine `events` is ignored.',
      idempotent: true,
      openWorld: true,
    },
  }),

  postInstanceWebhook: operation({
    ...set,
    id: 'postInstanceWebhook',
    method: 'POST',
    summary: 'Set the webhook of an instance, by POST',
    description: 'The same as `PUT` on this path, for programs that set it by POST.',
    origin: 'ours',
    // set_instance_webhook does the same.
    tool: null,
  }),

  getInstanceWebhook: operation({
    id: 'getInstanceWebhook',
    method: 'GET',
    path: '/v1/instances/{id}/webhook',
    summary: 'Read the webhook of an instance',
    description: 'The older webhook of this instance. Without one, `url` is null and `events` is empty.',
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
      openWorld: false,
    },
  }),

  deleteInstanceWebhook: operation({
    id: 'deleteInstanceWebhook',
    method: 'DELETE',
    path: '/v1/instances/{id}/webhook',
    summary: 'Delete the webhook of an instance',
    description:
      'Removes the older webhook of this instance and everything it was still to be called for. Harmless when there is none.',
    scope: 'instances:write',
    reach: 'instance',
    origin: 'spec',
    destructive: true,
    reply: { status: 204, description: 'There is none any more.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'delete_instance_webhook',
      title: 'Delete the webhook of an instance',
      idempotent: true,
      openWorld: false,
    },
  }),
} as const satisfies Contract
