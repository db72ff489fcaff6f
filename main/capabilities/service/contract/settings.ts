import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Nullable } from '../../../contract/shapes.ts'
import { ofOperators } from './parts.ts'

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

export const settingsContract = {
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
      'after a restart. A setting from a flag or environment variable must be changed there, and the mail server where its ' +
      'password is set. Without changes, the ' +
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
} as const satisfies Contract
