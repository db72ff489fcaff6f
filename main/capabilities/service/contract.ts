import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Network, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

const ServiceRecord = Type.Object({
  version: Type.String(),
  network: Network,
  address: Type.String({ description: 'Where the API listens.' }),
  mcp_address: Type.String({ description: 'Where assistants connect.' }),
  vault: Type.Object({
    kind: Type.Enum(['keychain', 'file', 'memory']),
    state: Type.Enum(['open', 'sealed']),
    notice: Nullable(Type.String({ description: 'What a person should know about how secrets are kept.' })),
    problem: Nullable(Type.String({ description: 'Why it is sealed.' })),
  }),
  home: Type.String({ description: 'The home folder.' }),
  database_bytes: Type.Integer(),
  started_at: Timestamp,
  warnings: Type.Array(Type.String()),
  password_set: Type.Boolean({ description: 'Whether the console in a browser can be opened with a password.' }),
  limits: Type.Object({
    slots: Type.Integer({ description: 'Instances the plan allows.' }),
    rate_limit_per_minute: Type.Integer(),
    anonymous_rate_limit_per_minute: Type.Integer(),
    send_timeout_ms: Type.Integer(),
    retry_schedule_s: Type.Array(Type.Number(), { description: 'Waits before attempts 2 to 8 of a delivery.' }),
  }),
})
export type ServiceRecord = Static<typeof ServiceRecord>

const Count = Type.Integer({ minimum: 0 })

/** Beyond that it says only that there are many: nobody reads the number, and counting it would hold everybody up. */
export const COUNTED_AT_MOST = 10_000
const Counted = Type.Integer({ minimum: 0, maximum: COUNTED_AT_MOST, description: `Counted up to ${COUNTED_AT_MOST}.` })

const Overview = Type.Object({
  account: Type.Object({ id: Uuid, name: Type.String() }),
  instances: Type.Object({
    total: Count,
    by_status: Type.Record(Type.String(), Count, { description: 'Only those that occur.' }),
  }),
  webhooks: Type.Object({ total: Count, deactivated: Count }),
  deliveries: Type.Object({ pending: Counted, failed: Counted }),
  approvals: Type.Object({ pending: Count }),
})

const ToolCall = Type.Object({
  id: Type.Integer({ description: 'Rises with each call since the start.' }),
  at: Timestamp,
  key: Nullable(Type.Object({ id: Uuid, name: Type.String(), last4: Type.String() })),
  tool: Type.String(),
  status: Type.Enum(['done', 'refused', 'waiting'], {
    description: '`waiting`: a person is asked first, in the window or by the client. `refused`: nothing was done.',
  }),
  error_code: Nullable(Type.String({ description: 'Why it was refused.' })),
  ms: Type.Integer({ description: 'How long it took.' }),
  approval_id: Nullable(Type.String({ description: 'The approval it asked for, or was carried out by.' })),
})
export type ToolCallRecord = Static<typeof ToolCall>

/** About the machine it runs on: for the person who runs it. */
const ofTheConsole = { scope: null, reach: 'account', origin: 'ours', audience: 'console', tool: null } as const

export const serviceContract = {
  getService: operation({
    ...ofTheConsole,
    id: 'getService',
    method: 'GET',
    path: '/v1/service',
    summary: 'Read the service',
    description: 'What runs here, since when, where it listens, where it keeps its data, and what to know about it.',
    reply: { status: 200, description: 'The service.', schema: ServiceRecord },
    errors: [],
    examples: {
      reply: {
        version: '0.1.0',
        network: 'sandbox',
        address: 'http://127.0.0.1:4780',
        mcp_address: 'http://127.0.0.1:4780/mcp',
        vault: { kind: 'keychain', state: 'open', notice: null, problem: null },
        home: '/home/ada/.local/share/switchboard',
        database_bytes: 1_048_576,
        started_at: '2026-03-01T08:00:00.000Z',
        warnings: [],
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
    ...ofTheConsole,
    id: 'getOverview',
    method: 'GET',
    path: '/v1/console/overview',
    summary: 'Read the overview',
    description: 'How many there are of what, and what waits or has failed: the first screen of the console.',
    reply: { status: 200, description: 'The numbers.', schema: Overview },
    errors: [],
    examples: {
      reply: {
        account: { id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21', name: 'My agency' },
        instances: { total: 12, by_status: { connected: 11, qr: 1 } },
        webhooks: { total: 2, deactivated: 0 },
        deliveries: { pending: 3, failed: 1 },
        approvals: { pending: 0 },
      },
    },
  }),
  createBackup: operation({
    ...ofTheConsole,
    id: 'createBackup',
    method: 'POST',
    path: '/v1/service/backups',
    summary: 'Back the database up',
    description:
      'Copies the database, as it stands at this moment, into the folder `backups` of the home folder, and checks the ' +
      'copy before it gets its name. The key that opens the secrets in it stays in the vault.',
    reply: {
      status: 201,
      description: 'The copy.',
      schema: Type.Object({ file: Type.String({ description: 'Where it lies.' }), bytes: Type.Integer() }),
    },
    errors: ['storage_full', 'service_unavailable'],
    examples: {
      reply: {
        file: '/home/ada/.local/share/switchboard/backups/switchboard-20260301T093000Z-manual.db',
        bytes: 1_048_576,
      },
    },
  }),
  listToolCalls: operation({
    ...ofTheConsole,
    id: 'listToolCalls',
    method: 'GET',
    path: '/v1/service/tool-calls',
    summary: 'List the calls of assistants',
    description:
      'The last 200 calls of tools over MCP since the start, newest first: who called what, when, and whether it was ' +
      'done. Arguments and results are kept nowhere.',
    reply: { status: 200, description: 'The calls.', schema: Type.Object({ data: Type.Array(ToolCall) }) },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            id: 7,
            at: '2026-03-01T09:30:00.000Z',
            key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Assistant', last4: 'k3Zq' },
            tool: 'send_message',
            status: 'done',
            error_code: null,
            ms: 210,
            approval_id: null,
          },
        ],
      },
    },
  }),
  putConsolePassword: operation({
    ...ofTheConsole,
    id: 'putConsolePassword',
    method: 'PUT',
    path: '/v1/service/password',
    summary: 'Set the password of the console',
    description:
      'With it the console is opened in a browser without a code. null takes it back: from then on only codes sign in. ' +
      'Whoever is signed in stays so.',
    body: Body({
      password: Nullable(
        Type.String({
          minLength: LIMITS.passwordLength,
          maxLength: LIMITS.passwordLongest,
          description: `At least ${LIMITS.passwordLength} characters.`,
        }),
      ),
    }),
    reply: { status: 204, description: 'It holds from the next sign-in on.', schema: null },
    errors: [],
    examples: { body: { password: 'correct horse battery staple' } },
  }),
} as const satisfies Contract
