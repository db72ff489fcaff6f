import { Type } from 'typebox'
import { ConnectionView, HealthView, PasskeyCredential, QrView } from '../../../contract/instance.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { SANDBOX_CREDENTIAL } from '../../../contract/sandbox.ts'
import { Body, Digits, Timestamp } from '../../../contract/shapes.ts'
import { EXAMPLE } from './parts.ts'

const QR_READY = {
  qr: 'data:image/png;base64,iVBORw0KGgo=',
  pairing_code: null,
  state: 'ready',
  expires_at: '2026-03-01T09:31:00.000Z',
  attempt: 1,
} as const satisfies QrView

const PASSKEY_ASKED = {
  qr: null,
  pairing_code: null,
  state: 'passkey_required',
  expires_at: null,
  attempt: 1,
  passkey: {
    step: 'sign',
    options: {
      challenge: 'dGhpcyBpcyBhIGNoYWxsZW5nZSBvZiAzMiBieXRlcyE',
      timeout: 600_000,
      rpId: 'whatsapp.com',
      allowCredentials: [],
      userVerification: 'required',
    },
    origin: 'https://web.whatsapp.com',
    deadline: '2026-03-01T09:41:00.000Z',
    attempt: 1,
  },
} as const satisfies QrView

/** No assistant sees these. */
const CREDENTIALS = ['qr', 'pairing_code', 'passkey'] as const

const PASSKEY_ERRORS = ['engine_mismatch', 'invalid_state', 'upstream_unavailable', 'service_unavailable'] as const

export const connectionContract = {
  getInstanceConnection: operation({
    id: 'getInstanceConnection',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/connection',
    summary: 'Get the connection',
    description: 'Whether the instance is logged in and ready to send, and with which account. Works for both engines.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The connection.', schema: ConnectionView },
    errors: [],
    examples: { reply: { connected: true, logged_in: true, name: 'Acme', number: '12025550123' } },
    tool: { name: 'get_instance_connection', title: 'Get the connection', idempotent: true },
  }),

  getInstanceHealth: operation({
    id: 'getInstanceHealth',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/health',
    summary: 'Get the health',
    description:
      'One view for both engines: connection, engine, queue, webhooks and restrictions. `issues` lists what is ' +
      'wrong and what to do. Always answers 200 within two seconds, even when the engine is down; unknown values ' +
      'are null. `checked_at` says how fresh the figures are.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The health.', schema: HealthView },
    errors: [],
    examples: {
      reply: {
        instance_id: EXAMPLE.id,
        engine: 'smv2',
        status: 'ok',
        connected: true,
        logged_in: true,
        engine_reachable: true,
        checked_at: '2026-03-01T10:00:00.000Z',
        last_seen_at: '2026-03-01T09:59:58.120Z',
        last_message_at: '2026-03-01T09:58:00.000Z',
        latency_ms: 42,
        uptime_seconds: 1727,
        reconnects_24h: 0,
        queue: { pending: 0, oldest_seconds: null },
        webhooks: { pending: 0, failing: 0 },
        restriction: null,
        quality: null,
        issues: [],
      },
    },
    tool: { name: 'get_instance_health', title: 'Get the health', idempotent: true },
  }),

  getInstanceQr: operation({
    id: 'getInstanceQr',
    // With a number, WhatsApp asks on that phone whether to link a device.
    effects: { by: ['phone'], effects: { '': [] }, otherwise: ['people'] },
    method: 'GET',
    path: '/v1/instances/{id}/qr',
    summary: 'Get the QR code',
    description:
      'The QR code to scan, and a `state` that says how far pairing is. The first read of a new instance starts ' +
      'pairing (fires `instance.connecting`); afterwards, use restart or qr/refresh. The first code is valid for ' +
      '60 s and the following ones for 20 s each: read again at `expires_at`. Send `phone`, the number of the ' +
      'phone, to also get a `pairing_code` to type on it instead. The code is a credential: do not store or ' +
      'forward it. In state `passkey_required`, `passkey` says what the owner of the account has to do: sign its ' +
      '`options` and send the result to `POST …/passkey/response`.',
    scope: 'instances:read',
    reach: 'instance',
    engine: 'smv2',
    noStore: true,
    origin: 'spec',
    query: Type.Object({
      phone: Type.Optional(Digits),
    }),
    reply: { status: 200, description: 'The state of pairing.', schema: QrView },
    errors: ['engine_mismatch', 'upstream_unavailable', 'service_unavailable', 'storage_full'],
    examples: { reply: QR_READY },
    tool: {
      name: 'get_instance_qr',
      title: 'Get the QR code',
      description: 'The state of pairing. The first read of a new instance starts pairing.',
      idempotent: true,
      // The first read starts pairing.
      readOnly: false,
      redact: CREDENTIALS,
    },
  }),

  refreshInstanceQr: operation({
    id: 'refreshInstanceQr',
    effects: ['connection'],
    method: 'POST',
    path: '/v1/instances/{id}/qr/refresh',
    summary: 'Get a new QR code',
    description:
      'Restarts pairing and returns the QR view. Fires `instance.connecting` unless pairing is already in ' +
      'progress, and `instance.qr.updated` for each code. If the engine still has a session, it may reconnect with ' +
      'it: to pair another phone, disconnect with `logout` first. A banned instance keeps its ban until a pairing ' +
      'succeeds, as with a restart. 409 `invalid_state` while connected, reconnecting or being recreated.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    noStore: true,
    origin: 'spec',
    reply: { status: 202, description: 'The state of pairing.', schema: QrView },
    errors: ['engine_mismatch', 'invalid_state', 'upstream_unavailable', 'service_unavailable'],
    examples: { reply: QR_READY },
    tool: {
      name: 'refresh_instance_qr',
      title: 'Get a new QR code',
      description: 'Restarts pairing, with a new QR code.',
      idempotent: false,
      redact: CREDENTIALS,
    },
  }),

  answerInstancePasskey: operation({
    id: 'answerInstancePasskey',
    effects: ['access', 'connection'],
    method: 'POST',
    path: '/v1/instances/{id}/passkey/response',
    summary: 'Answer the passkey request',
    description:
      'Some accounts link a device only after their owner confirms with a passkey; the QR view is then in state ' +
      '`passkey_required`. Run `navigator.credentials.get` with `passkey.options` on a page of `passkey.origin` and ' +
      'send the result here. It is checked, passed to WhatsApp once, and never stored. 202 means WhatsApp accepted it: ' +
      'keep WhatsApp open on the phone and read the QR view. 400 `validation_error` names what is wrong with the ' +
      'answer; try again. 409 `invalid_state` if no passkey is asked for (`passkey_not_asked`) or WhatsApp has asked ' +
      'again since (`passkey_superseded`). After 502 start again with qr/refresh. On the sandbox, send the credential ' +
      'of the example.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    waitsForEngine: true,
    noStore: true,
    origin: 'ours',
    body: Body({
      attempt: Type.Integer({ minimum: 1, description: '`passkey.attempt` of the QR view.' }),
      credential: PasskeyCredential,
    }),
    reply: { status: 202, description: 'Accepted by WhatsApp. The state of pairing.', schema: QrView },
    errors: PASSKEY_ERRORS,
    examples: {
      body: {
        attempt: 1,
        credential: SANDBOX_CREDENTIAL,
      },
      reply: {
        ...PASSKEY_ASKED,
        passkey: {
          step: 'phone',
          origin: PASSKEY_ASKED.passkey.origin,
          deadline: '2026-03-01T09:33:00.000Z',
          attempt: 1,
        },
      },
    },
    // An answer links a device to the account: it must not pass through an assistant.
    tool: null,
  }),

  confirmInstancePasskey: operation({
    id: 'confirmInstancePasskey',
    effects: ['connection'],
    method: 'POST',
    path: '/v1/instances/{id}/passkey/confirm',
    summary: 'Compare the codes',
    description:
      'In step `compare` the phone shows a code of eight characters. Send whether it is the same as `passkey.code`: ' +
      'with `match: true` pairing goes on, with `match: false` it ends and nothing is linked. 409 `invalid_state` ' +
      'if there is no code to compare.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    waitsForEngine: true,
    noStore: true,
    origin: 'ours',
    body: Body({
      attempt: Type.Integer({ minimum: 1, description: '`passkey.attempt` of the QR view.' }),
      match: Type.Boolean({ description: 'A person has compared the two codes: they are the same.' }),
    }),
    reply: { status: 202, description: 'The state of pairing.', schema: QrView },
    errors: PASSKEY_ERRORS,
    examples: {
      body: { attempt: 1, match: true },
      reply: {
        ...PASSKEY_ASKED,
        passkey: {
          step: 'finishing',
          origin: PASSKEY_ASKED.passkey.origin,
          deadline: '2026-03-01T09:33:00.000Z',
          attempt: 1,
        },
      },
    },
    // Only the person who holds the phone can compare.
    tool: null,
  }),

  createInstancePasskeyLink: operation({
    id: 'createInstancePasskeyLink',
    effects: ['invitation'],
    method: 'POST',
    path: '/v1/instances/{id}/passkey/link',
    summary: 'Create a link for the owner of the account',
    description:
      'While the QR view is in state `passkey_required`: a page on which the owner of the account confirms with the ' +
      'passkey and compares the codes, without a key. It shows neither the number nor the name of the instance. The ' +
      'link ends with the confirmation, after 15 minutes at the latest, and when another one is created. Send it to the ' +
      'owner only. 409 `invalid_state` if no passkey is asked for.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    noStore: true,
    origin: 'ours',
    reply: {
      status: 201,
      description: 'The link. It is shown only here.',
      schema: Type.Object({ url: Type.String({ format: 'uri' }), expires_at: Timestamp }),
    },
    errors: ['engine_mismatch', 'invalid_state'],
    examples: {
      reply: {
        url: 'http://127.0.0.1:4780/passkey/3vJ0yV5Xq1m8dQy7nC2bR4tK6wZ9aE0sU1hL5oP8iGk',
        expires_at: '2026-03-01T09:46:00.000Z',
      },
    },
    // The link lets its holder confirm for the account, so only a person may hand it out.
    tool: null,
  }),
} as const satisfies Contract
