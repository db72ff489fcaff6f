import { Type, type Static } from 'typebox'
import { CampaignMessage } from '../../../contract/campaign-message.ts'
import { Campaign, CampaignConfigInput, CampaignStatus, CampaignSummary } from '../../../contract/campaign.ts'
import { NewRecipient } from '../../../contract/campaign-recipient.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, Nullable, PageSize } from '../../../contract/shapes.ts'
import {
  Name,
  InstanceIds,
  RecipientsTag,
  ScheduledAt,
  Country,
  draftFields,
  importFields,
  CreateReply,
  CAMPAIGN,
  INSTANCE,
  COUNTS_EXAMPLE,
  PER_INSTANCE_EXAMPLE,
  PER_VARIATION_EXAMPLE,
  IMPORT_EXAMPLE,
  reads,
  manages,
  action,
} from './parts.ts'

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
  {
    description:
      'Only the fields to change. `config` replaces the whole configuration, but keeps the budget if it names none, and with `budget` alone changes nothing else.',
  },
)
export type UpdateCampaignBody = Static<typeof UpdateCampaignBody>

const UpdateReply = Type.Object({ ...Campaign.properties, ...importFields })

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

const RESTRICTED =
  'A restricted key reaches a campaign only if all its instances are in the key’s list; otherwise the answer is 404.'
const actionReply = (description: string) => ({ status: 200, description, schema: Campaign }) as const

export const lifecycleContract = {
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
} as const satisfies Contract
