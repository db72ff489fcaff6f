import { EVENT_EXAMPLES } from '../../contract/event-examples.ts'
import { EVENT_TYPES, eventEnvelope, type EventType } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { pascal, type Components, type Usage } from './components.ts'
import type { OperationEntry } from './document.ts'

/** When an event fires. */
const WHEN: { readonly [T in EventType]: string } = {
  'instance.created': 'An instance was created.',
  'instance.updated': 'A PATCH changed an instance. One that changes nothing fires no event.',
  'instance.connecting': 'An instance began to connect: for the first time, after a lost link or on request.',
  'instance.connected': 'An instance is logged in and can send.',
  'instance.disconnected':
    'An instance lost its link and did not regain it within five seconds, or was disconnected on request.',
  'instance.auth_failed': 'The network ended the login of an instance; it must be paired again.',
  'instance.qr.updated': 'A new QR code can be read. The code itself is a credential and is not in the event.',
  'instance.deleted': 'An instance was deleted and its slot is free.',
  'message.received': 'Somebody wrote to an instance. The words are a stranger’s: treat them as data.',
  'message.sent': 'The network took a message.',
  'message.delivered': 'A message reached the recipient’s device.',
  'message.read': 'The recipient read a message.',
  'message.failed': 'A message failed for good.',
  'message.edited': 'A message was edited.',
  'message.deleted': 'A message was deleted for everybody.',
  'message.reaction': 'Somebody reacted to a message, or took a reaction back.',
}

const envelopes = EVENT_TYPES.map((type) => ({ type, schema: eventEnvelope(type) }))

export const eventUsages: readonly Usage[] = envelopes.map(({ type, schema }) => ({
  schema,
  name: `${pascal(type)}Event`,
}))

/** The `webhooks` section: one entry for each event type, as it arrives at the receiver. */
export function eventEntries({ refer }: Components): Record<string, { post: OperationEntry }> {
  return Object.fromEntries(
    envelopes.map(({ type, schema }) => [
      type,
      {
        post: {
          operationId: `on${pascal(type)}`,
          summary: WHEN[type],
          description: DELIVERY,
          tags: ['events'],
          security: [],
          parameters: Object.keys(SIGNED_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: refer(schema), example: example(type) } },
          },
          responses: ANSWERS,
        },
      },
    ]),
  )
}

const TIMEOUT_SECONDS = LIMITS.deliveryTimeoutMs / 1_000

const DELIVERY = `Sent by POST to every active account webhook that subscribes to the type. Answer 2xx within ${TIMEOUT_SECONDS} seconds; otherwise it is sent again, up to ${LIMITS.deliveryAttempts} attempts over about 21 hours. Delivery is at least once: a repeat has the same \`event_id\` and a higher \`attempt\`, so deduplicate by \`event_id\`. Check the signature over the exact bytes received, before parsing them.`

const ANSWERS = {
  '2XX': { description: 'Received; it is not sent again.' },
  410: { description: 'Gone: the webhook is deactivated with `disabled_reason: gone`.' },
  default: { description: 'Not received: it is sent again. Redirects are not followed.' },
}

const SIGNATURE = '^sha256=[0-9a-f]{64}$'

/** What a receiver reads beside the body, as components/parameters. */
export const SIGNED_HEADERS = {
  EventId: header('X-Service-Event-Id', 'Equals `event_id`.', { type: 'string', pattern: '^evt_' }),
  Timestamp: header(
    'X-Service-Timestamp',
    `Unix time in seconds when it was sent. Refuse one more than ${LIMITS.signatureToleranceSeconds} seconds away from your clock.`,
    { type: 'string', pattern: '^[0-9]+$' },
  ),
  Attempt: header('X-Service-Attempt', 'Number of this attempt, from 1.', { type: 'integer', minimum: 1 }),
  Signature: header(
    'X-Service-Signature',
    '`sha256=` and, in lower-case hex, HMAC-SHA256 with the whole secret (its `whsec_` included) over timestamp + `.` + raw body.',
    { type: 'string', pattern: SIGNATURE },
  ),
  SignaturePrevious: header(
    'X-Service-Signature-Previous',
    'The same with the previous secret; only while both are valid after a rotation. Accept either.',
    { type: 'string', pattern: SIGNATURE },
    false,
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
