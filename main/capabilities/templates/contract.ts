import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CARD_LIMITS } from '../../contract/message-limits.ts'
import { Body, List, Nullable, PageSize, Timestamp } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    templates: true
  }
}

const Components = Type.Array(Type.Record(Type.String(), Type.Unknown()), {
  minItems: 1,
  maxItems: 10,
  description:
    'Header, body, footer and buttons, in Graph’s own format. A text with variables needs an `example` of each. A ' +
    'component of type CAROUSEL has 2 to 10 `cards`, each with `components` of the same kinds: a header of format IMAGE ' +
    'or VIDEO, a body of 160 characters at most and up to two buttons. Beside it the template has a body only, and its ' +
    'category is MARKETING.',
})
const Category = Type.Enum(['MARKETING', 'UTILITY', 'AUTHENTICATION'], {
  description: 'Decides the price of each message. Meta may approve a template in another category than you ask for.',
})

const Ttl = Type.Integer({
  minimum: 30,
  maximum: 2_592_000,
  description:
    'How long Meta tries to deliver a message with the template, in seconds; then it drops the message and reports ' +
    'nothing. AUTHENTICATION 30 to 900, UTILITY 30 to 43200. MARKETING 43200 to 2592000, which Meta only applies to ' +
    'messages that are sent over its Marketing Messages API. See `valid_until` of messages.',
})

const HeaderMedia = Type.Object(
  {
    media_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: LIMITS.messageIdLength, description: 'An upload of `POST /v1/media`.' }),
    ),
    media_url: Type.Optional(
      Type.String({ minLength: 1, maxLength: LIMITS.mediaUrlLength, description: 'A public URL of the file.' }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'The sample file of a header of format IMAGE (JPEG or PNG, 5 MB), VIDEO (MP4, 16 MB) or DOCUMENT (PDF, 100 MB), ' +
      'which Meta’s reviewers see. Give `media_id` or `media_url`. It is uploaded to Meta and becomes the ' +
      '`example.header_handle` of the header. Each message you send has a file of its own.',
  },
)

const CardMedia = Type.Array(Nullable(HeaderMedia), {
  minItems: CARD_LIMITS.least,
  maxItems: CARD_LIMITS.most,
  description:
    'The sample files of the cards of a component of type CAROUSEL, one for each card in its order; see `header_media`. ' +
    'All cards have headers of format IMAGE, or all of format VIDEO. null: the card keeps the `example` of its header.',
})

const TemplateRecord = Type.Object({
  id: Type.String(),
  name: Type.String(),
  language: Type.String({ examples: ['en_US'] }),
  status: Type.String({
    description:
      'APPROVED, PENDING (in review), REJECTED, PAUSED, DISABLED, ARCHIVED or another word of Meta’s. Only APPROVED templates can be sent.',
  }),
  category: Type.String({ description: 'MARKETING, UTILITY or AUTHENTICATION.' }),
  quality: Nullable(Type.String({ description: 'GREEN, YELLOW or RED: how people react to it. null: not known yet.' })),
  rejected_reason: Nullable(
    Type.String({ description: 'Meta’s code for why the review rejected it, for example INVALID_FORMAT.' }),
  ),
  rejection_help: Nullable(
    Type.String({ description: 'The same in a sentence, with what to do before you submit it again.' }),
  ),
  paused_until: Nullable({
    ...Timestamp,
    description: 'When Meta ends the pause; null: not paused, or somebody must end the pause.',
  }),
  category_change: Nullable(
    Type.Object(
      { category: Type.String({ description: 'The new category.' }), changes_at: Timestamp },
      {
        description:
          'Meta has announced that it changes the category. From `changes_at` on, each message is charged as the new one.',
      },
    ),
  ),
  restriction: Nullable(
    Type.Object(
      { ends_at: Nullable(Timestamp) },
      {
        description:
          'Meta has suspended the utility templates of the account, and this is one, or was one when that began. ' +
          'Campaigns and follow-ups with it wait until `ends_at`; null: Meta has not said when.',
      },
    ),
  ),
  deletes_at: Nullable({
    ...Timestamp,
    description:
      'When Meta deletes it. Meta archives a template that nobody has used for 12 months, and deletes it 28 days later. ' +
      'Until then you can restore it in WhatsApp Manager. null: not archived, or not known.',
  }),
  ttl_seconds: Nullable(
    Type.Integer({
      description:
        'How long Meta tries to deliver a message with it; null: not set, then 10 minutes for AUTHENTICATION and 30 ' +
        'days for the others.',
    }),
  ),
  components: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Header, body, footer and buttons, in Graph’s own format.',
  }),
})
export type TemplateRecord = Static<typeof TemplateRecord>

const Page = Type.Object({
  ...List(TemplateRecord).properties,
  capacity: Nullable(
    Type.Object(
      {
        count: Type.Integer({ description: 'Templates of the business account, as Meta counts them.' }),
        limit: Type.Integer({ description: '250, or 6,000 once the business is verified at Meta.' }),
      },
      {
        description:
          'How many templates there are and can be. At the limit, Meta refuses new ones. From 90 % on the health of the ' +
          'number has the issue `templates_nearly_full`. null: Meta has not said.',
      },
    ),
  ),
})

const TemplatesQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})
export type TemplatesQuery = Static<typeof TemplatesQuery>

const CreateTemplateBody = Body({
  name: Type.String({
    pattern: '^[a-z0-9_]{1,512}$',
    description: 'Lower-case letters, digits and underscores.',
    examples: ['order_update'],
  }),
  language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Z]{2,3})?$', examples: ['en_US'] }),
  category: Category,
  components: Components,
  ttl_seconds: Type.Optional(Ttl),
  header_media: Type.Optional(HeaderMedia),
  card_media: Type.Optional(CardMedia),
})
export type CreateTemplateBody = Static<typeof CreateTemplateBody>

const ChangeTemplateBody = Body({
  category: Type.Optional(Category),
  components: Type.Optional(Components),
  ttl_seconds: Type.Optional(Ttl),
  header_media: Type.Optional(HeaderMedia),
  card_media: Type.Optional(CardMedia),
})
export type ChangeTemplateBody = Static<typeof ChangeTemplateBody>

const EXAMPLE: TemplateRecord = {
  id: '900000000000001',
  name: 'order_update',
  language: 'en',
  status: 'PENDING',
  category: 'UTILITY',
  quality: null,
  rejected_reason: null,
  rejection_help: null,
  paused_until: null,
  category_change: null,
  restriction: null,
  deletes_at: null,
  ttl_seconds: null,
  components: [{ type: 'BODY', text: 'Your order is on its way.' }],
}

const PATH = '/v1/instances/{id}/templates'
const common = {
  reach: 'instance',
  engine: 'official',
  waitsForEngine: true,
} as const
const ASKING = ['not_ready', 'upstream_unavailable', 'upstream_timeout', 'service_unavailable'] as const
const REFUSED =
  'What Meta refuses is 409 `invalid_state` with Meta’s reason, and nothing has changed. In the sandbox a review ends after two seconds, and rejects what Meta’s review is documented to reject.'

/** Message templates. Meta: "Template management", 2026-04-13. */
export const templatesContract = {
  listTemplates: operation({
    ...common,
    id: 'listTemplates',
    effects: [],
    method: 'GET',
    path: PATH,
    summary: 'List message templates',
    description:
      'The templates of the business account behind this number: what you can send to people who have not written ' +
      'in the last 24 hours. In the sandbox every business account has three samples, and a name that nobody created ' +
      'counts as approved too.',
    scope: 'messages:read',
    origin: 'spec',
    query: TemplatesQuery,
    reply: { status: 200, description: 'A page of templates.', schema: Page },
    errors: ['invalid_cursor', ...ASKING],
    examples: {
      reply: {
        ...{ data: [{ ...EXAMPLE, status: 'APPROVED' }], next_cursor: null, has_more: false },
        capacity: { count: 12, limit: 250 },
      },
    },
    tool: { name: 'list_templates', title: 'List message templates', idempotent: true },
  }),

  createTemplate: operation({
    ...common,
    id: 'createTemplate',
    effects: ['people_later'],
    method: 'POST',
    path: PATH,
    summary: 'Create a message template',
    description:
      'Submits a template for Meta’s review, which takes up to a day. A second one with the same name and language is ' +
      `refused, so a repeated call makes nothing twice. ${REFUSED}`,
    scope: 'messages:send',
    origin: 'ours',
    body: CreateTemplateBody,
    reply: { status: 201, description: 'The template, in review.', schema: TemplateRecord },
    errors: [...ASKING, 'invalid_state', 'invalid_url', 'not_found'],
    examples: {
      body: { name: 'order_update', language: 'en', category: 'UTILITY', components: EXAMPLE.components },
      reply: EXAMPLE,
    },
    tool: { name: 'create_template', title: 'Create a message template', idempotent: false },
  }),

  getTemplate: operation({
    ...common,
    id: 'getTemplate',
    effects: [],
    method: 'GET',
    path: `${PATH}/{template_id}`,
    summary: 'Get a message template',
    description: 'As Meta has it now: its status changes when the review ends, and when people react badly to it.',
    scope: 'messages:read',
    origin: 'ours',
    reply: { status: 200, description: 'The template.', schema: TemplateRecord },
    errors: [...ASKING, 'invalid_state'],
    examples: { reply: { ...EXAMPLE, status: 'APPROVED', quality: 'GREEN' } },
    tool: { name: 'get_template', title: 'Get a message template', idempotent: true },
  }),

  updateTemplate: operation({
    ...common,
    id: 'updateTemplate',
    effects: ['people_later'],
    method: 'PATCH',
    path: `${PATH}/{template_id}`,
    summary: 'Edit a message template',
    description:
      'Submits the changes for review; all components are replaced together. Approved, rejected and paused templates ' +
      'can be edited, an approved one once a day and ten times in 30 days, in its category. Name and language stay. ' +
      REFUSED,
    scope: 'messages:send',
    origin: 'ours',
    body: ChangeTemplateBody,
    reply: { status: 200, description: 'The template, in review.', schema: TemplateRecord },
    errors: [...ASKING, 'invalid_state', 'invalid_url'],
    examples: { body: { category: 'MARKETING' }, reply: { ...EXAMPLE, category: 'MARKETING' } },
    tool: { name: 'update_template', title: 'Edit a message template', idempotent: true },
  }),

  unpauseTemplate: operation({
    ...common,
    id: 'unpauseTemplate',
    effects: ['people_later'],
    method: 'POST',
    path: `${PATH}/{template_id}/unpause`,
    summary: 'End the pause of a message template',
    description:
      'A template whose first messages people reacted badly to stays paused until you end that: `paused_until` is null ' +
      'then. Better edit its text first, which ends the pause as well. A pause with an end is over then, and not ' +
      'earlier. Campaigns that waited for the template continue. One that is not paused stays as it is. ' +
      REFUSED,
    scope: 'messages:send',
    origin: 'ours',
    reply: { status: 200, description: 'The template.', schema: TemplateRecord },
    errors: [...ASKING, 'invalid_state'],
    examples: { reply: { ...EXAMPLE, status: 'APPROVED', quality: 'RED' } },
    tool: { name: 'unpause_template', title: 'End the pause of a message template', idempotent: true },
  }),

  deleteTemplate: operation({
    ...common,
    id: 'deleteTemplate',
    effects: ['removal', 'people_later'],
    method: 'DELETE',
    path: `${PATH}/{template_id}`,
    summary: 'Delete a message template',
    description:
      'In this language alone. `confirm=true` is required: Meta locks the name for 30 days, and campaigns that use it ' +
      `stop. ${REFUSED}`,
    scope: 'messages:send',
    confirm: 'always',
    origin: 'ours',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [...ASKING, 'invalid_state', 'confirmation_required'],
    examples: {},
    tool: { name: 'delete_template', title: 'Delete a message template', idempotent: false },
  }),
} as const satisfies Contract
