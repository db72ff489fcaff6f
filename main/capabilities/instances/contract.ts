import { Type } from 'typebox'
import {
  ChangeList,
  ConnectionView,
  ExternalRef,
  HealthView,
  InstanceName,
  InstanceRecord,
  Metadata,
  PasskeyCredential,
  PlainList,
  QrView,
  SessionPassphrase,
} from '../../contract/instance.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { SANDBOX_CREDENTIAL } from '../../contract/sandbox.ts'
import { Body, Digits, Engine, InstanceStatus, Network, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    instances: true
  }
}

const EXAMPLE: InstanceRecord = {
  id: '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a51',
  name: 'Acme support',
  instance_name: 'acme-support',
  engine: 'smv2',
  status: 'connected',
  status_since: '2026-03-01T09:31:12.478Z',
  connected: true,
  logged_in: true,
  network: 'sandbox',
  phone_number: '12025550123',
  profile_name: 'Acme',
  external_ref: 'customer-42',
  metadata: { plan: 'gold' },
  created_at: '2026-03-01T09:30:00.000Z',
  updated_at: '2026-03-01T09:31:12.480Z',
  last_connected_at: '2026-03-01T09:31:12.478Z',
  last_disconnect_reason: null,
  banned_until: null,
}

const CREATED: InstanceRecord = {
  ...EXAMPLE,
  status: 'created',
  status_since: EXAMPLE.created_at,
  connected: false,
  logged_in: false,
  phone_number: null,
  profile_name: null,
  updated_at: EXAMPLE.created_at,
  last_connected_at: null,
}

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

export const instancesContract = {
  createInstance: operation({
    id: 'createInstance',
    effects: { by: ['engine'], effects: { official: ['invitation'] }, otherwise: [] },
    method: 'POST',
    path: '/v1/instances',
    summary: 'Create an instance',
    description:
      'Uses a free slot of your plan; it never buys one (409 `no_free_slot`). Every field is optional. Connect an ' +
      '`smv2` instance by scanning its QR code (`GET …/qr`), and an `official` one on its `onboarding_url`. With ' +
      'an `Idempotency-Key`, a repeat returns the instance created the first time. Fires `instance.created`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'spec',
    idempotencyKey: true,
    body: Body({
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.instanceNameLength,
          description: 'Display name; need not be unique. Default: `Instance N`, numbered per account.',
        }),
      ),
      engine: Type.Optional(
        Type.Enum([...Engine.enum], {
          default: 'smv2',
          description: '`smv2`: a phone paired by QR code. `official`: Meta’s Cloud API.',
        }),
      ),
      network: Type.Optional(
        Type.Enum([...Network.enum], {
          description:
            '`sandbox` is simulated inside the service; `live` is the real network. Cannot be changed later. Default: the `network` setting.',
        }),
      ),
      external_ref: Type.Optional(Nullable(ExternalRef)),
      metadata: Type.Optional(Nullable(Metadata)),
    }),
    bodyOptional: true,
    reply: { status: 201, description: 'The new instance.', schema: InstanceRecord },
    errors: [
      'external_ref_conflict',
      'no_free_slot',
      'idempotency_conflict',
      'idempotency_in_progress',
      'service_unavailable',
    ],
    examples: {
      body: { name: 'Acme support', external_ref: 'customer-42', metadata: { plan: 'gold' } },
      reply: CREATED,
    },
    tool: { name: 'create_instance', title: 'Create an instance', idempotent: false },
  }),

  listInstances: operation({
    id: 'listInstances',
    effects: [],
    method: 'GET',
    path: '/v1/instances',
    summary: 'List instances',
    description: [
      `Without \`updated_since\`: \`{data, count}\`, newest first, up to ${LIMITS.plainListSize} instances. \`next_cursor\` and \`has_more\` are added when you send \`limit\` or \`cursor\`, or when more instances match.`,
      'With `updated_since`: what changed after that time, oldest change first, and what was deleted. To keep a complete copy, follow three rules: apply `data` and `deleted` of every response; while `has_more` is true, repeat the call with `next_cursor` as `cursor`; then, while `deleted_has_more` is true, repeat it with `updated_since` set to the last `deleted_at` you received. Start the next sync from the latest `updated_at` or `deleted_at` you received.',
      '`external_ref` filters `data` only. A restricted key sees only its own instances.',
    ].join('\n\n'),
    scope: 'instances:read',
    reach: 'instances',
    origin: 'spec',
    query: Type.Object({
      external_ref: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.externalRefLength,
          description: 'Only the instance with this `external_ref`.',
        }),
      ),
      updated_since: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'ISO 8601 time. Returns only changes after it, as an incremental list.',
          examples: ['2026-03-01T09:30:00.000Z'],
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LIMITS.changesPage,
          description: `Page size: 1 to ${LIMITS.pageSize}; with \`updated_since\` 1 to ${LIMITS.changesPage}, default ${LIMITS.changesPageDefault}.`,
        }),
      ),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
    }),
    reply: { status: 200, description: 'A page of instances.', schema: Type.Union([PlainList, ChangeList]) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], count: 1 } },
    tool: {
      name: 'list_instances',
      title: 'List instances',
      description: 'Instances, newest first. With `updated_since`: what changed or was deleted since then.',
      idempotent: true,
    },
  }),

  getInstance: operation({
    id: 'getInstance',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}',
    summary: 'Get an instance',
    description: 'Returns the current state of the instance. A deleted instance is 404.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'ours',
    reply: { status: 200, description: 'The instance.', schema: InstanceRecord },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: { name: 'get_instance', title: 'Get an instance', idempotent: true },
  }),

  updateInstance: operation({
    id: 'updateInstance',
    effects: [],
    method: 'PATCH',
    path: '/v1/instances/{id}',
    summary: 'Update an instance',
    description:
      'Changes the fields you send. `metadata` is replaced as a whole; null clears `metadata` or `external_ref`. A ' +
      'change fires `instance.updated`. If nothing changes, the response is 200 with the unchanged record, and no ' +
      'event fires.',
    scope: 'instances:write',
    reach: 'instance',
    origin: 'spec',
    body: Body({
      name: Type.Optional(InstanceName),
      external_ref: Type.Optional(Nullable(ExternalRef)),
      metadata: Type.Optional(Nullable(Metadata)),
    }),
    reply: { status: 200, description: 'The updated instance.', schema: InstanceRecord },
    errors: ['external_ref_conflict'],
    examples: {
      body: { metadata: { plan: 'platinum' } },
      reply: { ...EXAMPLE, metadata: { plan: 'platinum' }, updated_at: '2026-03-02T08:00:00.000Z' },
    },
    tool: { name: 'update_instance', title: 'Update an instance', idempotent: true },
  }),

  deleteInstance: operation({
    id: 'deleteInstance',
    effects: ['removal', 'connection'],
    method: 'DELETE',
    path: '/v1/instances/{id}',
    summary: 'Delete an instance',
    description:
      'Deletes the instance and its session, and frees its slot and `external_ref`. This cannot be undone, so ' +
      '`confirm=true` is required. Repeating the call returns the same response. Fires `instance.deleted` once.',
    scope: 'instances:write',
    reach: 'instance',
    confirm: 'always',
    reachesDeleted: true,
    origin: 'spec',
    reply: {
      status: 200,
      description: 'Deleted. Repeating the call returns the same response.',
      schema: Type.Object({ id: Uuid, deleted: Type.Literal(true), deleted_at: Timestamp }),
    },
    errors: ['confirmation_required'],
    examples: { reply: { id: EXAMPLE.id, deleted: true, deleted_at: '2026-03-02T08:00:00.000Z' } },
    tool: {
      name: 'delete_instance',
      title: 'Delete an instance',
      description: 'Deletes an instance and its session, and frees its slot and `external_ref`.',
      idempotent: true,
    },
  }),

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

  restartInstance: operation({
    id: 'restartInstance',
    effects: ['connection'],
    method: 'POST',
    path: '/v1/instances/{id}/restart',
    summary: 'Restart an instance',
    description: [
      'Closes the connection and reconnects with the stored session. Without a session, pairing starts: get the QR code with `GET …/qr`. A connected instance cannot send until it is back, usually within a second. 409 `invalid_state` while the instance is being recreated.',
      'A banned instance keeps `last_disconnect_reason`, `phone_number` and `banned_until` until a pairing succeeds. If the attempt fails, the instance returns to `auth_failed` with them, and `instance.auth_failed` fires again.',
    ].join('\n\n'),
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    origin: 'spec',
    reply: {
      status: 202,
      description: 'Restarting.',
      schema: Type.Object({ id: Uuid, engine: Engine, status: InstanceStatus }),
    },
    errors: ['engine_mismatch', 'invalid_state', 'upstream_unavailable', 'service_unavailable'],
    examples: { reply: { id: EXAMPLE.id, engine: 'smv2', status: 'connecting' } },
    tool: { name: 'restart_instance', title: 'Restart an instance', idempotent: false },
  }),

  importInstanceSession: operation({
    id: 'importInstanceSession',
    effects: ['removal', 'connection'],
    method: 'POST',
    path: '/v1/instances/{id}/session/import',
    summary: 'Move a session to an instance',
    description:
      'Takes up a WhatsApp session that was paired with another server, and connects with it; nobody has to scan ' +
      'again. The body has a JSON value per line: `{"name": "creds.json", "content": "…"}` for each file of a Baileys ' +
      'session folder (Evolution API, WAHA NOWEB, own scripts), or `{"passphrase": "…"}` followed by an export of ' +
      'another Switchboard. `confirm=true` says that the other server is off: two that use one session disconnect ' +
      'each other. 409 `invalid_state` if the instance already has a phone, or is part of the sandbox.',
    scope: null,
    reach: 'instance',
    engine: 'smv2',
    audience: 'console',
    role: 'operator',
    confirm: 'always',
    // The connection of the other server.
    waitsForEngine: true,
    origin: 'ours',
    bodyFile: { types: ['application/x-ndjson'], maxBytes: 64_000_000 },
    reply: {
      status: 202,
      description: 'Connecting.',
      schema: Type.Object({ id: Uuid, status: InstanceStatus, phone_number: Digits }),
    },
    errors: ['engine_mismatch', 'confirmation_required', 'invalid_state', 'sealed', 'upstream_unavailable'],
    examples: { reply: { id: EXAMPLE.id, status: 'connecting', phone_number: '12025550123' } },
    tool: null,
  }),
  exportInstanceSession: operation({
    id: 'exportInstanceSession',
    effects: ['removal', 'connection', 'access'],
    method: 'POST',
    path: '/v1/instances/{id}/session/export',
    summary: 'Export the session of an instance',
    description:
      'Disconnects the instance and returns its session, encrypted with the passphrase, to be imported into another ' +
      'Switchboard. The session stays here too: a restart takes it up again, which only makes sense if it was never ' +
      'imported elsewhere.',
    scope: null,
    reach: 'instance',
    engine: 'smv2',
    audience: 'console',
    role: 'operator',
    confirm: 'always',
    noStore: true,
    origin: 'ours',
    body: Body({ passphrase: SessionPassphrase }),
    reply: {
      status: 200,
      description: 'The instance is disconnected, and this is its session.',
      schema: Type.Object({
        id: Uuid,
        status: InstanceStatus,
        session: Type.String({ description: 'The content of the file to import elsewhere.' }),
      }),
    },
    errors: ['engine_mismatch', 'confirmation_required', 'invalid_state', 'sealed', 'upstream_unavailable'],
    examples: {
      body: { passphrase: 'correct horse battery' },
      reply: { id: EXAMPLE.id, status: 'disconnected', session: '{"switchboard_session":1,"sealed":"…"}' },
    },
    tool: null,
  }),
  disconnectInstance: operation({
    id: 'disconnectInstance',
    effects: ['removal', 'connection'],
    method: 'POST',
    path: '/v1/instances/{id}/disconnect',
    summary: 'Disconnect an instance',
    description:
      'Closes the connection and stops reconnecting; a restart connects again. With `logout: true` the session is ' +
      'discarded too. The phone must then be paired again, so `confirm=true` is required. Repeating the call is ' +
      'safe. 409 `invalid_state` while the instance is being recreated.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    confirm: 'by-body',
    origin: 'spec',
    body: Body({
      logout: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Also discard the session. Cannot be undone; requires `confirm=true` in the query.',
        }),
      ),
    }),
    bodyOptional: true,
    reply: {
      status: 200,
      description: 'Disconnected.',
      schema: Type.Object({
        id: Uuid,
        connected: Type.Literal(false),
        status: InstanceStatus,
        logged_out: Type.Boolean(),
      }),
    },
    errors: ['engine_mismatch', 'confirmation_required', 'invalid_state'],
    examples: {
      body: { logout: false },
      reply: { id: EXAMPLE.id, connected: false, status: 'disconnected', logged_out: false },
    },
    tool: {
      name: 'disconnect_instance',
      title: 'Disconnect an instance',
      description:
        'Closes the connection and stops reconnecting; a restart connects again. With `logout` the session is discarded and the phone must be paired again.',
      idempotent: true,
    },
  }),

  recreateInstance: operation({
    id: 'recreateInstance',
    effects: ['removal', 'connection'],
    method: 'POST',
    path: '/v1/instances/{id}/recreate',
    summary: 'Recreate an instance',
    description: [
      'Erases the session and everything that belongs to it, and starts over as if the instance were new. This cannot be undone, so `confirm=true` is required. Works for both engines and in any status.',
      '**Kept:** id, name, `instance_name`, `external_ref`, metadata, webhooks, the slot, message status records with their `Idempotency-Key`s, and recorded events. **Erased:** the session (the network is told that the device is leaving), media and caches, number and profile name, `last_connected_at`, `last_disconnect_reason` and `banned_until` (everything known about a ban), reconnect counts, AI memory, and a fusion, on both sides. A message in progress keeps its status: its receipts go to the old session.',
      'The response comes immediately, with status `recreating`. Usually within a second the status becomes `connecting` (fires `instance.connecting` with `reason: "start"`) and pairing starts: get the QR code with `GET …/qr`, or the new `onboarding_url` of an `official` instance. The closed connection fires no `instance.disconnected`. Until then restart, disconnect and qr/refresh answer 409 `invalid_state`. If the engine cannot be reached, the service retries until the session is erased, also after a restart. Repeating the call is safe.',
    ].join('\n\n'),
    scope: 'instances:write',
    reach: 'instance',
    confirm: 'always',
    origin: 'spec',
    reply: {
      status: 202,
      description: 'The instance is being recreated.',
      schema: Type.Object({ id: Uuid, status: Type.Literal('recreating'), pairing_required: Type.Literal(true) }),
    },
    errors: ['confirmation_required', 'service_unavailable'],
    examples: { reply: { id: EXAMPLE.id, status: 'recreating', pairing_required: true } },
    tool: {
      name: 'recreate_instance',
      title: 'Recreate an instance',
      description:
        'Erases the session, media and caches of an instance. Keeps its id, name, external_ref, metadata, webhooks ' +
        'and messages. It must be paired again.',
      idempotent: false,
      onRequest: true,
    },
  }),

  recreateInstances: operation({
    id: 'recreateInstances',
    effects: ['removal', 'connection'],
    method: 'POST',
    path: '/v1/instances/batch/recreate',
    summary: 'Recreate instances in bulk',
    description: `Recreates up to ${LIMITS.batchRecreate} instances, each as \`POST /v1/instances/{id}/recreate\` does. This cannot be undone, so \`confirm=true\` is required. Results are in the order of the request. An instance that does not exist, or that your key cannot access, is \`not_found\`; the others are still recreated. \`batch_id\` identifies the call in the service log.`,
    scope: 'instances:write',
    reach: 'instances',
    confirm: 'always',
    origin: 'spec',
    body: Body({
      instance_ids: Type.Array(Uuid, {
        minItems: 1,
        maxItems: LIMITS.batchRecreate,
        uniqueItems: true,
        description: `Ids of 1 to ${LIMITS.batchRecreate} instances, without duplicates.`,
      }),
    }),
    reply: {
      status: 202,
      description: 'One result per instance.',
      schema: Type.Object({
        batch_id: Uuid,
        accepted: Type.Integer({ minimum: 0, description: 'Number of instances being recreated.' }),
        results: Type.Array(
          Type.Union([
            Type.Object({ id: Uuid, status: Type.Literal('recreating') }),
            Type.Object({ id: Uuid, error: Type.Object({ code: Type.String(), message: Type.String() }) }),
          ]),
        ),
      }),
    },
    errors: ['confirmation_required'],
    examples: {
      body: { instance_ids: [EXAMPLE.id, '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a52'] },
      reply: {
        batch_id: '019b8d45-0f6b-7a31-8c52-6d1f2b3a4c5e',
        accepted: 1,
        results: [
          { id: EXAMPLE.id, status: 'recreating' },
          {
            id: '019b8d40-5c1e-7d2a-a6f3-0e9b8c7d6a52',
            error: { code: 'not_found', message: 'There is no instance with this id.' },
          },
        ],
      },
    },
    tool: {
      name: 'recreate_instances',
      title: 'Recreate instances in bulk',
      description: `Recreates up to ${LIMITS.batchRecreate} instances, each as recreate_instance does. Returns one result per instance.`,
      idempotent: false,
      onRequest: true,
    },
  }),
} as const satisfies Contract
