import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Nullable, Timestamp } from './shapes.ts'

export const RECIPIENT_STATUSES = [
  'pending',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'skipped',
  'unknown',
] as const
export type RecipientStatus = (typeof RECIPIENT_STATUSES)[number]
const RecipientStatus = Type.Enum([...RECIPIENT_STATUSES], {
  description:
    '`skipped`: deliberately not sent, see `skip_reason`. `unknown`: the network did not answer, so the message may have ' +
    'been sent; it is never sent again, and becomes `sent` if a receipt arrives.',
})

const SKIP_REASONS = ['invalid', 'suppressed', 'contacted', 'incomplete', 'too_long', 'country_refused'] as const
export type SkipReason = (typeof SKIP_REASONS)[number]
const SkipReason = Type.Enum([...SKIP_REASONS], {
  description:
    '`invalid`: the number is not on WhatsApp. `suppressed`: the person opted out of campaigns. `contacted`: you wrote to them within ' +
    '`config.skipIfContactedHours`, or the person is in the campaign under another spelling of their number. `incomplete`: a value that the message needs is ' +
    'empty. `too_long`: with their values the message is longer than the network takes. `country_refused`: Meta lets none of the numbers ' +
    'send to the country of the person.',
})

/** Why a row of a recipient list was not accepted. */
const PROBLEM_REASONS = [
  'missing',
  'not_a_number',
  'too_short',
  'too_long',
  'unknown_country',
  'invalid_number',
  'name_too_long',
  'value_too_long',
  'duplicate',
  'opted_out',
] as const
export type ProblemReason = (typeof PROBLEM_REASONS)[number]

export const RecipientCounts = Type.Object({
  accepted: Type.Integer({ minimum: 0, description: 'Rows that were added.' }),
  duplicates: Type.Integer({ minimum: 0, description: 'Rows whose number is already in the campaign.' }),
  invalid: Type.Integer({ minimum: 0, description: 'Rows without a usable number.' }),
  opted_out: Type.Integer({ minimum: 0, description: 'Rows of people who opted out.' }),
})
export type RecipientCounts = Static<typeof RecipientCounts>

export const RecipientProblem = Type.Object({
  line: Type.Integer({
    minimum: 1,
    description: 'In a CSV file, the line: the header is line 1. In JSON, the position in the array, from 1.',
  }),
  phone: Type.String({ description: 'As you sent it.' }),
  reason: Type.Enum([...PROBLEM_REASONS], {
    description:
      '`missing`: no number. `not_a_number`: contains no phone number. `too_short`, `too_long`: for its country. ' +
      '`unknown_country`: no such country code; write the number with it. `invalid_number`: cannot exist in its country. ' +
      '`name_too_long`, `value_too_long`: the name or a variable is too long. `duplicate`: the number is already in the ' +
      'campaign. `opted_out`: the person wants no campaigns.',
  }),
})
export type RecipientProblem = Static<typeof RecipientProblem>

export const RecipientProblems = Type.Array(RecipientProblem, {
  description: `The rows that were not accepted, up to ${LIMITS.campaignProblems} of them.`,
})

const VariableValues = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    {
      additionalProperties: Type.String({ maxLength: LIMITS.campaignValueLength }),
      propertyNames: Type.String({ minLength: 1, maxLength: LIMITS.campaignVariableLength }),
      maxProperties: LIMITS.campaignVariables,
      description: `Up to ${LIMITS.campaignVariables} values for variables of your own: \`{{city}}\` in a text becomes the value of \`city\`.`,
      examples: [{ city: 'São Paulo' }],
    },
  ),
)

export const NewRecipient = Type.Object(
  {
    phone: Type.String({
      maxLength: 200,
      description:
        'With or without spaces and punctuation. Without a country code, `country` of the request is assumed.',
      examples: ['+55 11 91234-5678'],
    }),
    name: Type.Optional(Nullable(Type.String({ maxLength: LIMITS.campaignNameLength }))),
    variables: Type.Optional(VariableValues),
  },
  { additionalProperties: false },
)
export type NewRecipient = Static<typeof NewRecipient>

export const CampaignRecipient = Type.Object({
  phone: Type.String({ description: 'Digits with country code.' }),
  name: Nullable(Type.String()),
  variables: VariableValues,
  status: RecipientStatus,
  instance_id: Nullable(Type.String({ format: 'uuid', description: '`null` until a number is chosen.' })),
  variation: Nullable(Type.Integer({ minimum: 1 })),
  message_id: Nullable(Type.String({ pattern: '^msg_' })),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  skip_reason: Nullable(SkipReason),
  sent_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
  read_at: Nullable(Timestamp),
  replied_at: Nullable(Timestamp),
  opted_out_at: Nullable(Timestamp),
})
export type CampaignRecipient = Static<typeof CampaignRecipient>
