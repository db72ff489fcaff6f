import { Type, type Static } from 'typebox'
import { CampaignRisk } from '../../../contract/campaign.ts'
import { NewRecipient } from '../../../contract/campaign-recipient.ts'
import { CostTotals } from '../../../contract/costs.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Digits, Engine, Nullable, Timestamp, Uuid } from '../../../contract/shapes.ts'
import {
  Name,
  InstanceIds,
  ScheduledAt,
  draftFields,
  importFields,
  CAMPAIGN,
  INSTANCE,
  IMPORT_EXAMPLE,
  reads,
  action,
} from './parts.ts'

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
  payload: Nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'Of `interactive` and `cloud_api`: as the Cloud API takes it.' },
    ),
  ),
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

const TestReply = Type.Object({
  engine: Engine,
  sent: Type.Boolean(),
  message_id: Type.String({ pattern: '^msg_' }),
  instance_id: Uuid,
  variation: Type.Integer({ minimum: 1 }),
})
export type TestReply = Static<typeof TestReply>

export const previewContract = {
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
