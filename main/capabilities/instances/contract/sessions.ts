import { Type } from 'typebox'
import { SessionPassphrase } from '../../../contract/instance.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Digits, Engine, InstanceStatus, Uuid } from '../../../contract/shapes.ts'
import { EXAMPLE } from './parts.ts'

export const sessionsContract = {
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
