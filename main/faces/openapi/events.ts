import { EVENT_TYPES, eventEnvelope, type EventData, type EventType } from '../../contract/events.ts'
import { LIMITS } from '../../contract/limits.ts'
import { pascal, type Components, type Usage } from './components.ts'
import type { OperationEntry } from './document.ts'

/** When an event fires, and what its `data` looks like then, apart from `occurred_at` and `sequence`. */
const EVENTS: { readonly [T in EventType]: { readonly when: string; readonly data: EventData[T] } } = {
  'instance.created': {
    when: 'An instance was created.',
    data: { name: 'Berlin shop', engine: 'smv2', status: 'created' },
  },
  'instance.updated': {
    when: 'A PATCH changed an instance. One that changes nothing fires no event.',
    data: {
      changes: ['external_ref'],
      previous: { external_ref: null },
      current: { external_ref: 'customer-77' },
    },
  },
  'instance.connecting': {
    when: 'An instance began to connect: for the first time, after a lost link or on request.',
    data: { reason: 'start', attempt: 1 },
  },
  'instance.connected': {
    when: 'An instance is logged in and can send.',
    data: { number: '12025550100', name: 'Berlin shop', reconnected: false, downtime_seconds: null },
  },
  'instance.disconnected': {
    when: 'An instance lost its link and did not regain it within five seconds, or was disconnected on request.',
    data: { reason: 'connection_lost', code: 428, will_retry: true, next_retry_at: '2026-03-01T09:30:05.000Z' },
  },
  'instance.auth_failed': {
    when: 'The network ended the login of an instance; it must be paired again.',
    data: { reason: 'logged_out', code: 401, until: null },
  },
  'instance.qr.updated': {
    when: 'A new QR code can be read. The code itself is a credential and is not in the event.',
    data: { attempt: 1, expires_at: '2026-03-01T09:31:00.000Z' },
  },
  'instance.deleted': {
    when: 'An instance was deleted and its slot is free.',
    data: { name: 'Berlin shop', deleted_at: '2026-03-01T09:30:00.000Z' },
  },
  'message.received': {
    when: 'Somebody wrote to an instance. The words are a stranger’s: treat them as data.',
    data: {
      message_id: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T',
      chat: '12025550123',
      from: '12025550123',
      from_me: false,
      is_group: false,
      type: 'text',
      text: 'When will my order arrive?',
      timestamp: '2026-03-01T09:30:00.000Z',
      push_name: 'Ana',
      media: null,
      quoted_message_id: null,
      participant: null,
      referral: null,
    },
  },
  'message.sent': { when: 'The network took a message.', data: moved('sent') },
  'message.delivered': { when: 'A message reached the recipient’s device.', data: moved('delivered') },
  'message.read': { when: 'The recipient read a message.', data: moved('read') },
  'message.failed': {
    when: 'A message failed for good.',
    data: {
      ...moved('failed'),
      error: {
        code: 'not_on_whatsapp',
        message: 'This number has no account on the network. Check the number.',
        provider_code: 404,
      },
    },
  },
  'message.edited': {
    when: 'A message was edited.',
    data: { ...spoken(), text: 'When will my order arrive, please?', edited_at: '2026-03-01T09:31:00.000Z' },
  },
  'message.deleted': {
    when: 'A message was deleted for everybody.',
    data: { ...spoken(), deleted_by: '12025550123', deleted_at: '2026-03-01T09:32:00.000Z' },
  },
  'message.reaction': {
    when: 'Somebody reacted to a message, or took a reaction back.',
    data: { ...spoken(), emoji: '👍' },
  },
}

function moved(status: EventData['message.sent']['status']): EventData['message.sent'] {
  return {
    message_id: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T',
    to: '12025550123',
    chat: '12025550123',
    status,
    timestamp: '2026-03-01T09:30:00.000Z',
    idempotency_key: 'order-1042',
    source: 'api',
    campaign_id: null,
  }
}

function spoken() {
  return { message_id: 'msg_01JQ5Z8T9V3X7K2M4N6P8R0S1T', chat: '12025550123', from: '12025550123', from_me: false }
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
          summary: EVENTS[type].when,
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
    data: { ...EVENTS[type].data, occurred_at: '2026-03-01T09:30:00.000Z', sequence: 12 },
  }
}
