import { Type, type Static } from 'typebox'
import {
  Engine,
  MessageErrorShape,
  MessageStatus,
  Nullable,
  Source,
  Timestamp,
  Uuid,
} from '../../../contract/shapes.ts'

export const HeldSince = Nullable({
  ...Timestamp,
  description:
    'Since when Meta has held the message while it assesses the quality of its template. It is delivered after that, or ' +
    'fails. Meta decides within an hour, as a rule. `null`: not held. Only on the engine `official`.',
})
export const ValidUntil = Nullable({
  ...Timestamp,
  description:
    'Until when Meta tries to deliver the message, for a template with `ttl_seconds`. If it is still `sent` after that, ' +
    'Meta has dropped it: it reports no failure. `null`: not limited, or delivered, or failed. Only on `official`.',
})
const HistoryEntry = Type.Object({ status: MessageStatus, at: Timestamp })

/** In the words of the network, which adds values. */
const Pricing = Type.Object(
  {
    category: Nullable(Type.String({ description: '`service`, `utility`, `marketing`, `authentication` and so on.' })),
    type: Nullable(
      Type.String({ description: '`regular` is charged, what begins with `free_` is not. Other values are possible.' }),
    ),
    model: Nullable(Type.String({ description: '`PMP`: per message.' })),
    billable: Nullable(Type.Boolean()),
  },
  { description: 'What Meta reported about the price; `null`: nothing, or nothing yet.' },
)

export const MessageRecord = Type.Object({
  message_id: Type.String({ pattern: '^msg_' }),
  engine_message_id: Nullable(
    Type.String({ description: 'The id assigned by the network, or `null` until the network accepts the message.' }),
  ),
  instance_id: Uuid,
  engine: Engine,
  to: Type.String({
    description: 'The recipient’s number, or the id of the group.',
  }),
  type: Type.String({
    description:
      'text, image, video, audio, document and so on. For `cloud_api`, the type of its payload, for example template.',
  }),
  status: MessageStatus,
  source: Source,
  idempotency_key: Nullable(Type.String()),
  created_at: Timestamp,
  queued_at: Nullable(Timestamp),
  sent_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
  read_at: Nullable(Timestamp),
  failed_at: Nullable(Timestamp),
  held_since: HeldSince,
  valid_until: ValidUntil,
  error: Nullable(MessageErrorShape),
  pricing: Nullable(Pricing),
  history: Type.Array(HistoryEntry, { description: 'Every status the message has had, oldest first.' }),
})
export type MessageRecord = Static<typeof MessageRecord>

export const RECORD_EXAMPLE = {
  message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  engine_message_id: '3EB0C767D26A1D2F4A5B',
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  engine: 'smv2',
  to: '12025550123',
  type: 'text',
  status: 'delivered',
  source: 'api',
  idempotency_key: 'order-1042-confirmation',
  created_at: '2026-03-01T09:30:00.000Z',
  queued_at: '2026-03-01T09:30:00.000Z',
  sent_at: '2026-03-01T09:30:00.200Z',
  delivered_at: '2026-03-01T09:30:01.100Z',
  read_at: null,
  failed_at: null,
  held_since: null,
  valid_until: null,
  error: null,
  pricing: null,
  history: [
    { status: 'queued', at: '2026-03-01T09:30:00.000Z' },
    { status: 'sent', at: '2026-03-01T09:30:00.200Z' },
    { status: 'delivered', at: '2026-03-01T09:30:01.100Z' },
  ],
} as const satisfies MessageRecord
