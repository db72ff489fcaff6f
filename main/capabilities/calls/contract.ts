import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable } from '../../contract/shapes.ts'

const CallSettings = Type.Object({
  reject: Type.Boolean({ description: 'Whether incoming calls are rejected. `false` for a new instance.' }),
  message: Nullable(Type.String({ description: 'The text a rejected caller receives. `null`: none.' })),
})
export type CallSettings = Static<typeof CallSettings>

const Patch = Body(
  {
    reject: Type.Optional(Type.Boolean({ description: 'Rejects incoming calls from now on.' })),
    message: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.captionLength,
          description: 'Sent to the caller after a call was rejected. `null` sends nothing.',
        }),
      ),
    ),
  },
  { description: 'The fields to change. The others stay as they are.' },
)
export type CallSettingsPatch = Static<typeof Patch>

const EXAMPLE = {
  reject: true,
  message: 'We cannot take calls on this number. Please write to us instead.',
} as const satisfies CallSettings

const common = { path: '/v1/instances/{id}/call-settings', reach: 'instance', engine: 'smv2', origin: 'ours' } as const

export const callsContract = {
  getCallSettings: operation({
    ...common,
    id: 'getCallSettings',
    effects: [],
    method: 'GET',
    summary: 'Read how calls are handled',
    description: 'Returns what happens when somebody calls the number of this instance.',
    scope: 'instances:read',
    reply: { status: 200, description: 'The settings.', schema: CallSettings },
    errors: [],
    examples: { reply: EXAMPLE },
    tool: { name: 'get_call_settings', title: 'Read how calls are handled', idempotent: true },
  }),

  updateCallSettings: operation({
    ...common,
    id: 'updateCallSettings',
    effects: ['people_later'],
    method: 'PATCH',
    summary: 'Change how calls are handled',
    description:
      'Rejects incoming calls and answers the caller with a text. Calls in groups are rejected without a text, and calls ' +
      'that were missed while the instance was disconnected get none. The text is a message like any other: its events ' +
      'fire. Calls are reported to the webhook of the instance as `CALL`.',
    scope: 'instances:write',
    body: Patch,
    reply: { status: 200, description: 'The updated settings.', schema: CallSettings },
    errors: [],
    examples: { body: { reject: true, message: EXAMPLE.message }, reply: EXAMPLE },
    tool: {
      name: 'update_call_settings',
      title: 'Change how calls are handled',
      idempotent: true,
    },
  }),
} as const satisfies Contract
