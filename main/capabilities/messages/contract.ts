import { Type, type Static } from 'typebox'
import { NUMBER, USER_ID } from '../../contract/addresses.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import {
  Body,
  Engine,
  List,
  MEDIA_TYPES,
  MessageErrorShape,
  MessageStatus,
  Nullable,
  PageSize,
  Source,
  Timestamp,
  Uuid,
} from '../../contract/shapes.ts'

const { image, audio, video, document } = LIMITS.mediaMegabytes

/** Spec: Message send request. That exactly one kind of content is given is checked by draft.ts, in clearer words. */
export const SendBody = Body(
  {
    // Not the shared Digits: its description completes "to must be …" when a number is refused.
    to: Type.String({
      pattern: `^(?:${NUMBER}|${USER_ID})$`,
      description:
        'The destination number with country code: 7 to 15 digits and nothing else. Somebody who hides their number is ' +
        'answered under the id that `from` gave: digits on smv2, `US.…` on official.',
      examples: ['12025550123'],
    }),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.textLength,
        description: `A text message, 1 to ${LIMITS.textLength} characters.`,
      }),
    ),
    media_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.mediaUrlLength,
        description:
          'A media message: the http or https address of the file. It must be public, answer 200 within 10 seconds ' +
          'without a redirect, and say a Content-Type that fits `media_type`. ' +
          `Largest files: image ${image} MB, audio ${audio} MB, video ${video} MB, document ${document} MB.`,
      }),
    ),
    media_type: Type.Optional(
      Type.Enum([...MEDIA_TYPES], {
        description: 'What `media_url` leads to. Required with `media_url`, and only with it.',
      }),
    ),
    caption: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.captionLength,
        description: 'Text shown under the media. Only with `media_url`.',
      }),
    ),
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.filenameLength,
        description:
          'Name the recipient sees for the file. Only with `media_url`; a document is named after its address without it.',
      }),
    ),
    cloud_api: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Engine `official` only: the raw message payload of the Cloud API, for example a template, passed on as it is. ' +
            'On an smv2 instance: 400 `engine_mismatch`.',
        },
      ),
    ),
  },
  { description: '`to` and exactly one of `text`, `media_url` with `media_type`, or `cloud_api`.' },
)
export type SendBody = Static<typeof SendBody>

const SendReply = Type.Object({
  engine: Engine,
  sent: Type.Boolean({
    description:
      'true: the network took the message. false: it refused the message for good, for example because the number is ' +
      'not on WhatsApp; the status record says why, and sending the same again would be refused again.',
  }),
  message_id: Type.String({ pattern: '^msg_', description: 'Identifies the message in every later call and event.' }),
})

const HistoryEntry = Type.Object({ status: MessageStatus, at: Timestamp })

export const MessageRecord = Type.Object({
  message_id: Type.String({ pattern: '^msg_' }),
  engine_message_id: Nullable(
    Type.String({ description: 'The id the network gave it; null until the network took it.' }),
  ),
  instance_id: Uuid,
  engine: Engine,
  to: Type.String({
    description: 'The number it goes to; for a message typed on the phone, possibly the id of a group.',
  }),
  type: Type.String({
    description:
      'text, image, video, audio, document …; for `cloud_api` the type of its payload, for example template.',
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
  error: Nullable(MessageErrorShape),
  history: Type.Array(HistoryEntry, { description: 'Every status it has had, oldest first.' }),
})
export type MessageRecord = Static<typeof MessageRecord>

const RECORD_EXAMPLE = {
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
  error: null,
  history: [
    { status: 'queued', at: '2026-03-01T09:30:00.000Z' },
    { status: 'sent', at: '2026-03-01T09:30:00.200Z' },
    { status: 'delivered', at: '2026-03-01T09:30:01.100Z' },
  ],
} as const satisfies MessageRecord

const Direction = Type.Enum(['out', 'phone', 'in'], {
  description: '`out`: sent through this service. `phone`: typed on the phone of the instance. `in`: somebody else’s.',
})
const Chat = Type.String({ description: 'The number, or the id of the group.' })

const ConversationRecord = Type.Object({
  chat: Chat,
  name: Nullable(Type.String({ description: 'What the other side calls itself.' })),
  is_group: Type.Boolean(),
  last: Type.Object({
    message_id: Type.String(),
    direction: Direction,
    type: Type.String(),
    text: Type.String({ description: 'The first 200 characters; empty when it was deleted.' }),
    status: Nullable(MessageStatus),
    at: Timestamp,
  }),
  messages: Type.Integer({ description: 'How many there are.' }),
  last_inbound_at: Nullable(Type.String({ format: 'date-time', description: 'Looked for in the last 500 messages.' })),
})
export type ConversationRecord = Static<typeof ConversationRecord>

const ThreadMessageRecord = Type.Object({
  message_id: Type.String(),
  engine_message_id: Nullable(Type.String()),
  direction: Direction,
  type: Type.String(),
  text: Type.String({ description: 'Of media its caption; empty when it was deleted.' }),
  media: Nullable(
    Type.Object({
      mime_type: Type.String(),
      filename: Nullable(Type.String()),
      size: Type.Integer(),
      url: Nullable(Type.String({ description: 'Where the console fetches it; null for what was sent from here.' })),
    }),
  ),
  sender: Nullable(Type.String({ description: 'Who said it, where that is not this service.' })),
  push_name: Nullable(Type.String()),
  status: Nullable(MessageStatus),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  source: Nullable(Source),
  quoted_message_id: Nullable(Type.String()),
  reactions: Type.Array(Type.Object({ sender: Type.String(), emoji: Type.String() })),
  created_at: Timestamp,
  sent_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
  read_at: Nullable(Timestamp),
  failed_at: Nullable(Timestamp),
  edited_at: Nullable(Timestamp),
  deleted_at: Nullable(Timestamp),
})
export type ThreadMessageRecord = Static<typeof ThreadMessageRecord>

const CONVERSATION_EXAMPLE = {
  chat: '12025550123',
  name: 'Ada',
  is_group: false,
  last: {
    message_id: RECORD_EXAMPLE.message_id,
    direction: 'out',
    type: 'text',
    text: 'Your order 1042 is on its way.',
    status: 'delivered',
    at: '2026-03-01T09:30:00.000Z',
  },
  messages: 12,
  last_inbound_at: '2026-03-01T09:28:00.000Z',
} as const satisfies ConversationRecord

const SAID_EXAMPLE = {
  message_id: RECORD_EXAMPLE.message_id,
  engine_message_id: RECORD_EXAMPLE.engine_message_id,
  direction: 'out',
  type: 'text',
  text: 'Your order 1042 is on its way.',
  media: null,
  sender: null,
  push_name: null,
  status: 'delivered',
  error: null,
  source: 'api',
  quoted_message_id: null,
  reactions: [{ sender: '12025550123', emoji: '👍' }],
  created_at: '2026-03-01T09:30:00.000Z',
  sent_at: '2026-03-01T09:30:00.200Z',
  delivered_at: '2026-03-01T09:30:01.100Z',
  read_at: null,
  failed_at: null,
  edited_at: null,
  deleted_at: null,
} as const

/** People read conversations, in the window; programs are told of messages by events. */
const ofTheConsole = { scope: null, reach: 'instance', origin: 'ours', audience: 'console', tool: null } as const
const pageQuery = {
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}

export const messagesContract = {
  sendMessage: operation({
    id: 'sendMessage',
    approval: 'people',
    method: 'POST',
    path: '/v1/instances/{id}/messages',
    summary: 'Send a message',
    description: [
      'Sends one message to one number and waits, for at most 20 seconds, until the network has taken it. The body has `to` and exactly one of `text`, `media_url` with `media_type`, or `cloud_api` (official engine only).',
      'What happens to the message afterwards (delivered, read, failed) arrives as events, and is read with `GET …/messages/{message_id}`.',
      '**Send an `Idempotency-Key`** (1 to 200 characters, your own, for example the order number). A key belongs to the instance and lives 24 hours. Repeating the same request with the same key never sends twice: it answers 201 with the first answer and `Idempotent-Replayed: true`, also when the instance is no longer connected. The body counts by meaning: order of fields and white space do not matter.',
      'What the answers mean, and what to do:',
      '- 201 with `sent: true`: the network took it.\n' +
        '- 201 with `sent: false`: the network refused this message for good; `error` in the status record says why. The key is kept, so a repeat reaches nobody.\n' +
        '- 400: the request is wrong. Nothing was sent and the key is free; correct it and send again.\n' +
        '- 409 `not_ready`: the instance is not connected. Nothing was sent and the key is free; connect it and send again.\n' +
        '- 409 `idempotency_in_progress`: a request with this key is still running (`Retry-After: 1`), or its outcome is unknown (`Retry-After: 5`). Wait, then repeat it unchanged.\n' +
        '- 409 `idempotency_conflict`: the key was used for a request with another body. Nothing was sent; use a new key.\n' +
        '- 429 `rate_limited`: your key, or the network for this number, takes no more at this moment. Nothing was sent and the key is free; wait as `Retry-After` says.\n' +
        '- 502 `upstream_unavailable`: certainly nothing was sent and the key is free. Repeat the request as it is.\n' +
        '- 503 `service_unavailable`: too many sends are waiting for their engine. Nothing was sent; repeat in a moment.\n' +
        '- 504 `upstream_timeout`: the message may have been sent. Do not send it again under another key. Look it up with `GET …/messages?idempotency_key=…`: it stays `queued` and moves on by itself when the network confirms it.',
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instance',
    idempotencyKey: true,
    waitsForEngine: true,
    origin: 'spec',
    body: SendBody,
    reply: {
      status: 201,
      description:
        'The network took the message, or refused it for good (`sent: false`). `Idempotent-Replayed: true` on a replay.',
      schema: SendReply,
    },
    errors: [
      'engine_mismatch',
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
      body: { to: '12025550123', text: 'Your order 1042 is on its way.' },
      reply: { engine: 'smv2', sent: true, message_id: RECORD_EXAMPLE.message_id },
    },
    tool: {
      name: 'send_message',
      title: 'Send a message',
      description:
        'Sends one WhatsApp message from an instance to a number. Give `to` (digits with country code) and exactly one of ' +
        '`text`, `media_url` + `media_type`, or `cloud_api` (official engine only). Always give an idempotency key, so that ' +
        'repeating the call cannot send twice. `sent: false` means the network refused it for good. After an ' +
        '`upstream_timeout` the message may have been sent: look it up with find_message by the key, never send it under a new key.',
      idempotent: false,
      openWorld: true,
    },
  }),

  getMessage: operation({
    id: 'getMessage',
    method: 'GET',
    path: '/v1/instances/{id}/messages/{message_id}',
    summary: 'Read the status of a message',
    description:
      'The status record of a message that went out through this instance, or was typed on its phone (`source: "phone"`). ' +
      'Messages that came in from somebody else have no status: 404. A status never goes backwards: ' +
      '`queued` → `sent` → `delivered` → `read`, or `failed` from any of the first three; `read` and `failed` are final.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The status record.', schema: MessageRecord },
    errors: [],
    examples: { reply: RECORD_EXAMPLE },
    tool: { name: 'get_message', title: 'Read the status of a message', idempotent: true, openWorld: false },
  }),

  findMessage: operation({
    id: 'findMessage',
    method: 'GET',
    path: '/v1/instances/{id}/messages',
    summary: 'Find a message by its Idempotency-Key',
    description:
      'The status record of the newest message sent with this `Idempotency-Key` in this instance; also while the send is ' +
      'still running or its outcome is unknown (then `queued`), and after the 24 hours of the key. ' +
      'This is what to ask after a 504: 404 means that nothing was sent with this key, as after a 502.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'spec',
    query: Type.Object({
      idempotency_key: Type.String({
        minLength: 1,
        maxLength: LIMITS.idempotencyKeyLength,
        description: 'The key the message was sent with.',
        examples: ['order-1042-confirmation'],
      }),
    }),
    reply: { status: 200, description: 'The status record.', schema: MessageRecord },
    errors: [],
    examples: { reply: RECORD_EXAMPLE },
    tool: { name: 'find_message', title: 'Find a message by its Idempotency-Key', idempotent: true, openWorld: false },
  }),

  listConversations: operation({
    ...ofTheConsole,
    id: 'listConversations',
    method: 'GET',
    path: '/v1/instances/{id}/conversations',
    summary: 'List conversations',
    description: 'Whom this instance has written with, the most recent first, each with its newest message.',
    query: Type.Object({
      ...pageQuery,
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Part of the number, or of the name of the other side.',
        }),
      ),
    }),
    reply: { status: 200, description: 'A page of conversations.', schema: List(ConversationRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [CONVERSATION_EXAMPLE], next_cursor: null, has_more: false } },
  }),

  listThread: operation({
    ...ofTheConsole,
    id: 'listThread',
    method: 'GET',
    path: '/v1/instances/{id}/conversations/{chat}/messages',
    summary: 'List the messages of a conversation',
    description: 'What was said there, newest first. A chat in which nothing was said yet is an empty page.',
    query: Type.Object(pageQuery),
    reply: { status: 200, description: 'A page of messages.', schema: List(ThreadMessageRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [SAID_EXAMPLE], next_cursor: null, has_more: false } },
  }),
} as const satisfies Contract
