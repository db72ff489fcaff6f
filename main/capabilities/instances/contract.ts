import { Type } from 'typebox'
import {
  ChangeList,
  ConnectionView,
  ExternalRef,
  HealthView,
  InstanceName,
  InstanceRecord,
  Metadata,
  PlainList,
  QrView,
} from '../../contract/instance.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, Engine, InstanceStatus, Network, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

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

export const instancesContract = {
  createInstance: operation({
    id: 'createInstance',
    method: 'POST',
    path: '/v1/instances',
    summary: 'Create an instance',
    description:
      'Uses a free slot of the plan and never buys one (409 `no_free_slot`). Every field is optional. An `smv2` instance ' +
      'is connected by scanning its QR code (`GET …/qr`), an `official` one on the page behind its `onboarding_url`. ' +
      'With an `Idempotency-Key`, a repeat answers with the instance made the first time. Fires `instance.created`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'spec',
    idempotencyKey: true,
    body: Body({
      name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.instanceNameLength,
          description: 'For people; need not be unique. Default: `Instance N`, counted in the account.',
        }),
      ),
      engine: Type.Optional(
        Type.Enum([...Engine.enum], {
          default: 'smv2',
          description: '`smv2`: a phone paired by QR. `official`: the Cloud API of Meta.',
        }),
      ),
      network: Type.Optional(
        Type.Enum([...Network.enum], {
          description:
            '`sandbox` is simulated inside the service, `live` is the real network. Never changes. Default: the setting `network`.',
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
    tool: { name: 'create_instance', title: 'Create an instance', idempotent: false, openWorld: false },
  }),

  listInstances: operation({
    id: 'listInstances',
    method: 'GET',
    path: '/v1/instances',
    summary: 'List instances',
    description:
      `Without \`updated_since\`: \`{data, count}\`, newest first, up to ${LIMITS.plainListSize} at once; \`next_cursor\` and \`has_more\` are added ` +
      'when `limit` or `cursor` is sent or when more match. ' +
      'With `updated_since`: what changed after that moment, oldest change first, and what was deleted. Three rules keep a copy ' +
      'complete: apply `data` and `deleted` of every answer; while `has_more` is true repeat the call with `next_cursor` as ' +
      '`cursor`; then, while `deleted_has_more` is true, repeat it with `updated_since` set to the last `deleted_at` received. ' +
      'Start the next synchronisation from the latest `updated_at` or `deleted_at` received. ' +
      '`external_ref` filters `data` alone. A restricted key sees only its instances.',
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
          description: 'ISO 8601 time. Only changes after this moment; asks for the incremental form.',
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
    tool: { name: 'list_instances', title: 'List instances', idempotent: true, openWorld: false },
  }),

  getInstance: operation({
    id: 'getInstance',
    method: 'GET',
    path: '/v1/instances/{id}',
    summary: 'Read an instance',
    description: 'The instance as it stands. A deleted one is 404.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'ours',
    reply: { status: 200, description: 'The instance.', schema: InstanceRecord },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: { name: 'get_instance', title: 'Read an instance', idempotent: true, openWorld: false },
  }),

  updateInstance: operation({
    id: 'updateInstance',
    method: 'PATCH',
    path: '/v1/instances/{id}',
    summary: 'Update an instance',
    description:
      'Changes the fields that are sent. `metadata` replaces the whole object; null clears `metadata` or `external_ref`. ' +
      'What changes something fires `instance.updated`; what changes nothing answers 200, fires nothing and leaves `updated_at` as it was.',
    scope: 'instances:write',
    reach: 'instance',
    origin: 'spec',
    body: Body({
      name: Type.Optional(InstanceName),
      external_ref: Type.Optional(Nullable(ExternalRef)),
      metadata: Type.Optional(Nullable(Metadata)),
    }),
    reply: { status: 200, description: 'The instance after the change.', schema: InstanceRecord },
    errors: ['external_ref_conflict'],
    examples: {
      body: { metadata: { plan: 'platinum' } },
      reply: { ...EXAMPLE, metadata: { plan: 'platinum' }, updated_at: '2026-03-02T08:00:00.000Z' },
    },
    tool: { name: 'update_instance', title: 'Update an instance', idempotent: true, openWorld: false },
  }),

  deleteInstance: operation({
    id: 'deleteInstance',
    method: 'DELETE',
    path: '/v1/instances/{id}',
    summary: 'Delete an instance',
    description:
      'Deletes the instance and its session and frees its slot and its `external_ref`. Cannot be undone, so it needs ' +
      '`confirm=true`. Repeating it gives the same answer. Fires `instance.deleted` once.',
    scope: 'instances:write',
    reach: 'instance',
    confirm: 'always',
    reachesDeleted: true,
    destructive: true,
    origin: 'spec',
    reply: {
      status: 200,
      description: 'The same on every repeat.',
      schema: Type.Object({ id: Uuid, deleted: Type.Literal(true), deleted_at: Timestamp }),
    },
    errors: ['confirmation_required'],
    examples: { reply: { id: EXAMPLE.id, deleted: true, deleted_at: '2026-03-02T08:00:00.000Z' } },
    tool: { name: 'delete_instance', title: 'Delete an instance', idempotent: true, openWorld: true },
  }),

  getInstanceConnection: operation({
    id: 'getInstanceConnection',
    method: 'GET',
    path: '/v1/instances/{id}/connection',
    summary: 'Read the connection',
    description: 'Whether the instance is logged in and usable, and as whom. Both engines.',
    scope: 'instances:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The connection.', schema: ConnectionView },
    errors: [],
    examples: { reply: { connected: true, logged_in: true, name: 'Acme', number: '12025550123' } },
    tool: { name: 'get_instance_connection', title: 'Read the connection', idempotent: true, openWorld: false },
  }),

  getInstanceHealth: operation({
    id: 'getInstanceHealth',
    method: 'GET',
    path: '/v1/instances/{id}/health',
    summary: 'Read the health',
    description:
      'One view for both engines: link, engine, queue, webhooks, restrictions, and in `issues` what is wrong and what to do. ' +
      'Answers 200 within two seconds also when the engine is down; what is not known is null.',
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
    tool: { name: 'get_instance_health', title: 'Read the health', idempotent: true, openWorld: false },
  }),

  getInstanceQr: operation({
    id: 'getInstanceQr',
    method: 'GET',
    path: '/v1/instances/{id}/qr',
    summary: 'Read the QR code',
    description:
      'The code to scan with the phone, and always a `state` that says where pairing stands. The first read of a new ' +
      'instance starts pairing (fires `instance.connecting`); later a restart or qr/refresh does. A code lives 60 s, the ' +
      'following ones 20 s each: read again at `expires_at`. With `phone`, the number of the phone, the answer also carries ' +
      'a `pairing_code` to type in there instead. The code is a credential: never store or forward it.',
    scope: 'instances:read',
    reach: 'instance',
    engine: 'smv2',
    noStore: true,
    origin: 'spec',
    query: Type.Object({
      phone: Type.Optional(Digits),
    }),
    reply: { status: 200, description: 'Where pairing stands.', schema: QrView },
    errors: ['engine_mismatch', 'upstream_unavailable', 'service_unavailable', 'storage_full'],
    examples: { reply: QR_READY },
    tool: {
      name: 'get_instance_qr',
      title: 'Read where pairing stands',
      idempotent: true,
      openWorld: true,
      // The first read begins pairing.
      readOnly: false,
      redact: ['qr', 'pairing_code'],
    },
  }),

  refreshInstanceQr: operation({
    id: 'refreshInstanceQr',
    method: 'POST',
    path: '/v1/instances/{id}/qr/refresh',
    summary: 'Force a new QR code',
    description:
      'Starts pairing anew and answers with the QR view; fires `instance.connecting` unless pairing was under way, and ' +
      '`instance.qr.updated` for each code. An engine that still has a session may take that up instead: disconnect with ' +
      '`logout` first to pair another phone. 409 `invalid_state` while connected, reconnecting or being recreated.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    noStore: true,
    origin: 'spec',
    reply: { status: 202, description: 'Where pairing stands.', schema: QrView },
    errors: ['engine_mismatch', 'invalid_state', 'upstream_unavailable', 'service_unavailable'],
    examples: { reply: QR_READY },
    tool: {
      name: 'refresh_instance_qr',
      title: 'Force a new QR code',
      idempotent: false,
      openWorld: true,
      redact: ['qr', 'pairing_code'],
    },
  }),

  restartInstance: operation({
    id: 'restartInstance',
    method: 'POST',
    path: '/v1/instances/{id}/restart',
    summary: 'Restart an instance',
    description:
      'Ends the link and connects again with the stored session; without one, pairing begins and the QR code is read ' +
      'with `GET …/qr`. A connected instance is unusable until its link is back, usually under a second. 409 `invalid_state` while the ' +
      'instance is being recreated.\n\n' +
      'A banned instance keeps `last_disconnect_reason`, `phone_number` and `banned_until` until a pairing succeeds. If the ' +
      'attempt fails, it returns to `auth_failed` with them and fires `instance.auth_failed` again.',
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
    tool: { name: 'restart_instance', title: 'Restart an instance', idempotent: false, openWorld: true },
  }),

  disconnectInstance: operation({
    id: 'disconnectInstance',
    method: 'POST',
    path: '/v1/instances/{id}/disconnect',
    summary: 'Disconnect an instance',
    description:
      'Ends the link and stops reconnecting; a restart connects again. With `logout: true` the session is discarded too: ' +
      'the phone must be paired again, so `confirm=true` is needed. Repeating it is harmless. 409 `invalid_state` while the ' +
      'instance is being recreated.',
    scope: 'instances:write',
    reach: 'instance',
    engine: 'smv2',
    confirm: 'by-body',
    destructive: true,
    origin: 'spec',
    body: Body({
      logout: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Also discard the session. Irreversible; needs `confirm=true` in the query.',
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
    tool: { name: 'disconnect_instance', title: 'Disconnect an instance', idempotent: true, openWorld: true },
  }),

  recreateInstance: operation({
    id: 'recreateInstance',
    method: 'POST',
    path: '/v1/instances/{id}/recreate',
    summary: 'Recreate an instance',
    description: [
      'Wipes everything the instance is connected with and lets it begin as if new. Cannot be undone, so it needs `confirm=true`. Both engines, in any status.',
      '**Kept:** id, name, `instance_name`, `external_ref`, metadata, webhooks, the slot, message status records with their `Idempotency-Key`s, and recorded events. **Wiped:** the session (the network is told that the device leaves), media and caches, number and profile name, `last_connected_at`, `last_disconnect_reason` and `banned_until` (so also what is known of a ban), reconnect counts, AI memory, and a fusion, on both sides. A message still under way keeps the status it has: its receipts go to the session that is gone.',
      'The answer comes at once, with status `recreating`. Usually within a second the status is `connecting` (fires `instance.connecting`, `reason: "start"`) and pairing begins: read the QR code with `GET …/qr`, or the new `onboarding_url` of an `official` instance. No `instance.disconnected` fires for the link that ends. Until then restart, disconnect and qr/refresh answer 409 `invalid_state`. An engine out of reach is asked again until it has wiped, also after a restart of the service. Repeating the call is safe.',
    ].join('\n\n'),
    scope: 'instances:write',
    reach: 'instance',
    confirm: 'always',
    destructive: true,
    origin: 'spec',
    reply: {
      status: 202,
      description: 'Being recreated.',
      schema: Type.Object({ id: Uuid, status: Type.Literal('recreating'), pairing_required: Type.Literal(true) }),
    },
    errors: ['confirmation_required', 'service_unavailable'],
    examples: { reply: { id: EXAMPLE.id, status: 'recreating', pairing_required: true } },
    tool: {
      name: 'recreate_instance',
      title: 'Recreate an instance',
      description:
        'Wipes session, media and caches of an instance; id, name, external_ref, metadata, webhooks and messages stay. It must be paired again.',
      idempotent: false,
      openWorld: true,
      onRequest: true,
    },
  }),

  recreateInstances: operation({
    id: 'recreateInstances',
    method: 'POST',
    path: '/v1/instances/batch/recreate',
    summary: 'Recreate many instances',
    description:
      `Recreates up to ${LIMITS.batchRecreate} instances as \`POST /v1/instances/{id}/recreate\` does one. Cannot be undone, so it needs ` +
      '`confirm=true`. Each instance has a result of its own, in the order asked for: what is unknown, of another account ' +
      'or outside the list of the key is `not_found`, and the others are recreated all the same. `batch_id` names the call ' +
      'in the log of the service.',
    scope: 'instances:write',
    reach: 'instances',
    confirm: 'always',
    destructive: true,
    origin: 'spec',
    body: Body({
      instance_ids: Type.Array(Uuid, {
        minItems: 1,
        maxItems: LIMITS.batchRecreate,
        uniqueItems: true,
        description: `Ids of 1 to ${LIMITS.batchRecreate} instances, none twice.`,
      }),
    }),
    reply: {
      status: 202,
      description: 'What became of each.',
      schema: Type.Object({
        batch_id: Uuid,
        accepted: Type.Integer({ minimum: 0, description: 'How many are being recreated.' }),
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
      title: 'Recreate many instances',
      description: `Recreates up to ${LIMITS.batchRecreate} instances as recreate_instance does one; each has a result of its own.`,
      idempotent: false,
      openWorld: true,
      onRequest: true,
    },
  }),
} as const satisfies Contract
