import { Type, type Static } from 'typebox'
import { GROUP_ID, NUMBER, USER_ID } from '../../contract/addresses.ts'
import { Interactive } from '../../contract/interactive.ts'
import { LIMITS } from '../../contract/limits.ts'
import { contentFields } from '../../contract/message-content.ts'
import { TEXT_LIMITS } from '../../contract/message-limits.ts'
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

declare module '../../contract/notice.ts' {
  interface Topics {
    messages: true
    conversations: true
  }
}

const { image, audio, video, document } = LIMITS.mediaMegabytes

/** Content-Types that an upload may declare. Any other file is `application/octet-stream`: its content tells more. */
const UPLOAD_TYPES = [
  ...['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  ...['audio/ogg', 'audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/amr', 'audio/wav'],
  ...['video/mp4', 'video/3gpp', 'video/quicktime', 'video/webm'],
  ...['application/pdf', 'application/zip', 'application/msword', 'application/vnd.ms-excel'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ...['application/vnd.ms-powerpoint', 'text/plain', 'text/csv', 'application/octet-stream'],
  // Other names of some of these.
  ...['image/jpg', 'audio/mp3', 'audio/m4a', 'audio/x-m4a', 'audio/webm', 'binary/octet-stream'],
] as const

/** Spec: Message send request. draft.ts checks that exactly one kind of content is given, with a clearer error. */
export const SendBody = Body(
  {
    // Not the shared Digits: its description completes "to must be …" when a number is refused.
    to: Type.String({
      pattern: `^(?:${NUMBER}|${USER_ID}|${GROUP_ID})$`,
      description:
        'The destination number with country code: 7 to 15 digits and nothing else. For someone who hides their number, ' +
        'the id from `from`. For a group (smv2 only), its id: `…@g.us`, from `chat` or the action group/list.',
      examples: ['12025550123'],
    }),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.textLength,
        description: `1 to ${LIMITS.textLength} characters; ${TEXT_LIMITS.official.text} on official.`,
      }),
    ),
    media_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.mediaUrlLength,
        description:
          'URL of the file, or a Google Drive or Dropbox link. It must be public and answer 200 in 10 seconds ' +
          'without a redirect, with a file of `media_type`. ' +
          `Maximum: image ${image} MB, audio ${audio} MB, video ${video} MB, document ${document} MB.`,
      }),
    ),
    media_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.messageIdLength,
        description: 'An upload of `POST /v1/media`.',
      }),
    ),
    media_type: Type.Optional(
      Type.Enum([...MEDIA_TYPES], {
        description: 'The kind of file. Required with media.',
      }),
    ),
    caption: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.captionLength,
        description: 'Text below the media.',
      }),
    ),
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.filenameLength,
        description: 'The file name the recipient sees.',
      }),
    ),
    gif: Type.Optional(
      Type.Boolean({
        description:
          'On smv2: a GIF, which loops without sound. Send an mp4, or a GIF file, which is converted to one.',
      }),
    ),
    voice: Type.Optional(
      Type.Boolean({
        description:
          'A voice note. Recordings in mp3, m4a, aac, wav and other formats are converted to the form that phones ' +
          'record. Without `voice`, only an Ogg/Opus file becomes one. Over 512 KB it is a sound file on official.',
      }),
    ),
    mentions: Type.Optional(
      Type.Array(Type.String({ pattern: `^${NUMBER}$`, examples: ['12025550123'] }), {
        minItems: 1,
        maxItems: LIMITS.mentions,
        uniqueItems: true,
        description: 'In groups on smv2: members to mention. Write each as `@` and the number in `text` or `caption`.',
      }),
    ),
    quoted_message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.messageIdLength,
        description: 'The `message_id` to reply to, of the same chat. `cloud_api` has `context` for this.',
      }),
    ),
    interactive: Type.Optional(Interactive),
    cloud_api: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Engine `official` only: a raw Cloud API payload, passed on unchanged. On smv2: 400 `engine_mismatch`.',
        },
      ),
    ),
  },
  {
    description: '`to` and exactly one of `text`, `media_url`, `media_id`, `interactive` and `cloud_api`.',
  },
)
export type SendBody = Static<typeof SendBody>

export const SendReply = Type.Object({
  engine: Engine,
  sent: Type.Boolean({
    description:
      '`true`: the network accepted the message. `false`: it permanently rejected the message, for example because the ' +
      'number is not on WhatsApp. The status record says why; sending the same message again would fail again.',
  }),
  message_id: Type.String({ pattern: '^msg_', description: 'Identifies the message in later calls and events.' }),
})
export type SendReply = Static<typeof SendReply>

export const MediaRecord = Type.Object({
  media_id: Type.String({ pattern: '^fil_', description: 'Names the file when you send it.' }),
  mime_type: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  expires_at: Timestamp,
})
export type MediaRecord = Static<typeof MediaRecord>

const HeldSince = Nullable({
  ...Timestamp,
  description:
    'Since when Meta has held the message while it assesses the quality of its template. It is delivered after that, or ' +
    'fails. Meta decides within an hour, as a rule. `null`: not held. Only on the engine `official`.',
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
  error: Nullable(MessageErrorShape),
  pricing: Nullable(Pricing),
  history: Type.Array(HistoryEntry, { description: 'Every status the message has had, oldest first.' }),
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
  held_since: null,
  error: null,
  pricing: null,
  history: [
    { status: 'queued', at: '2026-03-01T09:30:00.000Z' },
    { status: 'sent', at: '2026-03-01T09:30:00.200Z' },
    { status: 'delivered', at: '2026-03-01T09:30:01.100Z' },
  ],
} as const satisfies MessageRecord

export const PollRecord = Type.Object({
  question: Type.String(),
  options: Type.Array(
    Type.Object({ text: Type.String(), votes: Type.Integer({ description: 'How many people chose it.' }) }),
  ),
  voters: Type.Array(
    Type.Object({
      number: Type.String({ description: 'Who voted, as in `from`. Your own number for votes from your phone.' }),
      options: Type.Array(Type.String(), { description: 'What they chose, as it stands now.' }),
      voted_at: Timestamp,
    }),
    { description: 'Everyone whose vote counts. People who removed their vote are not listed.' },
  ),
})
export type PollRecord = Static<typeof PollRecord>

const POLL_EXAMPLE = {
  question: 'When should we deliver?',
  options: [
    { text: 'Today', votes: 1 },
    { text: 'Tomorrow', votes: 0 },
  ],
  voters: [{ number: '12025550123', options: ['Today'], voted_at: '2026-03-01T09:31:00.000Z' }],
} as const satisfies PollRecord

const Direction = Type.Enum(['out', 'phone', 'in'], {
  description: '`out`: sent through this service. `phone`: typed on the instance’s own phone. `in`: received.',
})
const Chat = Type.String({ description: 'The number, or the id of the group or channel.' })

const ConversationRecord = Type.Object({
  chat: Chat,
  name: Nullable(Type.String({ description: 'The contact’s own profile name.' })),
  is_group: Type.Boolean(),
  last: Type.Object({
    message_id: Type.String(),
    direction: Direction,
    type: Type.String(),
    text: Type.String({ description: 'The first 200 characters. Empty if the message was deleted.' }),
    status: Nullable(MessageStatus),
    at: Timestamp,
  }),
  messages: Type.Integer({ description: 'The number of messages in the conversation.' }),
  last_inbound_at: Nullable(
    Type.String({ format: 'date-time', description: 'When the contact last wrote, within the last 500 messages.' }),
  ),
  unread_messages: Type.Integer({ description: 'Received since somebody last read the conversation or wrote in it.' }),
  marked_unread: Type.Boolean({ description: 'Somebody marked the conversation as unread.' }),
  opted_out: Type.Boolean({
    description: 'Campaigns and follow-ups of this instance skip the person. Agents and people still answer.',
  }),
  opt_out_question: Nullable(
    Type.Object(
      { message_id: Type.String(), text: Type.String() },
      { description: 'A message that may ask for no more campaigns. A person decides.' },
    ),
  ),
})
export type ConversationRecord = Static<typeof ConversationRecord>

const ThreadMessageRecord = Type.Object({
  message_id: Type.String(),
  engine_message_id: Nullable(Type.String()),
  direction: Direction,
  type: Type.String(),
  text: Type.String({ description: 'For media, the caption. Empty if the message was deleted.' }),
  media: Nullable(
    Type.Object({
      mime_type: Type.String(),
      filename: Nullable(Type.String()),
      size: Type.Integer(),
      pending: Type.Boolean({ description: 'The file is not there yet. Downloading it fetches it.' }),
      url: Nullable(
        Type.String({ description: 'Where the console downloads the file. `null` for files sent from here.' }),
      ),
      preview: Type.Optional(
        Type.Object(
          {
            seconds: Nullable(Type.Integer()),
            waveform: Nullable(Type.Array(Type.Integer(), { description: '64 values from 0 to 100.' })),
            thumbnail: Nullable(Type.String({ description: 'A small JPEG as a data URI.' })),
          },
          { description: 'What the sender’s phone says of the file. Absent if it says nothing.' },
        ),
      ),
    }),
  ),
  ...contentFields,
  poll: Nullable(PollRecord),
  sender: Nullable(Type.String({ description: 'Who wrote it. `null` for messages sent through this service.' })),
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
  held_since: HeldSince,
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
  unread_messages: 0,
  marked_unread: false,
  opted_out: false,
  opt_out_question: null,
} as const satisfies ConversationRecord

const THREAD_MESSAGE_EXAMPLE = {
  message_id: RECORD_EXAMPLE.message_id,
  engine_message_id: RECORD_EXAMPLE.engine_message_id,
  direction: 'out',
  type: 'text',
  text: 'Your order 1042 is on its way.',
  media: null,
  content: null,
  view_once: false,
  poll: null,
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
  held_since: null,
  edited_at: null,
  deleted_at: null,
} as const

/** Conversations are for people in the console; programs receive messages as events. */
const ofTheConsole = {
  scope: null,
  reach: 'instance',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const
const pageQuery = {
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}

export const messagesContract = {
  uploadMedia: operation({
    id: 'uploadMedia',
    effects: [],
    method: 'POST',
    path: '/v1/media',
    summary: 'Upload a file to send',
    description: [
      `Keeps a file of at most ${document} MB for ${LIMITS.mediaDays} days, so that you can send it as often as you like, from any instance of the account. The body is the file, with its Content-Type. Send it as \`media_id\` in place of \`media_url\`.`,
      'Uploading does not check whether the file can be sent: the sizes and types that each `media_type` allows are checked when you send it. An upload of which less than 32 kB arrive in 15 seconds is refused. Nothing is kept of a file that did not arrive whole.',
      `All uploads of an account may take ${LIMITS.mediaGigabytes} GB, and no more than is left free on the disk of the service. Beyond that, \`invalid_state\` refuses new ones until older ones have expired.`,
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instances',
    origin: 'ours',
    query: Type.Object({
      filename: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.filenameLength,
          description: 'The file name that recipients of a document see, unless the message has its own `filename`.',
        }),
      ),
    }),
    bodyFile: { types: UPLOAD_TYPES, maxBytes: document * 1024 * 1024 },
    reply: { status: 201, description: 'The file is stored.', schema: MediaRecord },
    errors: ['invalid_state', 'storage_full'],
    examples: {
      reply: {
        media_id: 'fil_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
        mime_type: 'image/png',
        size: 48_213,
        expires_at: '2026-03-08T09:30:00.000Z',
      },
    },
    // Assistants have no file to send; they give media_url.
    tool: null,
  }),
  sendMessage: operation({
    id: 'sendMessage',
    effects: ['people'],
    method: 'POST',
    path: '/v1/instances/{id}/messages',
    summary: 'Send a message',
    description: [
      'Sends one message to one number, or on smv2 to one group, and waits up to 20 seconds for the network to accept it. The body has `to` and exactly one of `text`, `media_url` with `media_type`, `media_id` with `media_type`, or `cloud_api` (official engine only).',
      'Later changes (delivered, read, failed) arrive as events. You can also read them with `GET …/messages/{message_id}`.',
      '**Send an `Idempotency-Key`**: 1 to 200 characters of your choice, for example an order number. Keys are scoped to the instance and expire after 24 hours. Repeating a request with the same key never sends the message twice: it returns the original 201 response with `Idempotent-Replayed: true`, even if the instance is no longer connected. Field order and white space in the body do not matter.',
      'What each response means:',
      '- 201 with `sent: true`: the network accepted the message.\n' +
        '- 201 with `sent: false`: the network permanently rejected the message. `error` in the status record says why. The key is used up, so repeating the request sends nothing.\n' +
        '- 400: the request is invalid. Nothing was sent. Correct it and send it again; you can reuse the key.\n' +
        '- 409 `not_ready`: the instance is not connected. Nothing was sent. Connect it and send again; you can reuse the key.\n' +
        '- 409 `idempotency_in_progress`: a request with this key is still running (`Retry-After: 1`) or its outcome is unknown (`Retry-After: 5`). Wait, then repeat it unchanged.\n' +
        '- 409 `idempotency_conflict`: the key was used for a request with another body. Nothing was sent; use a new key.\n' +
        '- 429 `rate_limited`: your API key, this number or this chat has reached its rate limit, or messages already waiting to leave at the pace set for smv2 would delay it too long. Nothing was sent. Wait for `Retry-After`, then repeat the request; you can reuse the idempotency key.\n' +
        '- 502 `upstream_unavailable`: the engine could not be reached and nothing was sent. Repeat the request unchanged.\n' +
        '- 503 `service_unavailable`: too many sends are in progress. Nothing was sent. Repeat the request after `Retry-After`.\n' +
        '- 504 `upstream_timeout`: the message may have been sent. Do not send it again with another key. Look it up with `GET …/messages?idempotency_key=…`: it stays `queued` until the network confirms it.',
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instance',
    idempotencyKey: true,
    replaysWhenFrozen: true,
    waitsForEngine: true,
    origin: 'spec',
    body: SendBody,
    reply: {
      status: 201,
      description:
        'The network accepted the message, or permanently rejected it (`sent: false`). Replays carry `Idempotent-Replayed: true`.',
      schema: SendReply,
    },
    errors: [
      'engine_mismatch',
      'invalid_url',
      'invalid_state',
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
        'Sends one WhatsApp message from an instance. Give `to` and exactly one of ' +
        '`text`, `media_url` + `media_type`, or `cloud_api` (official engine only). Always give an idempotency key so that ' +
        'repeating the call cannot send the message twice. `sent: false` means the network permanently rejected it. After ' +
        '`upstream_timeout` the message may have been sent: look it up with find_message, never send it with a new key.',
      omit: ['interactive'],
      idempotent: false,
    },
  }),

  getMessage: operation({
    id: 'getMessage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/messages/{message_id}',
    summary: 'Read the status of a message',
    description:
      'Returns the status record of a message sent through this instance or typed on its phone (`source: "phone"`). ' +
      'Received messages have no status and answer 404. A status only moves forward: ' +
      '`queued` → `sent` → `delivered` → `read`, or to `failed` from any of the first three. `read` and `failed` are final.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'spec',
    reply: { status: 200, description: 'The status record.', schema: MessageRecord },
    errors: [],
    examples: { reply: RECORD_EXAMPLE },
    tool: {
      name: 'get_message',
      title: 'Read the status of a message',
      description: 'Returns the status of a message. 404 if it was received.',
      idempotent: true,
    },
  }),

  findMessage: operation({
    id: 'findMessage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/messages',
    summary: 'Find a message by its Idempotency-Key',
    description:
      'Returns the status record of the newest message this instance sent with the `Idempotency-Key`. Works while the send ' +
      'is still running or its outcome is unknown (status `queued`), and after the key has expired. ' +
      'Use it after a 504. A 404 means nothing was sent with this key.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'spec',
    query: Type.Object({
      idempotency_key: Type.String({
        minLength: 1,
        maxLength: LIMITS.idempotencyKeyLength,
        description: 'The `Idempotency-Key` of the send.',
        examples: ['order-1042-confirmation'],
      }),
    }),
    reply: { status: 200, description: 'The status record.', schema: MessageRecord },
    errors: [],
    examples: { reply: RECORD_EXAMPLE },
    tool: {
      name: 'find_message',
      title: 'Find a message by its key',
      description: 'Returns the newest message sent with the key. 404: none.',
      idempotent: true,
    },
  }),

  getPoll: operation({
    id: 'getPoll',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/polls/{message_id}',
    summary: 'Read the votes of a poll',
    description:
      'Returns the current result of a poll that this instance sent or received: how often each option was chosen, and ' +
      'by whom. A new vote of the same person replaces the earlier one. Each vote also fires `message.received` with ' +
      '`type: "poll_vote"`. Only engine `smv2` reports votes. A message that is not a poll is 404.',
    scope: 'messages:read',
    reach: 'instance',
    origin: 'ours',
    reply: { status: 200, description: 'The poll and its votes.', schema: PollRecord },
    errors: [],
    examples: { reply: POLL_EXAMPLE },
    tool: {
      name: 'get_poll',
      title: 'Read the votes of a poll',
      onRequest: true,
      idempotent: true,
      untrusted: true,
    },
  }),

  listConversations: operation({
    ...ofTheConsole,
    id: 'listConversations',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/conversations',
    summary: 'List conversations',
    description: 'The conversations of an instance, most recent first, each with its newest message.',
    query: Type.Object({
      ...pageQuery,
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Part of the contact’s number or name.',
        }),
      ),
      filter: Type.Optional(Type.Enum(['all', 'unread'], { description: '`unread`: only those that are unread.' })),
    }),
    reply: { status: 200, description: 'A page of conversations.', schema: List(ConversationRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [CONVERSATION_EXAMPLE], next_cursor: null, has_more: false } },
  }),

  setConversationUnread: operation({
    ...ofTheConsole,
    id: 'setConversationUnread',
    effects: [],
    method: 'PUT',
    path: '/v1/instances/{id}/conversations/{chat}/unread',
    summary: 'Mark a conversation as read or unread',
    description:
      'For everybody in the account. Sending from the console or from the phone also marks the conversation as read. ' +
      'The contact is not told: no read receipt is sent.',
    body: Body({ unread: Type.Boolean() }),
    reply: { status: 204, description: 'It is marked.', schema: null },
    errors: [],
    examples: { body: { unread: false } },
  }),

  countUnread: operation({
    ...ofTheConsole,
    reach: 'account',
    id: 'countUnread',
    effects: [],
    method: 'GET',
    path: '/v1/unread-conversations',
    summary: 'Count unread conversations',
    description:
      'How many conversations of the account are unread, on each network and on each instance that has some, most first.',
    reply: {
      status: 200,
      description: 'The counts.',
      schema: Type.Object({
        live: Type.Integer(),
        sandbox: Type.Integer(),
        instances: Type.Array(Type.Object({ id: Uuid, chats: Type.Integer() })),
      }),
    },
    errors: [],
    examples: { reply: { live: 3, sandbox: 0, instances: [{ id: RECORD_EXAMPLE.instance_id, chats: 3 }] } },
  }),

  listThread: operation({
    ...ofTheConsole,
    id: 'listThread',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/conversations/{chat}/messages',
    summary: 'List the messages of a conversation',
    description: 'The messages of a conversation, newest first. A conversation without messages is an empty page.',
    query: Type.Object(pageQuery),
    reply: { status: 200, description: 'A page of messages.', schema: List(ThreadMessageRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [THREAD_MESSAGE_EXAMPLE], next_cursor: null, has_more: false } },
  }),

  getThreadMessage: operation({
    ...ofTheConsole,
    id: 'getThreadMessage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/thread/{message_id}',
    summary: 'Read a message of a conversation',
    description: 'A message that this instance sent or received, and the conversation it is in.',
    reply: {
      status: 200,
      description: 'The message.',
      schema: Type.Object({ chat: Type.String(), message: ThreadMessageRecord }),
    },
    errors: [],
    examples: { reply: { chat: '12025550123', message: THREAD_MESSAGE_EXAMPLE } },
  }),
} as const satisfies Contract
