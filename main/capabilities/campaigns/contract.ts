import { Type, type Static } from 'typebox'
import {
  Campaign,
  CampaignConfigInput,
  CampaignCounts,
  CampaignMessage,
  CampaignRecipient,
  CampaignRisk,
  CampaignStatus,
  CampaignSummary,
  NewRecipient,
  PerInstance,
  PerVariation,
  RECIPIENT_STATUSES,
  RecipientCounts,
  RecipientProblems,
} from '../../contract/campaign.ts'
import { CostTotals } from '../../contract/costs.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, Engine, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    campaigns: true
  }
}

const Name = Type.String({ minLength: 1, maxLength: LIMITS.campaignNameLength, examples: ['March offer'] })

const InstanceIds = Type.Array(Uuid, {
  minItems: 1,
  maxItems: LIMITS.campaignInstances,
  uniqueItems: true,
  description: 'The numbers that send, all on the same network. With more than one, recipients are spread over them.',
})

const Messages = Type.Array(CampaignMessage, {
  minItems: 1,
  maxItems: LIMITS.campaignMessages,
  description: `1 to ${LIMITS.campaignMessages} variations. Each recipient gets one of them.`,
})

const Recipients = Type.Array(NewRecipient, {
  minItems: 1,
  maxItems: LIMITS.campaignRecipients,
  description: `Up to ${LIMITS.campaignRecipients} people. Import longer lists as CSV.`,
})

const RecipientsTag = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Adds every contact with this tag, as it is now.',
})

const ScheduledAt = Type.String({
  format: 'date-time',
  description: `When it starts: a time in the future, at most ${LIMITS.campaignDaysAhead} days ahead.`,
  examples: ['2026-03-02T12:00:00.000Z'],
})

const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'Two-letter country of numbers that are written without a country code. Default: the one in settings.',
  examples: ['BR'],
})

const draftFields = {
  messages: Type.Optional(Messages),
  recipients: Type.Optional(Recipients),
  recipients_tag: Type.Optional(RecipientsTag),
  country: Type.Optional(Country),
  config: Type.Optional(CampaignConfigInput),
}

export const CreateCampaignBody = Body(
  {
    instance_ids: InstanceIds,
    name: Name,
    ...draftFields,
    scheduled_at: Type.Optional(ScheduledAt),
    start: Type.Optional(
      Type.Boolean({
        description:
          '`true`: starts immediately, or at `scheduled_at`. Default: `true` with `scheduled_at`, else `false`, which keeps ' +
          'it as a draft.',
      }),
    ),
  },
  { description: 'A draft may leave out `messages` and recipients; to start, it needs both.' },
)
export type CreateCampaignBody = Static<typeof CreateCampaignBody>

export const UpdateCampaignBody = Body(
  {
    instance_ids: Type.Optional(InstanceIds),
    name: Type.Optional(Name),
    messages: Type.Optional(
      Type.Array(CampaignMessage, { maxItems: LIMITS.campaignMessages, description: 'Replaces all of them.' }),
    ),
    recipients: Type.Optional(
      Type.Array(NewRecipient, {
        maxItems: LIMITS.campaignRecipients,
        description: 'Replaces the whole list; `[]` empties it.',
      }),
    ),
    recipients_tag: Type.Optional(RecipientsTag),
    country: Type.Optional(Country),
    config: Type.Optional(CampaignConfigInput),
    scheduled_at: Type.Optional(Nullable(ScheduledAt)),
  },
  { description: 'Only the fields to change. `config` replaces the whole configuration.' },
)
export type UpdateCampaignBody = Static<typeof UpdateCampaignBody>

export const PreviewCampaignBody = Body(
  {
    campaign_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'A campaign whose fields are used wherever the body has none, its recipients included.',
      }),
    ),
    instance_ids: Type.Optional(InstanceIds),
    name: Type.Optional(Name),
    ...draftFields,
    scheduled_at: Type.Optional(ScheduledAt),
    start: Type.Optional(Type.Boolean()),
  },
  { description: 'The body of `POST /v1/campaigns`, a `campaign_id`, or both.' },
)
export type PreviewCampaignBody = Static<typeof PreviewCampaignBody>

const importFields = { recipients: RecipientCounts, problems: RecipientProblems }

const CreateReply = Type.Object({
  campaign_id: Type.String({ pattern: '^cmp_' }),
  status: CampaignStatus,
  ...importFields,
})
export type CreateReply = Static<typeof CreateReply>

const UpdateReply = Type.Object({ ...Campaign.properties, ...importFields })

const Sample = Type.Object({
  phone: Type.String(),
  name: Nullable(Type.String()),
  instance_id: Nullable(Uuid),
  variation: Type.Integer({ minimum: 1 }),
  text: Type.String({ description: 'As it is sent: the caption, if the message is a file.' }),
  media_url: Nullable(Type.String()),
  media_type: Nullable(Type.String()),
  buttons: Type.Array(Type.String(), {
    description: 'Shown as buttons. Empty where they became a numbered list in `text`.',
  }),
  payload: Nullable(Type.Object({}, { additionalProperties: true, description: 'For `cloud_api`.' })),
})

const DayLoad = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD in the time zone of the sending hours.' }),
  sends: Type.Integer({ minimum: 0 }),
})

const InstanceLoad = Type.Object({
  instance_id: Uuid,
  name: Type.String(),
  connected: Type.Boolean(),
  recipients: Type.Integer({ minimum: 0 }),
  first_contacts: Type.Integer({ minimum: 0, description: 'People who never wrote to this number.' }),
  finishes_at: Nullable(Timestamp),
  days: Type.Array(DayLoad, { description: 'Planned sends of each day, up to 60 days.' }),
})

const PreviewReply = Type.Object({
  can_start: Type.Boolean({ description: 'Whether `start` would be accepted. If not, `risks` has the errors.' }),
  ...importFields,
  total: Type.Integer({ minimum: 0, description: 'People who would get a message.' }),
  recently_contacted: Type.Integer({
    minimum: 0,
    description:
      'Of these, people whom `skipIfContactedHours` would skip if their turn came now. At most a minute behind.',
  }),
  samples: Type.Array(Sample, { description: 'What the first recipients would get: at least one of each variation.' }),
  variables: Type.Array(Type.String(), { description: 'Variables that the recipients have.' }),
  cost: Nullable(
    Type.Object(CostTotals.properties, {
      description:
        'What Meta would charge today, if every message is delivered. `null`: no number of the campaign is charged.',
    }),
  ),
  starts_at: Nullable(Timestamp),
  eta: Nullable(Type.String({ format: 'date-time', description: 'When the last message is expected to leave.' })),
  duration_seconds: Nullable(Type.Integer({ minimum: 0 })),
  per_instance: Type.Array(InstanceLoad),
  risks: Type.Array(CampaignRisk),
})
export type PreviewReply = Static<typeof PreviewReply>

/** Of the report as CSV. */
export const CSV_COLUMNS = [
  ...['phone', 'name', 'status', 'instance_id', 'variation', 'message_id'],
  ...['sent_at', 'delivered_at', 'read_at', 'replied_at', 'error_code'],
] as const

const Failure = Type.Object({
  reason: Type.String({ description: 'The error code, or the reason it was skipped.' }),
  count: Type.Integer({ minimum: 1 }),
})

const TimelinePoint = Type.Object({
  at: Timestamp,
  sent: Type.Integer({ minimum: 0 }),
  delivered: Type.Integer({ minimum: 0 }),
  read: Type.Integer({ minimum: 0 }),
  replied: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
})

const Timeline = Type.Object(
  {
    seconds: Type.Integer({ minimum: 60, description: 'How long each span is.' }),
    points: Type.Array(TimelinePoint, {
      description: 'At most 60 spans without gaps, each with its beginning and what happened in it.',
    }),
  },
  { description: 'Only with `timeline=true`.' },
)
export type Timeline = Static<typeof Timeline>

const Report = Type.Object({
  campaign_id: Type.String({ pattern: '^cmp_' }),
  counts: CampaignCounts,
  per_instance: PerInstance,
  per_variation: PerVariation,
  failures: Type.Array(Failure, { description: 'Why messages failed or were skipped, most frequent first.' }),
  timeline: Type.Optional(Timeline),
})
export type Report = Static<typeof Report>

const TestReply = Type.Object({
  engine: Engine,
  sent: Type.Boolean(),
  message_id: Type.String({ pattern: '^msg_' }),
  instance_id: Uuid,
  variation: Type.Integer({ minimum: 1 }),
})
export type TestReply = Static<typeof TestReply>

const CAMPAIGN = 'cmp_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'
const INSTANCE = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'

const COUNTS_EXAMPLE = {
  ...{ total: 2, pending: 1, sent: 1, delivered: 1, read: 0, replied: 0, failed: 0, skipped: 0, unknown: 0 },
  opted_out: 0,
} as const satisfies CampaignCounts

const SUMMARY_EXAMPLE = {
  campaign_id: CAMPAIGN,
  name: 'March offer',
  status: 'running',
  pause_reason: null,
  instance_ids: [INSTANCE],
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:30:00.000Z',
  scheduled_at: null,
  started_at: '2026-03-01T09:30:00.000Z',
  finished_at: null,
  next_send_at: '2026-03-01T09:30:17.000Z',
  eta: '2026-03-01T09:30:17.000Z',
  counts: COUNTS_EXAMPLE,
}

const PER_INSTANCE_EXAMPLE = [
  {
    instance_id: INSTANCE,
    ...{ sent: 1, failed: 0, state: 'ready' },
    restricted_until: null,
    next_send_at: '2026-03-01T09:30:17.000Z',
  } as const,
]

const PER_VARIATION_EXAMPLE = [{ variation: 1, sent: 1, delivered: 1, read: 0, replied: 0, failed: 0 }]

const BUDGET_EXAMPLE = { amount_micros: 50_000_000, currency: 'usd', warn_percent: 80 }

const CAMPAIGN_EXAMPLE = {
  ...SUMMARY_EXAMPLE,
  status: 'running',
  messages: [{ text: '{Hi|Hello} {{name|there}}, 20% off until Friday in {{city}}.' }],
  variables: ['city'],
  config: {
    ...{ minDelay: 8, maxDelay: 25, pauseAfter: 50, pauseFor: [300, 900], hourlyLimit: 80, dailyLimit: null },
    window: { start: '08:00', end: '20:00', timezone: 'America/Sao_Paulo', days: [1, 2, 3, 4, 5, 6] },
    ...{ stopOnErrorPercent: 20, maxFailuresInRow: 5, rotation: 'round_robin', weights: {}, variation: 'random' },
    ...{ skipIfContactedHours: 24, checkNumbers: true, typing: true, budget: BUDGET_EXAMPLE },
  },
  spending: { spent_micros: 3_400, held_micros: 0, unknown_messages: 0, state: 'below' },
  budget_hold: null,
  per_instance: PER_INSTANCE_EXAMPLE,
  per_variation: PER_VARIATION_EXAMPLE,
} as const

const DRAFT_EXAMPLE = {
  ...CAMPAIGN_EXAMPLE,
  ...{ status: 'draft', started_at: null, next_send_at: null, eta: null },
  counts: { ...COUNTS_EXAMPLE, pending: 2, sent: 0, delivered: 0 },
  per_instance: [{ ...PER_INSTANCE_EXAMPLE[0], sent: 0, next_send_at: null }],
  per_variation: [{ ...PER_VARIATION_EXAMPLE[0], sent: 0, delivered: 0 }],
} as const

const IMPORT_EXAMPLE = {
  recipients: { accepted: 2, duplicates: 0, invalid: 1, opted_out: 0 },
  problems: [{ line: 3, phone: '12', reason: 'too_short' }],
} as const

const CREATE_EXAMPLE = {
  instance_ids: [INSTANCE],
  name: 'March offer',
  messages: [{ text: '{Hi|Hello} {{name|there}}, 20% off until Friday in {{city}}.' }],
  recipients: [
    { phone: '+55 11 91234-5678', name: 'Ana', variables: { city: 'São Paulo' } },
    { phone: '12025550123', variables: { city: 'Boston' } },
  ],
  config: { minDelay: 8, maxDelay: 25 },
  start: true,
}

const RECIPIENT_EXAMPLE = {
  phone: '5511912345678',
  name: 'Ana',
  variables: { city: 'São Paulo' },
  status: 'delivered',
  instance_id: INSTANCE,
  variation: 1,
  message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  error: null,
  skip_reason: null,
  sent_at: '2026-03-01T09:30:00.200Z',
  delivered_at: '2026-03-01T09:30:01.100Z',
  read_at: null,
  replied_at: null,
  opted_out_at: null,
} as const satisfies CampaignRecipient

const reads = { scope: 'dispatch:read', reach: 'instances' } as const
const manages = { scope: 'dispatch:manage', reach: 'instances' } as const

const RESTRICTED =
  'A restricted key reaches a campaign only if all its instances are in the key’s list; otherwise the answer is 404.'

const action = { ...manages, method: 'POST' } as const
const actionReply = (description: string) => ({ status: 200, description, schema: Campaign }) as const

export const campaignsContract = {
  createCampaign: operation({
    ...manages,
    id: 'createCampaign',
    effects: ['people'],
    method: 'POST',
    path: '/v1/campaigns',
    summary: 'Create a campaign',
    description: [
      'Sends one of several messages to many people, from one number or spread over several, at a safe pace. By default it is a draft: you can edit it, add recipients, preview it and then start it. With `start: true` it starts immediately.',
      'Recipients are accepted row by row: `problems` names those that were not, and the others are kept. If every row is invalid, nothing is stored and the answer is 400. People on the opt-out list and repeated numbers are never added.',
      'On live numbers the campaign keeps to sending hours, pauses and hourly limits by default, and to the limits of `GET …/safety` always. On the sandbox only the limits in `config` apply.',
      'A started campaign goes on after a restart of the service. Nobody gets a message twice: a send whose outcome is unknown after a crash is never repeated.',
    ].join('\n\n'),
    idempotencyKey: true,
    origin: 'spec',
    body: CreateCampaignBody,
    reply: { status: 201, description: 'The campaign was created.', schema: CreateReply },
    errors: ['not_found', 'engine_mismatch', 'invalid_url'],
    examples: { body: CREATE_EXAMPLE, reply: { campaign_id: CAMPAIGN, status: 'running', ...IMPORT_EXAMPLE } },
    tool: {
      name: 'create_campaign',
      title: 'Create a campaign',
      description:
        'Creates a bulk message to many people. Keep start false, preview it, and show the person the preview before you start it.',
      idempotent: false,
      onRequest: true,
    },
  }),

  listCampaigns: operation({
    ...reads,
    id: 'listCampaigns',
    effects: [],
    method: 'GET',
    path: '/v1/campaigns',
    summary: 'List campaigns',
    description:
      'Newest first, with their counts. A restricted key sees the campaigns whose instances are all in its list.',
    origin: 'ours',
    query: Type.Object({
      status: Type.Optional(CampaignStatus),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of campaigns.', schema: List(CampaignSummary) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [SUMMARY_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { name: 'list_campaigns', title: 'List campaigns', idempotent: true, onRequest: true },
  }),

  getCampaign: operation({
    ...reads,
    id: 'getCampaign',
    effects: [],
    method: 'GET',
    path: '/v1/campaigns/{id}',
    summary: 'Read a campaign',
    description: `Its messages, configuration, state and counts. ${RESTRICTED}`,
    origin: 'spec',
    reply: { status: 200, description: 'The campaign.', schema: Campaign },
    errors: [],
    examples: { reply: CAMPAIGN_EXAMPLE },
    tool: { name: 'get_campaign', title: 'Read a campaign', idempotent: true, onRequest: true },
  }),

  updateCampaign: operation({
    ...manages,
    id: 'updateCampaign',
    // A campaign that waits for a budget continues with a new one.
    effects: {
      by: ['config.budget'],
      effects: { '': ['people_later'] },
      otherwise: ['people_later', 'people', 'money'],
    },
    method: 'PATCH',
    path: '/v1/campaigns/{id}',
    summary: 'Change a draft campaign',
    description:
      'Changes the given fields of a draft. `scheduled_at` only sets the time: `start` then schedules the campaign. For a ' +
      'scheduled campaign, `scheduled_at` alone can be changed, and `null` makes it a draft again. Until it has ended, ' +
      '`config` with `budget` alone sets its budget, and `null` removes it; a campaign that waits for its budget continues ' +
      'if the new one covers its next message. Anything else: 409 `invalid_state`.',
    origin: 'ours',
    body: UpdateCampaignBody,
    reply: {
      status: 200,
      description: 'The campaign, and how many of `recipients` were accepted.',
      schema: UpdateReply,
    },
    errors: ['invalid_state', 'engine_mismatch', 'invalid_url'],
    examples: { body: { name: 'March offer, second try' }, reply: { ...DRAFT_EXAMPLE, ...IMPORT_EXAMPLE } },
    tool: {
      name: 'update_campaign',
      title: 'Change a draft campaign',
      idempotent: true,
      onRequest: true,
    },
  }),

  deleteCampaign: operation({
    ...manages,
    id: 'deleteCampaign',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/campaigns/{id}',
    summary: 'Delete a draft campaign',
    description: 'Removes a draft and its recipients. Cancel a campaign in any other state: 409 `invalid_state`.',
    origin: 'ours',
    reply: { status: 204, description: 'The draft is gone.', schema: null },
    errors: ['invalid_state'],
    examples: {},
    tool: {
      name: 'delete_campaign',
      title: 'Delete a draft campaign',
      idempotent: false,
      onRequest: true,
    },
  }),

  startCampaign: operation({
    ...action,
    id: 'startCampaign',
    effects: ['people'],
    path: '/v1/campaigns/{id}/start',
    summary: 'Start a campaign',
    description:
      'Starts a draft: immediately, or at its `scheduled_at`. On a paused campaign it does what `resume` does; on one that ' +
      'is scheduled or running it changes nothing. If the draft cannot be sent as it is, for example because a text uses a ' +
      'variable that the recipients do not have, the answer is 400 and says what to change. Without a connected number ' +
      'the campaign starts paused (`no_instance`) and begins when one connects.',
    origin: 'ours',
    reply: actionReply('The campaign, started.'),
    errors: ['invalid_state', 'validation_error'],
    examples: { reply: CAMPAIGN_EXAMPLE },
    tool: { name: 'start_campaign', title: 'Start a campaign', idempotent: true, onRequest: true },
  }),

  pauseCampaign: operation({
    ...action,
    id: 'pauseCampaign',
    effects: [],
    path: '/v1/campaigns/{id}/pause',
    summary: 'Pause a campaign',
    description:
      'Nothing more leaves; a message that is being sent is finished. Pausing a campaign that paused automatically keeps it ' +
      'paused until you resume it. A campaign that is not running or paused: 409 `invalid_state`.',
    origin: 'spec',
    reply: actionReply('The campaign, paused.'),
    errors: ['invalid_state'],
    examples: { reply: { ...CAMPAIGN_EXAMPLE, status: 'paused', pause_reason: 'user', next_send_at: null, eta: null } },
    tool: { name: 'pause_campaign', title: 'Pause a campaign', idempotent: true, onRequest: true },
  }),

  resumeCampaign: operation({
    ...action,
    id: 'resumeCampaign',
    effects: ['people'],
    path: '/v1/campaigns/{id}/resume',
    summary: 'Resume a campaign',
    description:
      'Continues a paused campaign at its normal pace, without making up for lost time. On a running campaign it changes ' +
      'nothing. It pauses again if the reason still holds, for example outside the sending hours. Any other state: 409 ' +
      '`invalid_state`.',
    origin: 'spec',
    reply: actionReply('The campaign, running or paused for another reason.'),
    errors: ['invalid_state'],
    examples: { reply: CAMPAIGN_EXAMPLE },
    tool: { name: 'resume_campaign', title: 'Resume a campaign', idempotent: true, onRequest: true },
  }),

  cancelCampaign: operation({
    ...action,
    id: 'cancelCampaign',
    effects: ['removal'],
    path: '/v1/campaigns/{id}/cancel',
    summary: 'Cancel a campaign',
    description:
      'Ends it for good: nothing more is sent, and recipients that were not reached stay `pending`. What was sent cannot be ' +
      'taken back. Canceling again is 200; a campaign that is completed or failed: 409 `invalid_state`.',
    origin: 'ours',
    confirm: 'always',
    reply: actionReply('The campaign, canceled.'),
    errors: ['invalid_state'],
    examples: {
      reply: {
        ...CAMPAIGN_EXAMPLE,
        ...{ status: 'canceled', finished_at: '2026-03-01T09:31:00.000Z', next_send_at: null, eta: null },
      },
    },
    tool: { name: 'cancel_campaign', title: 'Cancel a campaign', idempotent: true, onRequest: true },
  }),

  listCampaignRecipients: operation({
    ...reads,
    id: 'listCampaignRecipients',
    effects: [],
    method: 'GET',
    path: '/v1/campaigns/{id}/recipients',
    summary: 'List the recipients of a campaign',
    description:
      'Every recipient with its status, in the order of the list. Use the report as CSV to get all of them at once.',
    origin: 'ours',
    query: Type.Object({
      status: Type.Optional(
        Type.Enum([...RECIPIENT_STATUSES, 'replied', 'opted_out'], {
          description: 'Only recipients with this status now, or those who replied or opted out.',
        }),
      ),
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.campaignNameLength,
          description: 'Recipients whose number contains these digits, or whose name contains this text.',
        }),
      ),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
    }),
    reply: { status: 200, description: 'A page of recipients.', schema: List(CampaignRecipient) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [RECIPIENT_EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_campaign_recipients',
      title: 'List the recipients of a campaign',
      idempotent: true,
      onRequest: true,
      untrusted: true,
    },
  }),

  importCampaignRecipients: operation({
    ...manages,
    id: 'importCampaignRecipients',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/campaigns/{id}/recipients/import',
    summary: 'Import recipients from CSV',
    description:
      'Adds recipients to a draft or a scheduled campaign. The first line names the columns: `phone`, or what it is called elsewhere (`Telefone`, `Celular`, `WhatsApp Number`), is required, `name` is ' +
      'optional, and every other column is a variable of that name. Commas, semicolons and tabs are recognized as ' +
      'separators, UTF-8 (with or without BOM), UTF-16 and Windows-1252 as encodings. Importing the same file twice adds ' +
      'nothing the second time. If no row is usable, nothing changes and the answer is 400.',
    origin: 'ours',
    query: Type.Object({
      country: Type.Optional(Country),
      replace: Type.Optional(Type.Boolean({ default: false, description: '`true`: replaces the whole list.' })),
    }),
    bodyFile: { types: ['text/csv'], maxBytes: LIMITS.csvBytes },
    reply: { status: 200, description: 'How many rows were accepted, and which were not.', schema: CreateReply },
    errors: ['invalid_state'],
    examples: { reply: { campaign_id: CAMPAIGN, status: 'draft', ...IMPORT_EXAMPLE } },
    // Assistants send recipients in the body of create_campaign or update_campaign.
    tool: null,
  }),

  getCampaignReport: operation({
    ...reads,
    id: 'getCampaignReport',
    effects: [],
    method: 'GET',
    path: '/v1/campaigns/{id}/report',
    summary: 'Read the report of a campaign',
    description:
      'The totals as JSON. With `Accept: text/csv`, one line for each recipient with the columns `phone`, `name`, `status`, ' +
      '`instance_id`, `variation`, `message_id`, `sent_at`, `delivered_at`, `read_at`, `replied_at` and `error_code`. Cells ' +
      'that a spreadsheet would run as a formula begin with an apostrophe.',
    origin: 'ours',
    query: Type.Object({
      timeline: Type.Optional(
        Type.Boolean({ default: false, description: '`true`: adds what happened when to the JSON, for a chart.' }),
      ),
    }),
    reply: {
      status: 200,
      description: 'The report.',
      schema: Report,
      csv: { example: CSV_COLUMNS.join(',') },
    },
    errors: [],
    examples: {
      reply: {
        campaign_id: CAMPAIGN,
        counts: { ...COUNTS_EXAMPLE, pending: 0, failed: 1 },
        per_instance: PER_INSTANCE_EXAMPLE,
        per_variation: PER_VARIATION_EXAMPLE,
        failures: [{ reason: 'not_on_whatsapp', count: 1 }],
        timeline: {
          seconds: 60,
          points: [{ at: '2026-03-01T09:30:00.000Z', sent: 1, delivered: 1, read: 0, replied: 0, failed: 1 }],
        },
      },
    },
    tool: {
      name: 'get_campaign_report',
      title: 'Read the report of a campaign',
      idempotent: true,
      onRequest: true,
    },
  }),

  previewCampaign: operation({
    ...reads,
    id: 'previewCampaign',
    effects: [],
    method: 'POST',
    path: '/v1/campaigns/preview',
    summary: 'Preview a campaign',
    description:
      'Checks a campaign without storing or sending anything: which recipients are usable, what the messages look like, how ' +
      'long it takes, how much each number sends on each day, and what is risky. Whatever keeps it from starting is in ' +
      '`risks` with the severity `error`.',
    origin: 'ours',
    body: PreviewCampaignBody,
    reply: { status: 200, description: 'The preview.', schema: PreviewReply },
    errors: ['not_found', 'engine_mismatch'],
    examples: {
      body: { campaign_id: CAMPAIGN },
      reply: {
        can_start: true,
        ...IMPORT_EXAMPLE,
        total: 2,
        samples: [
          {
            ...{ phone: '5511912345678', name: 'Ana', instance_id: INSTANCE, variation: 1 },
            text: 'Hello Ana, 20% off until Friday in São Paulo.',
            ...{ media_url: null, media_type: null, buttons: [], payload: null },
          },
        ],
        recently_contacted: 0,
        variables: ['city'],
        cost: null,
        starts_at: '2026-03-01T09:30:00.000Z',
        eta: '2026-03-01T09:30:17.000Z',
        duration_seconds: 17,
        per_instance: [
          {
            ...{ instance_id: INSTANCE, name: 'Sales', connected: true, recipients: 2, first_contacts: 2 },
            finishes_at: '2026-03-01T09:30:17.000Z',
            days: [{ day: '2026-03-01', sends: 2 }],
          },
        ],
        risks: [
          {
            ...{ code: 'first_contacts', severity: 'warning', field: null },
            message:
              '2 of 2 people have never exchanged a message with the number that writes to them. WhatsApp restricts numbers that write to many strangers. Only write to people who agreed to it.',
            params: { count: 2, total: 2 },
          },
        ],
      },
    },
    tool: {
      name: 'preview_campaign',
      title: 'Preview a campaign',
      idempotent: true,
      onRequest: true,
    },
  }),

  testCampaign: operation({
    ...action,
    id: 'testCampaign',
    effects: ['people'],
    path: '/v1/campaigns/{id}/test',
    summary: 'Send a test of a campaign',
    description:
      'Sends one variation to a number of your choice, such as your own phone, as a recipient would get it. Variables come ' +
      'from `variables`, then from the recipient with this number, then from the first recipient. It is not part of the ' +
      'campaign’s counts. The answers and the Idempotency-Key are those of `POST /v1/instances/{id}/messages`.',
    idempotencyKey: true,
    waitsForEngine: true,
    origin: 'ours',
    body: Body({
      to: Digits,
      instance_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'One of the campaign. Default: its first instance.' }),
      ),
      variation: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LIMITS.campaignMessages, description: 'Default: the first one.' }),
      ),
      name: Type.Optional(Type.String({ maxLength: LIMITS.campaignNameLength })),
      variables: Type.Optional(NewRecipient.properties.variables),
    }),
    reply: { status: 201, description: 'As for a single message.', schema: TestReply },
    errors: [
      'invalid_url',
      'not_ready',
      'idempotency_conflict',
      'idempotency_in_progress',
      'upstream_unavailable',
      'upstream_timeout',
      'service_unavailable',
      'storage_full',
    ],
    examples: {
      body: { to: '12025550123', variation: 1 },
      reply: {
        ...{ engine: 'smv2', sent: true, message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD' },
        ...{ instance_id: INSTANCE, variation: 1 },
      },
    },
    tool: {
      name: 'test_campaign',
      title: 'Send a test of a campaign',
      idempotent: false,
      onRequest: true,
    },
  }),
} as const satisfies Contract
