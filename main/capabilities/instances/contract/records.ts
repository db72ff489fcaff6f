import { Type } from 'typebox'
import {
  ChangeList,
  ExternalRef,
  InstanceName,
  InstanceRecord,
  Metadata,
  PlainList,
} from '../../../contract/instance.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Engine, Network, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { EXAMPLE } from './parts.ts'

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

export const recordsContract = {
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
} as const satisfies Contract
