import { Type, type Static } from 'typebox'
import { ABILITIES, LEVELS, type AbilityGroup } from '../../contract/abilities.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { Body, Engine, Network, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

const BridgeProgram = Type.Object({ command: Type.String(), args: Type.Array(Type.String()) })
export type BridgeProgram = Static<typeof BridgeProgram>

const ServiceRecord = Type.Object({
  version: Type.String(),
  network: Network,
  address: Type.String({ description: 'Where the API listens.' }),
  mcp_address: Type.String({ description: 'Where assistants connect.' }),
  mcp_bridge: Nullable(
    Type.Object(BridgeProgram.properties, {
      description: 'Starts the bridge over stdio on this computer; null: only the address is there.',
    }),
  ),
  vault: Type.Object({
    kind: Type.Enum(['keychain', 'file', 'memory']),
    state: Type.Enum(['open', 'sealed']),
    asking: Nullable(
      Type.Enum(['waiting', 'repeated', 'on_request'], {
        description:
          'How it opens while it is sealed: it is being asked, and a person may have to answer a prompt; it is asked every ' +
          '30 seconds; or only when somebody wants it, because a prompt was dismissed.',
      }),
    ),
    notice: Nullable(Type.String({ description: 'What a person should know about how secrets are kept.' })),
    problem: Nullable(Type.String({ description: 'Why it is sealed.' })),
  }),
  home: Type.String({ description: 'The home folder.' }),
  database_bytes: Type.Integer(),
  started_at: Timestamp,
  warnings: Type.Array(Type.String()),
  troubles: Type.Array(Type.String(), {
    description: 'Those of the warnings that tell of a fault, and not of how it was set up.',
  }),
  scopes: Type.Array(Type.Enum([...SCOPES]), { description: 'The scopes that at least one operation asks for.' }),
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
  account: Type.Object({
    id: Uuid,
    name: Type.String(),
    first_run: Type.Boolean({ description: 'It is still to be welcomed.' }),
  }),
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

const Assistant = Type.Object({
  key: Nullable(Type.Object({ id: Uuid, name: Type.String(), last4: Type.String() })),
  client: Type.Object({
    name: Type.String({ description: 'What the client calls itself.' }),
    version: Type.String({ description: 'Empty if the client does not say.' }),
  }),
  last_seen_at: Timestamp,
})
export type AssistantRecord = Static<typeof Assistant>

const BackupFile = Type.Object({
  name: Type.String(),
  made_at: Timestamp,
  reason: Type.String({
    description: '`manual`, `before-restore`, or `before-schema-…` for the copy made before an update.',
  }),
  bytes: Type.Integer(),
  state: Type.Enum(['usable', 'newer', 'foreign', 'unreadable'], {
    description:
      '`newer`: a later Switchboard made it. `foreign`: it is of another home folder, whose secrets cannot be opened here.',
  }),
})

const Backups = Type.Object({
  data: Type.Array(BackupFile),
  staged: Nullable(
    Type.Object(
      { name: Type.String(), asked_at: Timestamp },
      { description: 'What takes its place at the next start.' },
    ),
  ),
  restored: Nullable(
    Type.Object(
      {
        name: Type.String(),
        safety_copy: Nullable(Type.String({ description: 'The state before, as a backup of its own.' })),
        problem: Nullable(Type.String({ description: 'Why it was not done: the state before stays.' })),
      },
      { description: 'What became of a restore at this start.' },
    ),
  ),
})
export type BackupsRecord = Static<typeof Backups>

const Plain = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.Union([Type.String(), Type.Number()])),
])

const Setting = Type.Object({
  name: Type.String({ description: 'As it stands in settings.json.' }),
  value: Plain,
  usual: Plain,
  place: Type.Enum(['flag', 'environment', 'file', 'default'], { description: 'Where it was set.' }),
  where: Nullable(Type.String({ description: 'The flag, the variable, or the place in the file.' })),
  next: Nullable(Type.Object({ value: Plain }, { description: 'Written already; it counts from the next start on.' })),
  change: Nullable(
    Type.Enum(['now', 'restart'], { description: 'When a change made here counts; null: it is not made here.' }),
  ),
  range: Nullable(Type.Object({ min: Type.Number(), max: Type.Number() })),
  choices: Nullable(Type.Array(Type.String())),
})
export type SettingRecord = Static<typeof Setting>
const Settings = Type.Object({
  data: Type.Array(Setting),
  can_restart: Type.Boolean({ description: 'Whether it can be started again from here.' }),
})

const SETTING_EXAMPLE: SettingRecord = {
  name: 'rate_limit_per_minute',
  value: 600,
  usual: 600,
  place: 'default',
  where: null,
  next: null,
  change: 'now',
  range: { min: 1, max: 1_000_000 },
  choices: null,
}

const BACKUPS_EXAMPLE: BackupsRecord = {
  data: [
    {
      name: 'switchboard-20260301T093000Z-manual.db',
      made_at: '2026-03-01T09:30:00.000Z',
      reason: 'manual',
      bytes: 1_048_576,
      state: 'usable',
    },
  ],
  staged: null,
  restored: null,
}

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
        { description: '`raw`: by a payload of the Cloud API, in its own words (`cloud_api`).' },
      ),
    }),
  ),
})
export type EnginesRecord = Static<typeof Engines>

/** Whatever is in it was chosen for being harmless; its parts are for people who know the service. */
const Diagnostics = Type.Object({
  made_at: Timestamp,
  version: Type.String(),
  platform: Type.Object({
    node: Type.String(),
    sqlite: Type.String(),
    system: Type.String(),
    memory_bytes: Type.Integer(),
  }),
  service: Type.Object({}, { additionalProperties: true }),
  storage: Type.Object({}, { additionalProperties: true }),
  settings: Type.Array(Type.Object({}, { additionalProperties: true })),
  counts: Type.Object({}, { additionalProperties: true }),
  log: Type.Array(Type.Object({}, { additionalProperties: true })),
})

/** About the machine it runs on: for the person who runs it. */
const consoleOperation = { scope: null, reach: 'account', origin: 'ours', audience: 'console', tool: null } as const

export const serviceContract = {
  getService: operation({
    ...consoleOperation,
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
    ...consoleOperation,
    id: 'getOverview',
    method: 'GET',
    path: '/v1/console/overview',
    summary: 'Read the overview',
    description: 'How many there are of what, and what waits or has failed: the first screen of the console.',
    reply: { status: 200, description: 'The numbers.', schema: Overview },
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
    ...consoleOperation,
    id: 'listEngines',
    method: 'GET',
    path: '/v1/service/engines',
    summary: 'List the engines',
    description: 'Every way to a messaging network that this version has, and what each can do.',
    reply: { status: 200, description: 'The engines.', schema: Engines },
    errors: [],
    examples: { reply: { data: [] } },
  }),
  createBackup: operation({
    ...consoleOperation,
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
  listBackups: operation({
    ...consoleOperation,
    id: 'listBackups',
    method: 'GET',
    path: '/v1/service/backups',
    summary: 'List the backups',
    description:
      'The copies in the folder `backups` of the home folder, newest first, and whether each can take the place of the ' +
      'database. Each was checked when it was made, and is checked again before it is used.',
    reply: { status: 200, description: 'The copies.', schema: Backups },
    errors: [],
    examples: { reply: BACKUPS_EXAMPLE },
  }),
  restoreBackup: operation({
    ...consoleOperation,
    id: 'restoreBackup',
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/backups/{name}/restore',
    summary: 'Restore a backup',
    description:
      'Checks the copy and notes that it takes the place of the database at the next start. Until then nothing changes, ' +
      'and it can be called off. At that start the present state is copied into the backups first. Keys revoked since ' +
      'stay revoked, and who is signed in stays so.',
    confirm: 'always',
    destructive: true,
    reply: { status: 202, description: 'It is restored at the next start.', schema: Backups },
    errors: ['confirmation_required', 'invalid_state', 'storage_full'],
    examples: {
      reply: {
        ...BACKUPS_EXAMPLE,
        staged: { name: 'switchboard-20260301T093000Z-manual.db', asked_at: '2026-03-02T08:00:00.000Z' },
      },
    },
  }),
  cancelRestore: operation({
    ...consoleOperation,
    id: 'cancelRestore',
    method: 'DELETE',
    path: '/v1/service/restore',
    summary: 'Call a restore off',
    description: 'The next start goes on with the present state. Where none was asked for, nothing happens.',
    reply: { status: 204, description: 'It was called off.', schema: null },
    errors: [],
    examples: {},
  }),
  listSettings: operation({
    ...consoleOperation,
    id: 'listSettings',
    method: 'GET',
    path: '/v1/service/settings',
    summary: 'List the settings',
    description: 'What each setting is, where it was set, and whether it can be changed here. Secrets are not shown.',
    reply: { status: 200, description: 'The settings.', schema: Settings },
    errors: [],
    examples: { reply: { data: [SETTING_EXAMPLE], can_restart: true } },
  }),
  updateSettings: operation({
    ...consoleOperation,
    id: 'updateSettings',
    worksWhenFull: true,
    approval: 'destination',
    method: 'PATCH',
    path: '/v1/service/settings',
    summary: 'Change settings',
    description:
      'Writes them into settings.json of the home folder, all or none. Some count at once, the others from the next ' +
      'start on. What a flag or a variable sets is changed there.',
    body: Body({
      changes: Type.Record(Type.String({ maxLength: 100 }), Plain, {
        minProperties: 1,
        description: 'New values by name; null goes back to the default.',
      }),
    }),
    reply: { status: 200, description: 'The settings as they are now.', schema: Settings },
    errors: ['invalid_state', 'storage_full'],
    examples: {
      body: { changes: { rate_limit_per_minute: 1_200 } },
      reply: {
        data: [{ ...SETTING_EXAMPLE, value: 1_200, place: 'file', where: '"rate_limit_per_minute" in settings.json' }],
        can_restart: true,
      },
    },
  }),
  restartService: operation({
    ...consoleOperation,
    id: 'restartService',
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/restart',
    summary: 'Start the service again',
    description:
      'Finishes what is under way, closes, and starts anew with the settings as they are then. Numbers are back within ' +
      'seconds; nothing is lost.',
    reply: { status: 202, description: 'It is about to.', schema: Type.Object({}) },
    errors: ['invalid_state'],
    examples: { reply: {} },
  }),
  unlockService: operation({
    ...consoleOperation,
    id: 'unlockService',
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/unlock',
    summary: 'Have the keychain asked',
    description:
      'Asks a sealed vault for its key now, which may open a prompt on the computer that Switchboard runs on. What came of ' +
      'it stands in the `vault` of the service. Where it is open, nothing happens.',
    reply: { status: 202, description: 'It is being asked.', schema: Type.Object({}) },
    errors: [],
    examples: { reply: {} },
  }),
  getDiagnostics: operation({
    ...consoleOperation,
    id: 'getDiagnostics',
    method: 'GET',
    path: '/v1/service/diagnostics',
    summary: 'Read the diagnostics',
    description:
      'Versions, settings, counts and the last lines of the log, for somebody who helps. No names, numbers, messages, ' +
      'addresses or secrets.',
    reply: { status: 200, description: 'The diagnostics.', schema: Diagnostics },
    errors: [],
    examples: {
      reply: {
        made_at: '2026-03-01T09:30:00.000Z',
        version: '0.1.0',
        platform: { node: '24.21.0', sqlite: '3.51.3', system: 'linux x64', memory_bytes: 90_000_000 },
        service: {},
        storage: {},
        settings: [],
        counts: {},
        log: [],
      },
    },
  }),
  listToolCalls: operation({
    ...consoleOperation,
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
  listAssistants: operation({
    ...consoleOperation,
    id: 'listAssistants',
    method: 'GET',
    path: '/v1/service/assistants',
    summary: 'List connected assistants',
    description:
      'The MCP clients that have connected since the service started, most recently seen first, with the key each one ' +
      'uses. Kept in memory only.',
    reply: { status: 200, description: 'The clients.', schema: Type.Object({ data: Type.Array(Assistant) }) },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Assistant', last4: 'k3Zq' },
            client: { name: 'Claude Code', version: '2.1.0' },
            last_seen_at: '2026-03-01T09:30:00.000Z',
          },
        ],
      },
    },
  }),
  putConsolePassword: operation({
    ...consoleOperation,
    id: 'putConsolePassword',
    approval: 'access',
    method: 'PUT',
    path: '/v1/service/password',
    summary: 'Set the password of the console',
    description:
      'With it the console is opened in a browser without a code. null takes it back: from then on only codes sign in. ' +
      'Every other session ends; the one that asks goes on.',
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
