import { Type, type Static } from 'typebox'
import { ABILITIES, LEVELS, type AbilityGroup } from '../../../contract/abilities.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { SCOPES } from '../../../contract/scopes.ts'
import { SERVICE_NOTICES } from '../../../contract/service-notice.ts'
import { Engine, Network, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { ofMembers } from './parts.ts'

const BridgeProgram = Type.Object({ command: Type.String(), args: Type.Array(Type.String()) })
export type BridgeProgram = Static<typeof BridgeProgram>

const ServiceRecord = Type.Object({
  version: Type.String(),
  network: Network,
  address: Type.String({ description: 'The URL of the API.' }),
  mcp_address: Type.String({ description: 'The URL for assistants.' }),
  mcp_bridge: Nullable(
    Type.Object(BridgeProgram.properties, {
      description: 'Command that starts the stdio bridge on this computer. Null if only the URL is available.',
    }),
  ),
  vault: Type.Object({
    kind: Type.Enum(['keychain', 'file', 'memory']),
    state: Type.Enum(['open', 'sealed']),
    asking: Nullable(
      Type.Enum(['waiting', 'repeated', 'on_request'], {
        description:
          'How a sealed vault is opened. `waiting`: the keychain was asked and may be showing a prompt. `repeated`: it is ' +
          'asked every 30 seconds. `on_request`: a prompt was dismissed, so it is asked only on request.',
      }),
    ),
    notice: Nullable(Type.String({ description: 'A notice about how secrets are stored.' })),
    problem: Nullable(Type.String({ description: 'Why the vault is sealed.' })),
  }),
  home: Type.String({ description: 'Path of the home folder.' }),
  database_bytes: Type.Integer(),
  started_at: Timestamp,
  warnings: Type.Array(Type.String()),
  troubles: Type.Array(Type.String(), {
    description: 'The warnings that report a fault rather than the configuration.',
  }),
  notices: Type.Array(
    Type.Object({ code: Type.Enum([...SERVICE_NOTICES]), text: Type.String(), fault: Type.Boolean() }),
    { description: 'The warnings with their codes.' },
  ),
  scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'The scopes that at least one operation asks for.' }),
  password_set: Type.Boolean({ description: 'Whether you can sign in to the console with a password.' }),
  limits: Type.Object({
    slots: Type.Integer({ description: 'Maximum number of instances.' }),
    rate_limit_per_minute: Type.Integer(),
    anonymous_rate_limit_per_minute: Type.Integer(),
    send_timeout_ms: Type.Integer(),
    retry_schedule_s: Type.Array(Type.Number(), { description: 'Delays before delivery attempts 2 to 8.' }),
  }),
})
export type ServiceRecord = Static<typeof ServiceRecord>

const Count = Type.Integer({ minimum: 0 })

/** Counting stops here, because larger counts would be slow and are not needed. */
export const COUNTED_AT_MOST = 10_000
const Counted = Type.Integer({ minimum: 0, maximum: COUNTED_AT_MOST, description: `Counted up to ${COUNTED_AT_MOST}.` })

const Overview = Type.Object({
  account: Type.Object({
    id: Uuid,
    name: Type.String(),
    first_run: Type.Boolean({ description: 'The welcome screen was not completed yet.' }),
  }),
  instances: Type.Object({
    total: Count,
    by_status: Type.Record(Type.String(), Count, { description: 'Only statuses with at least one instance.' }),
  }),
  webhooks: Type.Object({ total: Count, deactivated: Count }),
  deliveries: Type.Object({ pending: Counted, failed: Counted }),
  approvals: Type.Object({ pending: Count }),
})

const levelsOf = (group: AbilityGroup) =>
  Type.Object(Object.fromEntries(ABILITIES[group].map((name) => [name, Type.Enum([...LEVELS])])))

const Engines = Type.Object({
  data: Type.Array(
    Type.Object({
      engine: Engine,
      network: Network,
      abilities: Type.Object(
        {
          connect: levelsOf('connect'),
          send: levelsOf('send'),
          act: levelsOf('act'),
          hear: levelsOf('hear'),
        },
        { description: '`raw`: only as a raw Cloud API payload (`cloud_api`).' },
      ),
    }),
  ),
})

export const overviewContract = {
  getService: operation({
    ...ofMembers,
    id: 'getService',
    effects: [],
    method: 'GET',
    path: '/v1/service',
    summary: 'Get the service',
    description:
      'Version, start time, addresses, storage location and warnings of this service. For members, what concerns only ' +
      'the operator is empty.',
    reply: { status: 200, description: 'The service.', schema: ServiceRecord },
    errors: [],
    examples: {
      reply: {
        version: '0.1.0',
        network: 'sandbox',
        address: 'http://127.0.0.1:4780',
        mcp_address: 'http://127.0.0.1:4780/mcp',
        mcp_bridge: {
          command: '/srv/switchboard/node_modules/node/bin/node',
          args: ['/srv/switchboard/resources/run.mjs', 'mcp'],
        },
        vault: { kind: 'keychain', state: 'open', asking: null, notice: null, problem: null },
        home: '/home/ada/.local/share/switchboard',
        database_bytes: 1_048_576,
        started_at: '2026-03-01T08:00:00.000Z',
        warnings: [],
        troubles: [],
        notices: [],
        scopes: ['instances:read', 'instances:write', 'messages:read', 'messages:send'],
        password_set: false,
        limits: {
          slots: 10_000,
          rate_limit_per_minute: 600,
          anonymous_rate_limit_per_minute: 60,
          send_timeout_ms: 20_000,
          retry_schedule_s: [10, 60, 600, 2_700, 7_200, 21_600, 43_200],
        },
      },
    },
  }),
  getOverview: operation({
    ...ofMembers,
    id: 'getOverview',
    effects: [],
    method: 'GET',
    path: '/v1/console/overview',
    summary: 'Get the overview',
    description: 'Counts for the first screen of the console: what exists, what is pending and what failed.',
    reply: { status: 200, description: 'The counts.', schema: Overview },
    errors: [],
    examples: {
      reply: {
        account: { id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21', name: 'My agency', first_run: false },
        instances: { total: 12, by_status: { connected: 11, qr: 1 } },
        webhooks: { total: 2, deactivated: 0 },
        deliveries: { pending: 3, failed: 1 },
        approvals: { pending: 0 },
      },
    },
  }),
  listEngines: operation({
    ...ofMembers,
    id: 'listEngines',
    effects: [],
    method: 'GET',
    path: '/v1/service/engines',
    summary: 'List engines',
    description: 'The engines of this version and what each supports.',
    reply: { status: 200, description: 'The engines.', schema: Engines },
    errors: [],
    examples: { reply: { data: [] } },
  }),
} as const satisfies Contract
