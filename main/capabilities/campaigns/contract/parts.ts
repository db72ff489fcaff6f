import { Type, type Static } from 'typebox'
import { CampaignMessage } from '../../../contract/campaign-message.ts'
import { CampaignConfigInput, type CampaignCounts, CampaignStatus } from '../../../contract/campaign.ts'
import { NewRecipient, RecipientCounts, RecipientProblems } from '../../../contract/campaign-recipient.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { Uuid } from '../../../contract/shapes.ts'

export const Name = Type.String({ minLength: 1, maxLength: LIMITS.campaignNameLength, examples: ['March offer'] })

export const InstanceIds = Type.Array(Uuid, {
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

export const RecipientsTag = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Adds every contact with this tag, as it is now.',
})

export const ScheduledAt = Type.String({
  format: 'date-time',
  description: `When it starts: a time in the future, at most ${LIMITS.campaignDaysAhead} days ahead.`,
  examples: ['2026-03-02T12:00:00.000Z'],
})

export const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  description: 'Two-letter country of numbers that are written without a country code. Default: the one in settings.',
  examples: ['BR'],
})

export const draftFields = {
  messages: Type.Optional(Messages),
  recipients: Type.Optional(Recipients),
  recipients_tag: Type.Optional(RecipientsTag),
  country: Type.Optional(Country),
  config: Type.Optional(CampaignConfigInput),
}

export const importFields = { recipients: RecipientCounts, problems: RecipientProblems }

export const CreateReply = Type.Object({
  campaign_id: Type.String({ pattern: '^cmp_' }),
  status: CampaignStatus,
  ...importFields,
})
export type CreateReply = Static<typeof CreateReply>

export const CAMPAIGN = 'cmp_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'
export const INSTANCE = '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'

export const COUNTS_EXAMPLE = {
  ...{ total: 2, pending: 1, sent: 1, delivered: 1, read: 0, replied: 0, failed: 0, skipped: 0, unknown: 0 },
  opted_out: 0,
} as const satisfies CampaignCounts

export const PER_INSTANCE_EXAMPLE = [
  {
    instance_id: INSTANCE,
    ...{ sent: 1, failed: 0, state: 'ready' },
    restricted_until: null,
    next_send_at: '2026-03-01T09:30:17.000Z',
  } as const,
]

export const PER_VARIATION_EXAMPLE = [{ variation: 1, sent: 1, delivered: 1, read: 0, replied: 0, failed: 0 }]

export const IMPORT_EXAMPLE = {
  recipients: { accepted: 2, duplicates: 0, invalid: 1, opted_out: 0 },
  problems: [{ line: 3, phone: '12', reason: 'too_short' }],
} as const

export const reads = { scope: 'dispatch:read', reach: 'instances' } as const
export const manages = { scope: 'dispatch:manage', reach: 'instances' } as const

export const action = { ...manages, method: 'POST' } as const
