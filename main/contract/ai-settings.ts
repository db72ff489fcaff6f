import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Body, Nullable, Timestamp, TimeZone } from './shapes.ts'

const Clock = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', examples: ['08:00'] })
const ClockEnd = Type.String({ pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$', examples: ['18:00'] })

export const BusinessHours = Type.Object(
  {
    start: Clock,
    end: ClockEnd,
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: '1 is Monday, 7 is Sunday.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'When the agent answers. A message that arrives outside of these hours is answered when they begin, unless a ' +
      'person did so before. An end before the start is on the next day, which need not be listed in `days`. null: always.',
  },
)
export type BusinessHours = Static<typeof BusinessHours>

const settingsFields = {
  enabled: Type.Boolean({ description: 'Whether the primary agent answers the chats of this instance.' }),
  timezone: TimeZone('Of business hours, quiet hours and the days of limits.'),
  business_hours: Nullable(BusinessHours),
  debounce_seconds: Type.Integer({
    minimum: 0,
    maximum: 120,
    description: 'How long the agent waits for further messages before it answers them together.',
  }),
  max_replies_per_hour: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'Of a single chat. At the limit the agent hands over.',
  }),
  pause_on_human_minutes: Type.Integer({
    minimum: 1,
    maximum: 43_200,
    description: 'How long the agent stays silent in a chat after a person has written in it, or after it handed over.',
  }),
  ignore_groups: Type.Boolean({ description: 'true: the agent does not answer in groups.' }),
  answer_over_linked_number: Type.Boolean({
    description:
      'true: while this number cannot send, because Meta takes no payment or restricts it, the agent answers over the instance it is fused with, if that one can send. Follow-ups wait. `null` in a request: as `PATCH /v1/ai-settings` says for the account.',
  }),
}

const Handoff = Type.Object(
  {
    keywords: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: LIMITS.aiKeywords,
      uniqueItems: true,
      description: 'A message that contains one of them goes to a person. Case and accents do not matter.',
    }),
    message: Nullable(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.aiAnswerLength,
        description: 'What the person reads then. null: a polite sentence in their language.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const AiSettings = Type.Object({
  ...settingsFields,
  answer_over_linked_number_source: Type.Enum(['account', 'number'], {
    description:
      'Who decides `answer_over_linked_number`: the account, or this number, which has a setting of its own.',
  }),
  handoff: Handoff,
  updated_at: Nullable(Timestamp),
})
export type AiSettings = Static<typeof AiSettings>

export const UpdateAiSettingsBody = Body({
  enabled: Type.Optional(settingsFields.enabled),
  timezone: Type.Optional(settingsFields.timezone),
  business_hours: Type.Optional(settingsFields.business_hours),
  debounce_seconds: Type.Optional(settingsFields.debounce_seconds),
  max_replies_per_hour: Type.Optional(settingsFields.max_replies_per_hour),
  pause_on_human_minutes: Type.Optional(settingsFields.pause_on_human_minutes),
  ignore_groups: Type.Optional(settingsFields.ignore_groups),
  answer_over_linked_number: Type.Optional(Nullable(settingsFields.answer_over_linked_number)),
  handoff: Type.Optional(
    Body({
      keywords: Type.Optional(Handoff.properties.keywords),
      message: Type.Optional(Handoff.properties.message),
    }),
  ),
})
export type UpdateAiSettingsBody = Static<typeof UpdateAiSettingsBody>

const accountFields = {
  answer_over_linked_number: Type.Boolean({
    description:
      'true: while a number cannot send, because Meta takes no payment or restricts it, its agent answers over the instance it is fused with. Numbers with a setting of their own keep it.',
  }),
}
export const AccountAiSettings = Type.Object({ ...accountFields, updated_at: Nullable(Timestamp) })
export type AccountAiSettings = Static<typeof AccountAiSettings>
export const UpdateAccountAiSettingsBody = Body({
  answer_over_linked_number: Type.Optional(accountFields.answer_over_linked_number),
})
export type UpdateAccountAiSettingsBody = Static<typeof UpdateAccountAiSettingsBody>

export const QuietHours = Type.Object(
  { start: Clock, end: Clock },
  {
    additionalProperties: false,
    description: 'When no follow-up is sent; one that is due then is sent at the end. null: none.',
  },
)
export type QuietHours = Static<typeof QuietHours>

const followUpFields = {
  enabled: Type.Boolean(),
  max_followups: Type.Integer({ minimum: 0, maximum: 10, description: 'In a row, without an answer.' }),
  delays_minutes: Type.Array(Type.Integer({ minimum: 1, maximum: 43_200 }), {
    minItems: 1,
    maxItems: 10,
    description: 'How long after the last message each follow-up is sent. The last one holds for all further ones.',
  }),
  quiet_hours: Nullable(QuietHours),
  message: Nullable(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.aiAnswerLength,
      description:
        'What a follow-up says. null: the agent writes it; `builtin` asks whether the person has further questions.',
    }),
  ),
  template: Nullable(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 512 }),
        language: Type.String({ minLength: 2, maxLength: 20, examples: ['pt_BR'] }),
      },
      {
        additionalProperties: false,
        description:
          'official: an approved template without variables, for follow-ups more than 24 hours after the person’s last ' +
          'message. null: no follow-up is sent then.',
      },
    ),
  ),
}

export const FollowUp = Type.Object({ ...followUpFields, updated_at: Nullable(Timestamp) })
export type FollowUp = Static<typeof FollowUp>

export const UpdateFollowUpBody = Body({
  enabled: Type.Optional(followUpFields.enabled),
  max_followups: Type.Optional(followUpFields.max_followups),
  delays_minutes: Type.Optional(followUpFields.delays_minutes),
  quiet_hours: Type.Optional(followUpFields.quiet_hours),
  message: Type.Optional(followUpFields.message),
  template: Type.Optional(followUpFields.template),
})
export type UpdateFollowUpBody = Static<typeof UpdateFollowUpBody>
