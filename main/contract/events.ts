import { Type, type Static } from 'typebox'
import { CHAT_TYPES } from './addresses.ts'
import { contentFields } from './message-content.ts'
import { Digits, MessageErrorShape, MessageStatus, Nullable, Source, Timestamp, Engine } from './shapes.ts'

/** The 16 event types of the spec (Events). */
export const EVENT_TYPES = [
  'instance.created',
  'instance.updated',
  'instance.connecting',
  'instance.connected',
  'instance.disconnected',
  'instance.auth_failed',
  'instance.qr.updated',
  'instance.deleted',
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.edited',
  'message.deleted',
  'message.reaction',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

const Code = Nullable(Type.Integer({ description: 'Close or error code from the engine, if it gave one.' }))

const statusFields = {
  message_id: Type.String(),
  to: Digits,
  chat: Type.String(),
  status: MessageStatus,
  timestamp: Timestamp,
  idempotency_key: Nullable(Type.String()),
  source: Source,
  campaign_id: Nullable(Type.String()),
}

const messageFields = { message_id: Type.String(), chat: Type.String(), from: Type.String(), from_me: Type.Boolean() }

/** `data` of each type without the two fields every event has (`occurred_at`, `sequence`). */
export const EVENT_DATA = {
  'instance.created': Type.Object({ name: Type.String(), engine: Engine, status: Type.String() }),
  'instance.updated': Type.Object({
    changes: Type.Array(Type.String()),
    previous: Type.Record(Type.String(), Type.Unknown()),
    current: Type.Record(Type.String(), Type.Unknown()),
  }),
  'instance.connecting': Type.Object({
    reason: Type.Enum(['start', 'reconnect', 'restart', 'passkey']),
    attempt: Type.Integer({ minimum: 1 }),
  }),
  'instance.connected': Type.Object({
    number: Nullable(Digits),
    name: Nullable(Type.String()),
    reconnected: Type.Boolean(),
    downtime_seconds: Nullable(Type.Integer({ minimum: 0 })),
  }),
  'instance.disconnected': Type.Object({
    reason: Type.String(),
    code: Code,
    will_retry: Type.Boolean(),
    next_retry_at: Nullable(Timestamp),
  }),
  'instance.auth_failed': Type.Object({
    reason: Type.Enum(['logged_out', 'banned', 'temporary_ban', 'token_revoked']),
    code: Code,
    until: Nullable(Timestamp),
  }),
  'instance.qr.updated': Type.Object(
    { attempt: Type.Integer({ minimum: 1 }), expires_at: Timestamp },
    { description: 'The QR code is a credential, so no event contains it. Read it with GET …/qr.' },
  ),
  'instance.deleted': Type.Object({ name: Type.String(), deleted_at: Timestamp }),
  'message.received': Type.Object({
    ...messageFields,
    is_group: Type.Boolean({ description: 'Whether more than one person reads along: in groups and in channels.' }),
    chat_type: Type.Enum([...CHAT_TYPES], {
      description:
        'What `chat` is. A post in a channel that the number follows is `channel`: `chat` and `from` are the ID of the ' +
        'channel, which does not say who wrote it.',
    }),
    type: Type.String({
      description:
        'text, image, video, audio, document, sticker, location, contact, poll, poll_vote or unavailable. A kind without ' +
        'a word of its own, such as an order, is `text`; `content.type` names it.',
    }),
    text: Type.String(),
    timestamp: Timestamp,
    push_name: Nullable(Type.String()),
    media: Nullable(
      Type.Object({
        id: Type.String(),
        mime_type: Type.String(),
        size: Type.Integer(),
        filename: Nullable(Type.String()),
        pending: Type.Optional(
          Type.Boolean({
            description:
              'Present and `true` if the file was not there when the event was sent; `size` is then what the sender says. ' +
              'Downloading the file fetches it.',
          }),
        ),
        caption: Nullable(Type.String()),
      }),
    ),
    quoted_message_id: Nullable(Type.String()),
    participant: Nullable(Type.String()),
    referral: Nullable(Type.Record(Type.String(), Type.Unknown())),
    ...contentFields,
    from_lid: Type.Optional(
      Type.String({ description: 'Present if the sender hides their phone number; equals `from`.' }),
    ),
  }),
  'message.sent': Type.Object(statusFields),
  'message.delivered': Type.Object(statusFields),
  'message.read': Type.Object(statusFields),
  'message.failed': Type.Object({ ...statusFields, error: MessageErrorShape }),
  'message.edited': Type.Object({ ...messageFields, text: Type.String(), edited_at: Timestamp }),
  'message.deleted': Type.Object({ ...messageFields, deleted_by: Type.String(), deleted_at: Timestamp }),
  'message.reaction': Type.Object({
    ...messageFields,
    emoji: Type.String({ description: 'Empty if the reaction was removed.' }),
  }),
} as const satisfies Record<EventType, ReturnType<typeof Type.Object>>

export type EventData = { [T in EventType]: Static<(typeof EVENT_DATA)[T]> }

/**
 * Facts about an account and not about one of its instances, with their data. They are recorded for other rooms and are
 * never delivered. A room adds its own in its contract.ts:
 * `declare module '../../contract/events.ts' { interface AccountFacts { 'billing.paid': { order_id: string } } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- the rooms fill it
export interface AccountFacts {}

/** The instance at the time of the event (spec: Event envelope). */
export const EventInstance = Type.Object({
  id: Type.String({ format: 'uuid' }),
  external_ref: Nullable(Type.String()),
  metadata: Nullable(Type.Record(Type.String(), Type.String())),
  engine: Engine,
})

/** Body of an account webhook request (spec: Event envelope). */
export function eventEnvelope(type: EventType) {
  return Type.Object({
    event_id: Type.String({ pattern: '^evt_' }),
    type: Type.Literal(type),
    attempt: Type.Integer({ minimum: 1 }),
    created_at: Timestamp,
    account_id: Type.String({ format: 'uuid' }),
    instance: EventInstance,
    data: Type.Intersect([
      EVENT_DATA[type],
      Type.Object({
        occurred_at: Timestamp,
        sequence: Type.Integer({ description: 'Increases with each event of the instance.' }),
      }),
    ]),
  })
}
