import { Type, type Static } from 'typebox'
import { CampaignCounts, PerInstance, PerVariation } from '../../../contract/campaign.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Timestamp } from '../../../contract/shapes.ts'
import { CAMPAIGN, COUNTS_EXAMPLE, PER_INSTANCE_EXAMPLE, PER_VARIATION_EXAMPLE, reads } from './parts.ts'

/** Columns of the CSV report. */
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

export const reportContract = {
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
} as const satisfies Contract
