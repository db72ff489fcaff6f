import { Type, type Static } from 'typebox'
import { CampaignMessage } from './campaign-message.ts'
import { Budget, BudgetInput, Spending } from './costs.ts'
import { LIMITS } from './limits.ts'
import { Nullable, Timestamp, Uuid, TimeZone } from './shapes.ts'

/** Schemas of campaigns. The operations are in capabilities/campaigns/contract.ts. */

const CAMPAIGN_STATUSES = ['draft', 'scheduled', 'running', 'paused', 'completed', 'canceled', 'failed'] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]
export const CampaignStatus = Type.Enum([...CAMPAIGN_STATUSES], {
  description:
    '`draft`: can be edited. `scheduled`: starts at `scheduled_at`. `running`, `paused`: see `pause_reason`. `completed`: ' +
    'continues only if Meta reports a missing payment for messages it had accepted. `canceled` and `failed` are final; a ' +
    'campaign fails when none of its numbers could send for 24 hours.',
})

const PAUSE_REASONS = [
  'user',
  'error_threshold',
  'restricted',
  'no_instance',
  'outside_window',
  'app_offline',
  'restored',
  'account_suspended',
  'template',
  'payment',
  'number',
  'quality',
  'messaging_limit',
  'utility_templates',
  'budget',
] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]
const PauseReason = Type.Enum([...PAUSE_REASONS], {
  description:
    'Resume it yourself after `user` (you paused it), `error_threshold` (too many sends failed), `app_offline` (the ' +
    'next message was more than 12 hours late because the service was off or the clock of its computer was set forward; it ' +
    'continues automatically if the clock is set back) and `restored` (a backup was restored: check ' +
    'the recipients with status `sent` and `unknown`; resuming skips them). After `template` (Meta has paused, disabled or ' +
    'deleted its template), `payment` (Meta takes no payment) and `number` (a number is not registered, its display name is ' +
    'not approved, or Meta asks for its PIN), mend that and resume it; nobody counts as failed because of it. A paused ' +
    'template is tried again at `next_send_at`, and the others once another message has gone through. It resumes automatically after ' +
    '`outside_window` (the sending hours begin), `no_instance` (a number connects), `restricted` (WhatsApp lifts the ' +
    'restriction on first messages, or allows new chats again), `quality` (Meta limits a number that people reported; tried again every hour), `messaging_limit` (all its numbers belong to Meta portfolios whose messaging limit is used up; it continues at `next_send_at`, or once Meta raises the limit), `utility_templates` (Meta has suspended the utility templates of the accounts of its numbers; it continues at `next_send_at`, or when Meta ends that: use a marketing template instead if it cannot wait), `budget` (the next message would exceed the budget of the campaign or the monthly budget of the account, see `budget_hold`; it continues when that is raised, and with the next month) and `account_suspended` (the agency activates the account).',
})

const Seconds = (description: string) => Type.Number({ minimum: 0, maximum: 3_600, description })
const TIME = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

const Window = Type.Object(
  {
    start: Type.String({ pattern: TIME, description: 'A time `HH:MM`, such as 08:00.', examples: ['08:00'] }),
    end: Type.String({
      pattern: `${TIME.slice(0, -1)}|^24:00$`,
      description:
        'A time `HH:MM`, such as 20:00; 24:00 is midnight. Before `start`: on the next day, which need not be listed in `days`.',
      examples: ['20:00'],
    }),
    timezone: Type.Optional(TimeZone('Default: the one of the computer the service runs on.')),
    days: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: '1 is Monday, 7 is Sunday. Default: Monday to Saturday.',
        examples: [[1, 2, 3, 4, 5, 6]],
      }),
    ),
  },
  { additionalProperties: false, description: 'When messages may be sent.' },
)
export type CampaignWindow = Static<typeof Window>

const Weights = Type.Unsafe<Record<string, number>>(
  Type.Object(
    {},
    {
      additionalProperties: Type.Integer({ minimum: 1, maximum: 100 }),
      description:
        'How often each instance is used compared to the others, by instance id: one with 2 sends twice as much as one ' +
        'with 1, which is the default.',
    },
  ),
)

const ROTATIONS = ['round_robin', 'least_used'] as const
const VARIATIONS = ['random', 'sequential'] as const

const configFields = {
  minDelay: Seconds('Shortest time in seconds between two sends of one number. Default 8. At least 2 on live smv2.'),
  maxDelay: Seconds('Longest time in seconds between two sends of one number. Default 25.'),
  pauseAfter: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Each number pauses after this many sends. `null`: no pauses. Default 50, `null` on the sandbox.',
    }),
  ),
  pauseFor: Type.Array(Type.Number({ minimum: 0, maximum: 86_400 }), {
    minItems: 2,
    maxItems: 2,
    description: 'Shortest and longest pause in seconds. Default [300, 900].',
    examples: [[300, 900]],
  }),
  hourlyLimit: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'Sends of this campaign per number and hour. `null`: no limit. Default 80, `null` on the sandbox.',
    }),
  ),
  dailyLimit: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Sends of this campaign per number and day. Default `null`: only the limits of `GET …/safety`, which live numbers ' +
        'always keep to.',
    }),
  ),
  stopOnErrorPercent: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description:
        'Pauses the campaign when this share of its last 50 sends failed, from 10 sends on. `null`: never. Default 20.',
    }),
  ),
  maxFailuresInRow: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.campaignFailuresInRow,
      description: 'Pauses the campaign after this many failures in a row. `null`: never. Default 5.',
    }),
  ),
  rotation: Type.Enum([...ROTATIONS], {
    description:
      'How recipients are spread over several numbers. `round_robin`: in turn, by weight. `least_used`: to the number that ' +
      'sent least for its weight today. A recipient keeps its number.',
  }),
  weights: Weights,
  variation: Type.Enum([...VARIATIONS], {
    description: 'How recipients are spread over several messages. Default `random`.',
  }),
  skipIfContactedHours: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 8_760,
      description:
        'Skips people any of your numbers wrote to within this time. `null`: never skips. Default 24, `null` on the sandbox.',
    }),
  ),
  checkNumbers: Type.Boolean({
    description: 'Asks the network whether a number exists before it is written to. smv2 only. Default `true`.',
  }),
  typing: Type.Boolean({ description: 'Shows “typing…” before each message. smv2 only. Default `true`.' }),
}

const BUDGET =
  'What the campaign may cost at Meta. It pauses with `budget` before a message that would exceed it. Messages count at ' +
  'the current message prices, also within the monthly allowance. `null`: any amount, which is the default.'

export const CampaignConfigInput = Type.Object(
  {
    ...Type.Partial(Type.Object(configFields)).properties,
    budget: Type.Optional(
      Nullable(Type.Object(BudgetInput.properties, { additionalProperties: false, description: BUDGET })),
    ),
    window: Type.Optional(
      Nullable(
        Type.Object(Window.properties, {
          additionalProperties: false,
          description:
            'When messages may be sent. `null`: at any time. Default 08:00 to 20:00, Monday to Saturday; at any time on the sandbox.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
)
export type CampaignConfigInput = Static<typeof CampaignConfigInput>

const CampaignConfig = Type.Object({
  ...configFields,
  budget: Nullable(Budget),
  window: Nullable(
    Type.Object({
      start: Type.String(),
      end: Type.String(),
      timezone: Type.String(),
      days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 })),
    }),
  ),
})
export type CampaignConfig = Static<typeof CampaignConfig>

export const CampaignCounts = Type.Object(
  {
    total: Type.Integer({ minimum: 0 }),
    pending: Type.Integer({ minimum: 0, description: 'Not sent yet.' }),
    sent: Type.Integer({ minimum: 0, description: 'Accepted by the network: those delivered and read included.' }),
    delivered: Type.Integer({ minimum: 0, description: 'Those read included.' }),
    read: Type.Integer({ minimum: 0 }),
    replied: Type.Integer({ minimum: 0, description: 'People who wrote back within seven days.' }),
    failed: Type.Integer({ minimum: 0 }),
    skipped: Type.Integer({ minimum: 0 }),
    unknown: Type.Integer({ minimum: 0, description: 'The network did not answer; never sent again.' }),
    opted_out: Type.Integer({ minimum: 0, description: 'People who opted out after the campaign reached them.' }),
  },
  { description: '`total` = `pending` + `sent` + `failed` + `skipped` + `unknown`.' },
)
export type CampaignCounts = Static<typeof CampaignCounts>

const INSTANCE_USES = ['ready', 'waiting', 'disconnected', 'restricted', 'removed'] as const

const CampaignInstance = Type.Object({
  instance_id: Uuid,
  sent: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  state: Type.Enum([...INSTANCE_USES], {
    description:
      '`ready`: sends, or would. `waiting`: has reached a limit or pauses, until `next_send_at`. `restricted`: writes only ' +
      'to people who wrote to it before, until `restricted_until`. `removed`: the instance was deleted.',
  }),
  restricted_until: Nullable(Timestamp),
  next_send_at: Nullable(Timestamp),
})
export type CampaignInstance = Static<typeof CampaignInstance>

const CampaignVariation = Type.Object({
  variation: Type.Integer({ minimum: 1, description: 'Position in `messages`, from 1.' }),
  sent: Type.Integer({ minimum: 0 }),
  delivered: Type.Integer({ minimum: 0 }),
  read: Type.Integer({ minimum: 0 }),
  replied: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
})
export type CampaignVariation = Static<typeof CampaignVariation>

export const PerInstance = Type.Array(CampaignInstance)
export const PerVariation = Type.Array(CampaignVariation)

const summaryFields = {
  campaign_id: Type.String({ pattern: '^cmp_' }),
  name: Type.String(),
  status: CampaignStatus,
  pause_reason: Nullable(PauseReason),
  instance_ids: Type.Array(Uuid),
  created_at: Timestamp,
  updated_at: Timestamp,
  scheduled_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  next_send_at: Nullable(
    Type.String({ format: 'date-time', description: 'When the next message leaves; `null` if none is planned.' }),
  ),
  eta: Nullable(Type.String({ format: 'date-time', description: 'When the last message is expected to leave.' })),
  counts: CampaignCounts,
}

export const CampaignSummary = Type.Object(summaryFields)
export type CampaignSummary = Static<typeof CampaignSummary>

const BUDGET_HOLDS = ['campaign', 'client'] as const

export const Campaign = Type.Object({
  ...summaryFields,
  messages: Type.Array(CampaignMessage),
  variables: Type.Array(Type.String(), {
    description: 'Names that texts may use besides `name` and `phone`: the columns of the recipient list.',
  }),
  config: CampaignConfig,
  spending: Nullable(
    Type.Object(Spending.properties, { description: 'What is spent of `config.budget`; `null` without a budget.' }),
  ),
  budget_hold: Nullable(
    Type.Enum([...BUDGET_HOLDS], {
      description:
        'Which budget a campaign with the pause reason `budget` waits for: its own, or that of its account for the month.',
    }),
  ),
  per_instance: PerInstance,
  per_variation: PerVariation,
})
export type Campaign = Static<typeof Campaign>

const RISK_SEVERITIES = ['info', 'warning', 'error'] as const

export const CampaignRisk = Type.Object({
  code: Type.String({ description: 'Stable, for programs.' }),
  severity: Type.Enum([...RISK_SEVERITIES], { description: '`error` keeps the campaign from starting.' }),
  field: Nullable(Type.String({ description: 'The field to change.' })),
  message: Type.String({ description: 'What it means and what to do.' }),
  params: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
    description: 'The figures and names in `message`, for a text of your own.',
  }),
})
export type CampaignRisk = Static<typeof CampaignRisk>
