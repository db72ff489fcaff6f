import { Type, type Static } from 'typebox'
import { Body, MessageStatus, Nullable, Timestamp } from './shapes.ts'

/** Schemas of the simulated GoHighLevel. */

export const GHL_FAULTS = [
  'duplicate_delivery',
  'rate_limited',
  'down',
  'bad_signature',
  'status_too_early',
  'status_too_early_401',
  'forbidden',
  'inbound_500',
  'upsert_422',
  'location_inactive',
] as const
export type GhlFault = (typeof GHL_FAULTS)[number]

const Id = Type.String({ pattern: '^[A-Za-z0-9]{20}$' })
const Phone = Type.String({ pattern: '^\\+[0-9]{7,15}$', description: 'With plus sign.', examples: ['+12025550123'] })

export const GhlContact = Type.Object({
  id: Id,
  location_id: Id,
  conversation_id: Id,
  phone: Nullable(Phone),
  email: Nullable(Type.String()),
  name: Nullable(Type.String()),
  dnd: Type.Boolean({ description: 'The person wants no messages.' }),
  tags: Type.Array(Type.String()),
  custom_fields: Type.Record(Type.String(), Type.String()),
  created_at: Timestamp,
})
export type GhlContact = Static<typeof GhlContact>

export const GhlConversation = Type.Object({
  id: Id,
  location_id: Id,
  contact_id: Id,
  phone: Nullable(Phone),
  name: Nullable(Type.String()),
  dnd: Type.Boolean(),
  unread: Type.Integer({ minimum: 0 }),
  last_message: Nullable(Type.String()),
  last_message_at: Nullable(Timestamp),
})
export type GhlConversation = Static<typeof GhlConversation>

export const GhlMessage = Type.Object({
  id: Id,
  conversation_id: Id,
  contact_id: Id,
  direction: Type.Enum(['inbound', 'outbound'], { description: '`inbound`: from the contact.' }),
  type: Type.Enum(['SMS', 'Call']),
  text: Type.String(),
  attachments: Type.Array(Type.String()),
  source: Type.Enum(['app', 'api'], {
    description: '`app`: a user of the CRM wrote it. `api`: this service added it.',
  }),
  status: Type.Enum(['pending', ...MessageStatus.enum.filter((one) => one !== 'queued')]),
  error: Nullable(Type.String()),
  created_at: Timestamp,
})
export type GhlMessage = Static<typeof GhlMessage>

export const GhlMessageBody = Body(
  {
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 65_536 })),
    attachments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), { minItems: 1, maxItems: 5 }),
    ),
  },
  { description: '`text`, `attachments` or both.', minProperties: 1 },
)
export type GhlMessageBody = Static<typeof GhlMessageBody>

export const GhlContactBody = Body({
  phone: Type.Optional(Phone),
  email: Type.Optional(Type.String({ pattern: '^[^@ ]{1,64}@[^@ ]{1,190}$', examples: ['ada@example.com'] })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  location_id: Type.Optional({ ...Id, description: 'Default: the first location.' }),
})
export type GhlContactBody = Static<typeof GhlContactBody>
