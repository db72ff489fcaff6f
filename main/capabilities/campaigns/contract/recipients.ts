import { Type } from 'typebox'
import { CampaignRecipient, RECIPIENT_STATUSES } from '../../../contract/campaign-recipient.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { List, PageSize } from '../../../contract/shapes.ts'
import { Country, CreateReply, CAMPAIGN, INSTANCE, IMPORT_EXAMPLE, reads, manages } from './parts.ts'

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

export const recipientsContract = {
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
} as const satisfies Contract
