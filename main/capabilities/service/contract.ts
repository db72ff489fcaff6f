import { Type, type Static } from 'typebox'
import { ABILITIES, LEVELS, type AbilityGroup } from '../../contract/abilities.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { SERVICE_NOTICES } from '../../contract/service-notice.ts'
import { Body, Engine, Network, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    service: true
    'tool-calls': true
    assistants: true
  }
}

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

/** Counting further would slow everything down for a number that nobody reads. */
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

const ToolCall = Type.Object({
  id: Type.Integer({ description: 'Increases with each call of the account since the service started.' }),
  at: Timestamp,
  key: Nullable(Type.Object({ id: Uuid, name: Type.String(), last4: Type.String() })),
  tool: Type.String(),
  status: Type.Enum(['done', 'refused', 'waiting'], {
    description: '`waiting`: a person must approve the call first. `refused`: nothing was done.',
  }),
  error_code: Nullable(Type.String({ description: 'Error code if it was refused.' })),
  ms: Type.Integer({ description: 'Duration in milliseconds.' }),
  approval_id: Nullable(Type.String({ description: 'The approval it requested or ran under.' })),
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

const BackupFile = Type.Object({
  name: Type.String(),
  made_at: Timestamp,
  reason: Type.String({
    description: '`manual`, `before-restore`, or `before-schema-…` for the backup made before an update.',
  }),
  bytes: Type.Integer(),
  state: Type.Enum(['usable', 'newer', 'foreign', 'unreadable'], {
    description:
      '`newer`: created by a later version. `foreign`: from another home folder, whose secrets cannot be decrypted here.',
  }),
})

const Backups = Type.Object({
  data: Type.Array(BackupFile),
  staged: Nullable(
    Type.Object(
      { name: Type.String(), asked_at: Timestamp },
      { description: 'The restore scheduled for the next start.' },
    ),
  ),
  restored: Nullable(
    Type.Object(
      {
        name: Type.String(),
        safety_copy: Nullable(
          Type.String({
            description:
              'Backup of the previous state, or the folder with its files if it was damaged; null if there was no ' +
              'database, or if the restore failed.',
          }),
        ),
        problem: Nullable(Type.String({ description: 'Why the restore failed. The previous state was kept.' })),
      },
      { description: 'The result of a restore at this start.' },
    ),
  ),
})
export type BackupsRecord = Static<typeof Backups>

const Since = Type.Integer({ minimum: 0 })
const RestorePreview = Type.Object({
  name: Type.String(),
  made_at: Timestamp,
  gone: Type.Object(
    {
      ...{ messages: Since, instances: Since, clients: Since, webhooks: Since, api_keys: Since, members: Since },
      ...{ contacts: Since, access_links: Since, ai_agents: Since, faq: Since, documents: Since, planned_calls: Since },
      ...{ voice_widgets: Since, crm_connections: Since },
    },
    { description: 'How many were created after the backup. They are not in it. What was changed since is as in it.' },
  ),
  kept: Type.Object(
    { opt_outs: Since, revocations: Since, payments: Since, transfers: Since },
    {
      description:
        'How many were added after the backup and stay. `revocations`: keys and access links that were revoked, members ' +
        'that were removed, and clients that were suspended. `transfers`: numbers given to another account.',
    },
  ),
  signed_out: Type.Integer({
    minimum: 0,
    description:
      'Numbers that were deleted since, or transferred to an account that is not in the backup. They come back signed out.',
  }),
  paused_campaigns: Type.Array(Type.Object({ campaign_id: Type.String(), name: Type.String() }), {
    description: 'Campaigns that stay paused until somebody resumes them. At most 50.',
  }),
})
export type RestorePreviewRecord = Static<typeof RestorePreview>

const Plain = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
  Type.Array(Type.Union([Type.String(), Type.Number()])),
])

const Setting = Type.Object({
  name: Type.String({ description: 'Name in settings.json.' }),
  value: Plain,
  usual: Plain,
  place: Type.Enum(['flag', 'environment', 'file', 'default'], { description: 'Where it was set.' }),
  where: Nullable(Type.String({ description: 'The flag, environment variable or place in the file.' })),
  next: Nullable(Type.Object({ value: Plain }, { description: 'Saved; takes effect after a restart.' })),
  change: Nullable(
    Type.Enum(['now', 'restart'], { description: 'When a change takes effect. Null if you cannot change it here.' }),
  ),
  range: Nullable(Type.Object({ min: Type.Number(), max: Type.Number() })),
  choices: Nullable(Type.Array(Type.String())),
})
export type SettingRecord = Static<typeof Setting>
const Settings = Type.Object({
  data: Type.Array(Setting),
  can_restart: Type.Boolean({ description: 'Whether the service can be restarted from here.' }),
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
        { description: '`raw`: only as a raw Cloud API payload (`cloud_api`).' },
      ),
    }),
  ),
})

/** Only harmless data, for people who know the service. */
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

/** About this machine, for the person who runs it. */
const consoleOperation = { scope: null, reach: 'account', origin: 'ours', audience: 'console', tool: null } as const
const ofMembers = { ...consoleOperation, role: 'member' } as const
const ofOperators = { ...consoleOperation, role: 'operator' } as const

export const serviceContract = {
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
  createBackup: operation({
    ...ofOperators,
    id: 'createBackup',
    effects: [],
    method: 'POST',
    path: '/v1/service/backups',
    summary: 'Create a backup',
    description:
      'Copies the current database into the `backups` folder of the home folder and verifies the copy. The key ' +
      'that decrypts its secrets is not included; it stays in the vault.',
    reply: {
      status: 201,
      description: 'The backup.',
      schema: Type.Object({ file: Type.String({ description: 'Path of the file.' }), bytes: Type.Integer() }),
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
    ...ofOperators,
    id: 'listBackups',
    effects: [],
    method: 'GET',
    path: '/v1/service/backups',
    summary: 'List backups',
    description:
      'The backups in the `backups` folder of the home folder, newest first, and whether each can be restored. A ' +
      'backup is verified when it is created and again before it is restored.',
    reply: { status: 200, description: 'The backups.', schema: Backups },
    errors: [],
    examples: { reply: BACKUPS_EXAMPLE },
  }),
  restoreBackup: operation({
    ...ofOperators,
    id: 'restoreBackup',
    effects: ['removal'],
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/backups/{name}/restore',
    summary: 'Restore a backup',
    description:
      'Verifies the backup and schedules it to replace the database at the next start. Nothing changes until then, ' +
      'and you can cancel. The current state is backed up first. Opt-outs, revocations, removed members, suspensions, ' +
      'payments, and what campaigns have sent are kept. Campaigns that sent since the backup stay paused. What was due in ' +
      'the backup is not sent again. `previewRestore` says what will be different.',
    confirm: 'always',
    reply: { status: 202, description: 'Scheduled for the next start.', schema: Backups },
    errors: ['confirmation_required', 'invalid_state', 'storage_full'],
    examples: {
      reply: {
        ...BACKUPS_EXAMPLE,
        staged: { name: 'switchboard-20260301T093000Z-manual.db', asked_at: '2026-03-02T08:00:00.000Z' },
      },
    },
  }),
  previewRestore: operation({
    ...ofOperators,
    id: 'previewRestore',
    effects: [],
    method: 'GET',
    path: '/v1/service/backups/{name}/restore',
    summary: 'Preview a restore',
    description: 'Compares the backup with the current database. Changes nothing.',
    reply: { status: 200, description: 'What will be different.', schema: RestorePreview },
    errors: ['invalid_state'],
    examples: {
      reply: {
        name: 'switchboard-20260301T093000Z-manual.db',
        made_at: '2026-03-01T09:30:00.000Z',
        gone: {
          ...{ messages: 412, instances: 2, clients: 0, webhooks: 1, api_keys: 0, members: 0, contacts: 14 },
          ...{ access_links: 0, ai_agents: 1, faq: 6, documents: 0, planned_calls: 2, voice_widgets: 0 },
          crm_connections: 0,
        },
        kept: { opt_outs: 3, revocations: 1, payments: 1, transfers: 1 },
        signed_out: 1,
        paused_campaigns: [{ campaign_id: 'cmp_01KE70EHG00WKWJAW8474FZSWS', name: 'March offer' }],
      },
    },
  }),
  cancelRestore: operation({
    ...ofOperators,
    id: 'cancelRestore',
    effects: [],
    method: 'DELETE',
    path: '/v1/service/restore',
    summary: 'Cancel a restore',
    description:
      'Cancels a scheduled restore: the next start uses the current database. Does nothing if no restore is ' +
      'scheduled.',
    reply: { status: 204, description: 'Canceled.', schema: null },
    errors: [],
    examples: {},
  }),
  listSettings: operation({
    ...ofOperators,
    id: 'listSettings',
    effects: [],
    method: 'GET',
    path: '/v1/service/settings',
    summary: 'List settings',
    description:
      'The value of each setting, where it was set, and whether you can change it here. Secrets are not shown.',
    reply: { status: 200, description: 'The settings.', schema: Settings },
    errors: [],
    examples: { reply: { data: [SETTING_EXAMPLE], can_restart: true } },
  }),
  updateSettings: operation({
    ...ofOperators,
    id: 'updateSettings',
    effects: ['destination'],
    worksWhenFull: true,
    method: 'PATCH',
    path: '/v1/service/settings',
    summary: 'Update settings',
    description:
      'Saves the changes to settings.json in the home folder, all or none. Some take effect immediately, others ' +
      'after a restart. A setting from a flag or environment variable must be changed there. Without changes, the ' +
      'response is 200 and nothing is written.',
    body: Body({
      changes: Type.Optional(
        Type.Record(Type.String({ maxLength: 100 }), Plain, {
          description: 'New values by name. null restores the default.',
        }),
      ),
    }),
    reply: { status: 200, description: 'The current settings.', schema: Settings },
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
    ...ofOperators,
    id: 'restartService',
    effects: [],
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/restart',
    summary: 'Restart the service',
    description:
      'Finishes work in progress, stops, and starts again with the saved settings. Numbers reconnect within ' +
      'seconds and nothing is lost.',
    reply: { status: 202, description: 'Restarting.', schema: Type.Object({}) },
    errors: ['invalid_state'],
    examples: { reply: {} },
  }),
  unlockService: operation({
    ...ofOperators,
    id: 'unlockService',
    effects: [],
    worksWhenFull: true,
    method: 'POST',
    path: '/v1/service/unlock',
    summary: 'Unlock the vault',
    description:
      'Requests the key from the keychain now, which may open a prompt on the computer that runs Switchboard. The ' +
      'result appears in `vault` of the service. Does nothing if the vault is open.',
    reply: { status: 202, description: 'The key was requested.', schema: Type.Object({}) },
    errors: [],
    examples: { reply: {} },
  }),
  getDiagnostics: operation({
    ...ofOperators,
    id: 'getDiagnostics',
    effects: [],
    method: 'GET',
    path: '/v1/service/diagnostics',
    summary: 'Get diagnostics',
    description:
      'Versions, settings, counts and the latest log lines, to share with support. Contains no names, numbers, ' +
      'messages, addresses or secrets.',
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
    ...ofMembers,
    id: 'listToolCalls',
    effects: [],
    method: 'GET',
    path: '/v1/service/tool-calls',
    summary: 'List assistant calls',
    description:
      'The last 200 MCP tool calls since the service started, newest first: who called which tool, when, and ' +
      'whether it ran. Arguments and results are not stored.',
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
    ...ofMembers,
    id: 'listAssistants',
    effects: [],
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
    ...ofOperators,
    id: 'putConsolePassword',
    effects: ['access'],
    method: 'PUT',
    path: '/v1/service/password',
    summary: 'Set the console password',
    description:
      'Lets the operator sign in to the console in a browser with a password. null removes it: only one-time links sign ' +
      'in from then on. The operator’s other sessions end, and sign-in links that were not used stop working. Members ' +
      'have passwords of their own, so the account of a client has none: 409 `invalid_state`.',
    body: Body({
      password: Nullable(
        Type.String({
          minLength: LIMITS.passwordLength,
          maxLength: LIMITS.passwordLongest,
          description: `At least ${LIMITS.passwordLength} characters.`,
        }),
      ),
    }),
    reply: { status: 204, description: 'Takes effect from the next sign-in.', schema: null },
    errors: ['invalid_state'],
    examples: { body: { password: 'correct horse battery staple' } },
  }),
} as const satisfies Contract
