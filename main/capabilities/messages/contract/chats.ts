import { Type, type Static } from 'typebox'
import { contentFields } from '../../../contract/message-content.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, List, MessageStatus, Nullable, PageSize, Source, Timestamp, Uuid } from '../../../contract/shapes.ts'
import { HeldSince, ValidUntil, RECORD_EXAMPLE } from './parts.ts'

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
  valid_until: ValidUntil,
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
  forwarded: false,
  frequently_forwarded: false,
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
  valid_until: null,
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

export const chatsContract = {
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
          description: 'Part of the number or name, or the beginning of a word of the name in the contacts.',
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
