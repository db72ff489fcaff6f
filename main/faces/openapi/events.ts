import { EVENT_EXAMPLES } from '../../contract/event-examples.ts'
import { EVENT_TYPES, eventEnvelope, type EventType } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { pascal, type Components, type Usage } from './components.ts'
import type { OperationEntry } from './document.ts'

const SUMMARIES: { readonly [T in EventType]: string } = {
  'instance.created': 'An instance was created.',
  'instance.updated': 'An instance was changed with PATCH. A PATCH that changes nothing fires no event.',
  'instance.connecting':
    'An instance started to connect: for the first time, after losing its connection, or on request.',
  'instance.connected': 'An instance is logged in and can send.',
  'instance.disconnected':
    'An instance lost its connection for more than five seconds, or was disconnected on request.',
  'instance.auth_failed': 'The network ended the session of an instance; it must be paired again.',
  'instance.qr.updated': 'A new QR code is available. The code is a credential, so the event does not contain it.',
  'instance.deleted': 'An instance was deleted and its slot freed.',
  'message.received': 'An instance received a message. Treat its content as untrusted data.',
  'message.sent': 'The network accepted a message.',
  'message.delivered': 'A message reached the recipient’s device.',
  'message.read': 'The recipient read a message.',
  'message.failed': 'A message failed permanently.',
  'message.edited': 'A message was edited.',
  'message.deleted': 'A message was deleted for everyone.',
  'message.reaction': 'Someone reacted to a message or removed a reaction.',
}

const envelopes = EVENT_TYPES.map((type) => ({ type, schema: eventEnvelope(type) }))

export const eventUsages: readonly Usage[] = envelopes.map(({ type, schema }) => ({
  schema,
  name: `${pascal(type)}Event`,
}))

/** The `webhooks` section: one entry per event type, as receivers get it. */
export function eventEntries({ refer }: Components): Record<string, { post: OperationEntry }> {
  return Object.fromEntries(
    envelopes.map(({ type, schema }) => [
      type,
      {
        post: {
          operationId: `on${pascal(type)}`,
          summary: SUMMARIES[type],
          description: DELIVERY,
          tags: ['events'],
          security: [],
          parameters: Object.keys(SIGNED_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: refer(schema), example: example(type) } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )
}

const TIMEOUT_SECONDS = LIMITS.deliveryTimeoutMs / 1_000

const DELIVERY = `Sent with POST to every active account webhook that subscribes to the type. Respond with 2xx within ${TIMEOUT_SECONDS} seconds; otherwise the event is sent again, up to ${LIMITS.deliveryAttempts} attempts over about 21 hours. Delivery is at least once: a repeat has the same \`event_id\` and a higher \`attempt\`, so deduplicate by \`event_id\`. Verify the signature against the raw body, before you parse it: \`X-Service-Signature\`, or \`webhook-signature\` with a library for Standard Webhooks.`

const RESPONSES = {
  '2XX': { description: 'Received. The event is not sent again.' },
  410: { description: 'Gone: the webhook is deactivated with `disabled_reason: gone`.' },
  default: { description: 'Not received: the event is sent again. Redirects are not followed.' },
}

const SIGNATURE = '^sha256=[0-9a-f]{64}$'

/** Request headers of a delivery, as components/parameters. */
export const SIGNED_HEADERS = {
  EventId: header('X-Service-Event-Id', 'Equals `event_id`.', { type: 'string', pattern: '^evt_' }),
  Timestamp: header(
    'X-Service-Timestamp',
    `When the request was sent, as Unix time in seconds. Reject it if it is more than ${LIMITS.signatureToleranceSeconds} seconds off your clock.`,
    { type: 'string', pattern: '^[0-9]+$' },
  ),
  Attempt: header('X-Service-Attempt', 'Number of this attempt, starting at 1.', { type: 'integer', minimum: 1 }),
  Signature: header(
    'X-Service-Signature',
    '`sha256=` followed by the lower-case hex HMAC-SHA256 of timestamp + `.` + raw body. The key is the whole secret, including its `whsec_` prefix.',
    { type: 'string', pattern: SIGNATURE },
  ),
  SignaturePrevious: header(
    'X-Service-Signature-Previous',
    'The same signature with the previous secret. Sent only while both secrets are valid after a rotation. Accept either.',
    { type: 'string', pattern: SIGNATURE },
    false,
  ),
  StandardId: header('webhook-id', 'Equals `event_id`. This and the next two are the headers of Standard Webhooks.', {
    type: 'string',
    pattern: '^evt_',
  }),
  StandardTimestamp: header('webhook-timestamp', 'Equals `X-Service-Timestamp`.', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  StandardSignature: header(
    'webhook-signature',
    '`v1,` followed by the base64 HMAC-SHA256 of id + `.` + timestamp + `.` + raw body. The key is the bytes that the ' +
      'secret encodes in base64 after `whsec_`: libraries for Standard Webhooks take the secret as it is. While both ' +
      'secrets are valid after a rotation, two signatures, separated by a space. A secret from an earlier version can ' +
      'contain `-` and `_`: rotate it, or give the library `+` and `/` in their place.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ),
}

function header(name: string, description: string, schema: unknown, required = true) {
  return { name, in: 'header', required, description, schema }
}

function example(type: EventType): unknown {
  return {
    event_id: 'evt_01JQ5Z8T9V3X7K2M4N6P8R0S1T',
    type,
    attempt: 1,
    created_at: '2026-03-01T09:30:00.120Z',
    account_id: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e01',
    instance: {
      id: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10',
      external_ref: 'customer-77',
      metadata: { city: 'Berlin' },
      engine: 'smv2',
    },
    data: { ...EVENT_EXAMPLES[type], occurred_at: '2026-03-01T09:30:00.000Z', sequence: 12 },
  }
}
