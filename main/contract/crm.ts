import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Body, Nullable, Timestamp } from './shapes.ts'

/** Schemas of the connections between an instance and a CRM. */

const SYNC = {
  inbound: Type.Boolean({
    description:
      'Messages of people, what you type on the phone and what this service sends appear in the CRM, with files.',
  }),
  outbound: Type.Boolean({ description: 'What a user of the CRM writes is sent from this instance.' }),
  status: Type.Boolean({ description: 'Delivered, read and failed are reported to the CRM.' }),
  dnd: Type.Boolean({
    description: 'Opt-outs of campaigns and follow-ups, and the “do not disturb” of the CRM, are kept equal.',
  }),
  calls: Type.Boolean({ description: 'Calls appear in the CRM, with a link to their recording.' }),
}

export const CrmSync = Type.Object(SYNC)
export type CrmSync = Static<typeof CrmSync>

/** The switches to change; the others stay as they are. */
export const CrmSyncPatch = Body({
  inbound: Type.Optional(SYNC.inbound),
  outbound: Type.Optional(SYNC.outbound),
  status: Type.Optional(SYNC.status),
  dnd: Type.Optional(SYNC.dnd),
  calls: Type.Optional(SYNC.calls),
})
export type CrmSyncPatch = Static<typeof CrmSyncPatch>

export const SYNC_DEFAULT: CrmSync = { inbound: true, outbound: true, status: true, dnd: true, calls: true }

/** Sources for a field of a contact in the CRM. */
const FIELD_SOURCES = ['name', 'profile_name', 'tags', 'instance_name', 'instance_number'] as const
export type FieldSource = (typeof FIELD_SOURCES)[number]

export const FieldMapping = Body({
  from: Type.Enum([...FIELD_SOURCES], {
    description:
      '`name`: as the contact is called here. `profile_name`: as the person calls themselves. `tags`: of the contact here.',
  }),
  to: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,100}$',
    description:
      'The field in the CRM: `name`, `firstName`, `lastName`, `companyName`, `source`, `tags`, or the id or key of a custom field.',
    examples: ['name'],
  }),
})
export type FieldMapping = Static<typeof FieldMapping>

export const FieldMap = Type.Array(FieldMapping, {
  maxItems: LIMITS.crmFields,
  description: 'Which fields a contact gets in the CRM. `phone` is always set.',
})

export const FIELD_MAP_DEFAULT: readonly FieldMapping[] = [{ from: 'name', to: 'name' }]

const CRM_PROBLEMS = [
  'unreachable',
  'rate_limited',
  'daily_limit',
  'reconnect_required',
  'uninstalled',
  'missing_permission',
  'contact_refused',
  'message_refused',
  'attachment_unavailable',
  'status_refused',
  'provider_refused',
  'messages_failing',
  'location_inactive',
  'no_number',
  'not_configured',
  'gone',
  'secret_ended',
  'failed',
] as const
export type CrmProblemCode = (typeof CRM_PROBLEMS)[number]

const CrmProblem = Type.Object({
  code: Type.Enum([...CRM_PROBLEMS]),
  message: Type.String({ description: 'What went wrong and what to do, in plain language.' }),
  at: Timestamp,
})

export const BACKFILL_STATES = ['running', 'paused', 'done', 'canceled'] as const
export type BackfillState = (typeof BACKFILL_STATES)[number]

const Count = Type.Integer({ minimum: 0 })

export const CrmBackfill = Type.Object({
  state: Type.Enum([...BACKFILL_STATES]),
  days: Type.Integer({ minimum: 1, maximum: LIMITS.crmBackfillDays }),
  chats: Type.Object({ done: Count, total: Count }),
  messages: Type.Object({
    found: Count,
    copied: { ...Count, description: 'In the CRM now.' },
    skipped: { ...Count, description: 'Were there already, or cannot be copied.' },
  }),
  started_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type CrmBackfill = Static<typeof CrmBackfill>

export const CrmWaiting = Type.Object(
  {
    to_crm: { ...Count, description: 'Messages and statuses that are not in the CRM yet.' },
    to_contacts: { ...Count, description: 'Messages from the CRM that are not sent yet.' },
    failed: { ...Count, description: 'Messages that the CRM refused.' },
    oldest_at: Nullable(Timestamp),
  },
  { description: 'What waits. Nothing is dropped while the CRM or the instance cannot be reached.' },
)
export type CrmWaiting = Static<typeof CrmWaiting>

const CRM_STATES = ['not_connected', 'connected', 'reconnect_required'] as const

/** The fields that the views of both kinds of connections share. */
const connectionFields = {
  connected: Type.Boolean(),
  state: Type.Enum([...CRM_STATES], {
    description: '`reconnect_required`: the CRM no longer accepts the connection. What happens meanwhile waits.',
  }),
  paused: Type.Boolean({ description: 'Nothing goes either way, and nothing is lost.' }),
  sync: CrmSync,
  connected_at: Nullable(Timestamp),
  last_sync_at: Nullable(Timestamp),
  last_error: Nullable(CrmProblem),
  waiting: CrmWaiting,
  backfill: Nullable(CrmBackfill),
  hidden_people: {
    ...Count,
    description:
      'People who wrote in the last 30 days and hide their phone number. A CRM cannot have them as contacts, so their messages stay here until the network shows their number.',
  },
}

export const GhlView = Type.Object({
  ...connectionFields,
  mode: Nullable(Type.Enum(['oauth', 'token'])),
  location_id: Nullable(Type.String()),
  location_name: Nullable(Type.String()),
  company_id: Nullable(Type.String()),
  provider_id: Nullable(Type.String({ description: 'Id of the conversation provider messages appear under.' })),
  channel: Type.Literal('sms'),
  token_expires_at: Nullable(Type.String({ ...Timestamp, description: 'The token is renewed before.' })),
  field_map: FieldMap,
  delivery_url: Nullable(
    Type.String({
      description: 'Enter it as the delivery URL of the conversation provider. `null` without `public_base_url`.',
    }),
  ),
  events_url: Nullable(
    Type.String({
      description: 'Enter it as the webhook URL of the marketplace app. `null` without `public_base_url`.',
    }),
  ),
  inbox_url: Type.Optional(
    Type.String({ description: 'Only with the simulator: a page on which you write as a user of the CRM.' }),
  ),
})
export type GhlView = Static<typeof GhlView>

export const CrmWebhookView = Type.Object({
  ...connectionFields,
  url: Nullable(Type.String()),
  secret_last4: Nullable(Type.String()),
  inbound_url: Nullable(Type.String({ description: 'Where the CRM posts what its users write. Signed.' })),
})
export type CrmWebhookView = Static<typeof CrmWebhookView>
