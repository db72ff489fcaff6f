import { Type, type Static } from 'typebox'
import { USER_ID } from '../../contract/addresses.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, List, MediaType, PageSize } from '../../contract/shapes.ts'

/** What may be asked of an smv2 engine, by group. Anything else does not exist. */
export const ACTIONS = {
  send: ['text', 'link', 'media', 'poll', 'sticker', 'location', 'contact'],
  message: ['react', 'edit', 'delete', 'markread'],
  user: ['check', 'info', 'avatar', 'block', 'unblock'],
  group: ['list', 'info', 'create', 'participant', 'invitelink', 'leave'],
} as const

const { image, audio, video, document, sticker } = LIMITS.mediaMegabytes

const Numbers = (description: string) =>
  Type.Array(Digits, { minItems: 1, maxItems: 50, uniqueItems: true, description })
const Words = (most: number, description: string) => Type.String({ minLength: 1, maxLength: most, description })

/** Every field an action can have; which belong to which is checked by fields.ts, in clearer words than a union has. */
export const ActionBody = Body(
  {
    to: Type.Optional(
      // Not the shared Digits: its description completes "to must be …" when a number is refused.
      Type.String({
        pattern: '^[0-9]{7,15}$',
        description: 'The destination number with country code: 7 to 15 digits and nothing else.',
        examples: ['12025550123'],
      }),
    ),
    text: Type.Optional(Words(LIMITS.textLength, 'What to say; for message/edit the new text.')),
    url: Type.Optional(Words(LIMITS.mediaUrlLength, 'send/link: where the card leads; http or https.')),
    title: Type.Optional(Words(256, 'send/link: heading of the card.')),
    description: Type.Optional(Words(1_024, 'send/link: words under the heading.')),
    media_url: Type.Optional(
      Words(
        LIMITS.mediaUrlLength,
        'send/media, send/sticker: public http or https address of the file, fetched within 10 seconds. Largest: ' +
          `image ${image} MB, audio ${audio} MB, video ${video} MB, document ${document} MB, sticker ${sticker} MB (image/webp). In the sandbox, https://media.sandbox has samples, sticker.webp among them.`,
      ),
    ),
    media_type: Type.Optional(Type.Enum([...MediaType.enum], { description: 'send/media: what the file is sent as.' })),
    caption: Type.Optional(Words(LIMITS.captionLength, 'send/media: text under the file.')),
    filename: Type.Optional(Words(LIMITS.filenameLength, 'send/media: name the recipient sees.')),
    question: Type.Optional(Words(255, 'send/poll: what is asked.')),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 2,
        maxItems: 12,
        uniqueItems: true,
        description: 'send/poll: the answers to choose from.',
      }),
    ),
    max_choices: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 12,
        description: 'send/poll: how many one person may choose; 1 if left out.',
      }),
    ),
    latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'send/location, in degrees.' })),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180, description: 'send/location, in degrees.' })),
    address: Type.Optional(Words(256, 'send/location: address in words.')),
    name: Type.Optional(Words(100, 'Name of the place, the contact or the group.')),
    number: Type.Optional(
      Type.String({
        pattern: '^[0-9]{7,15}$',
        description: 'The number of the contact or the person: 7 to 15 digits and nothing else.',
      }),
    ),
    numbers: Type.Optional(Numbers('user/check: the numbers to look up.')),
    message_id: Type.Optional(Words(128, '`message_id` of a message that was sent or received by this instance.')),
    quoted_message_id: Type.Optional(
      Words(128, 'All of send: the `message_id` of a message in the conversation with `to`, which this one answers.'),
    ),
    emoji: Type.Optional(
      Type.String({ maxLength: 32, description: 'message/react: the reaction; empty takes it back.' }),
    ),
    group_id: Type.Optional(Words(64, 'Id of a group, as group/list shows it.')),
    change: Type.Optional(
      Type.Enum(['add', 'remove', 'promote', 'demote'], { description: 'group/participant: what to do with them.' }),
    ),
    participants: Type.Optional(Numbers('group/create, group/participant: numbers of the members.')),
    renew: Type.Optional(
      Type.Boolean({ description: 'group/invitelink: true makes a new link, and the former stops working.' }),
    ),
  },
  { description: 'The fields of the action, as the table above lists them.' },
)
export type ActionBody = Static<typeof ActionBody>

const ActionReply = Type.Object({
  engine: Type.Literal('smv2'),
  sent: Type.Optional(
    Type.Boolean({
      description: '`send` only: whether the network took the message, as when it is sent the usual way.',
    }),
  ),
  message_id: Type.Optional(
    Type.String({
      pattern: '^msg_',
      description: '`send` only: identifies the message in every later call and event.',
    }),
  ),
  result: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'All others: as the table above lists it.' }),
  ),
})

/** Everything that is not listed reaches people. */
const APPROVAL_BY_ACTION = {
  by: ['group', 'action'],
  reasons: {
    'message/delete': 'ends',
    'message/markread': null,
    'user/check': null,
    'user/info': null,
    'user/avatar': null,
    'user/block': 'ends',
    'user/unblock': 'access',
    'group/list': null,
    'group/info': null,
    'group/create': 'access',
    'group/participant': 'access',
    'group/invitelink': 'access',
    'group/leave': 'ends',
  },
  otherwise: 'people',
} as const

const TABLE = [
  '| Action | Fields (? may be left out) | `result` |',
  '|---|---|---|',
  '| send/text | to, text, quoted_message_id? | – |',
  '| send/link | to, url, text?, title?, description?, quoted_message_id? | – |',
  '| send/media | to, media_url, media_type, caption?, filename?, quoted_message_id? | – |',
  '| send/poll | to, question, options, max_choices?, quoted_message_id? | – |',
  '| send/sticker | to, media_url, quoted_message_id? | – |',
  '| send/location | to, latitude, longitude, name?, address?, quoted_message_id? | – |',
  '| send/contact | to, name, number, quoted_message_id? | – |',
  '| message/react | message_id, emoji | message_id, emoji |',
  '| message/edit | message_id, text | message_id, text |',
  '| message/delete | message_id | message_id, deleted |',
  '| message/markread | message_id | message_id, read |',
  '| user/check | numbers | numbers: [{number, exists, canonical}] |',
  '| user/info | number | number, name, about, business |',
  '| user/avatar | number | number, url (null: none, or not shown to you) |',
  '| user/block, user/unblock | number | number, blocked |',
  '| group/list | – | groups: [group] |',
  '| group/info | group_id | group |',
  '| group/create | name, participants | group, and participants: [{number, done, reason}] |',
  '| group/participant | group_id, change, participants | group_id, participants: [{number, done, reason}] |',
  '| group/invitelink | group_id, renew? | group_id, link |',
  '| group/leave | group_id | group_id, left |',
].join('\n')

/**
 * A payload of Graph has fields of its own, and they are nobody's business here but Graph's. Which of these a payload
 * needs is checked by raw.ts, in clearer words than a union has.
 */
const RawMessage = Type.Object(
  {
    to: Type.Optional(
      Type.String({
        pattern: '^\\+?[0-9]{7,15}$',
        description: 'The destination number with country code: 7 to 15 digits, with or without a leading +.',
        examples: ['12025550123'],
      }),
    ),
    recipient: Type.Optional(
      Type.String({
        pattern: `^${USER_ID}$`,
        description: 'Instead of `to`: the id of somebody who hides their number.',
      }),
    ),
    type: Type.Optional(Type.String({ maxLength: 64, description: 'For example `template`; `text` if left out.' })),
    message_id: Type.Optional(
      Words(256, 'With `status: "read"`: the message to mark, by its `message_id` or `wamid`.'),
    ),
  },
  {
    additionalProperties: true,
    description:
      'A message of the Cloud API, exactly as Graph takes it. `to` or `recipient` is required; with `status: "read"`, `message_id` is, and nothing is sent.',
  },
)
export type RawMessage = Static<typeof RawMessage> & Readonly<Record<string, unknown>>

const RawReply = Type.Object({
  engine: Type.Literal('official'),
  sent: Type.Optional(
    Type.Boolean({ description: 'Whether the network took the message, as when it is sent the usual way.' }),
  ),
  message_id: Type.Optional(
    Type.String({ pattern: '^msg_', description: 'Identifies the message in every later call and event.' }),
  ),
  success: Type.Optional(Type.Literal(true, { description: 'For `status: "read"`, which sends nothing.' })),
})

const Template = Type.Object({
  id: Type.String(),
  name: Type.String(),
  language: Type.String({ examples: ['en_US'] }),
  status: Type.String({ description: 'APPROVED, PENDING, REJECTED, PAUSED or DISABLED; only the first can be sent.' }),
  category: Type.String({ description: 'MARKETING, UTILITY or AUTHENTICATION.' }),
  components: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Header, body, footer and buttons, in Graph’s own fields.',
  }),
})

const TemplatesQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})
export type TemplatesQuery = Static<typeof TemplatesQuery>

const SENDING_ERRORS = [
  'invalid_url',
  'not_ready',
  'idempotency_conflict',
  'idempotency_in_progress',
  'upstream_unavailable',
  'upstream_timeout',
  'service_unavailable',
  'storage_full',
] as const

const MESSAGE_ID = 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD'

/** Spec: Other operations, "send through the engine server directly". */
export const directContract = {
  callEngine: operation({
    id: 'callEngine',
    approval: APPROVAL_BY_ACTION,
    method: 'POST',
    path: '/v1/instances/{id}/engine/smv2/{group}/{action}',
    summary: 'Call an smv2 engine directly',
    description: [
      'What only this engine can do: other kinds of messages than `POST …/messages` has words for, acts on messages, people and groups. The path names the action, the body holds its fields and no others. Any other group or action is 404.',
      TABLE,
      'A `group` is `{group_id, name, owner, created_at, participants: [{number, admin}]}`. `reason` is null when it was done, else `not_on_whatsapp`, `already_member` or `not_member`.',
      '**A send is a message like any other**: it has a status record, its events fire, `GET …/messages?idempotency_key=…` finds it, and the answers and what to do about them are those of `POST …/messages`, replays included. For all other actions `Idempotency-Key` is ignored: repeating them is harmless, but group/create, which makes another group.',
      '`quoted_message_id` makes a send an answer, shown above it as a quote. It names any message of the conversation with `to`, said by either side: one of another conversation is 400, one this instance does not have 404 `not_found`, one that was deleted or that the network does not have 409 `invalid_state`. Nothing is sent then, and the `Idempotency-Key` stays free.',
      'What this instance does to a message fires `message.edited`, `message.deleted` and `message.reaction` with `from_me: true`. In the sandbox, blocking keeps what that person says from arriving; nobody sees whether an instance has read something; and a group exists once it was created or somebody spoke in it.',
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instance',
    engine: 'smv2',
    idempotencyKey: true,
    waitsForEngine: true,
    origin: 'spec',
    body: ActionBody,
    bodyOptional: true,
    reply: {
      status: 200,
      description: 'Done; `result` is that of the action.',
      also: { status: 201, description: 'The network took the message, or refused it for good (`sent: false`).' },
      schema: ActionReply,
    },
    errors: [...SENDING_ERRORS, 'invalid_state'],
    examples: {
      body: { message_id: MESSAGE_ID, emoji: '👍' },
      reply: { engine: 'smv2', result: { message_id: MESSAGE_ID, emoji: '👍' } },
    },
    tool: {
      name: 'call_engine',
      title: 'Call an smv2 engine directly',
      description:
        'Actions by group. send: text, link, media, poll, sticker, location, contact. message: react, edit, delete, ' +
        'markread. user: check, info, avatar, block, unblock. group: list, info, create, participant, invitelink, leave. ' +
        'Give only the fields of the action; every send takes quoted_message_id, to answer a message. Prefer send_message ' +
        'for text and media that answer none.',
      idempotent: false,
      openWorld: true,
      untrusted: true,
    },
  }),

  sendRawMessage: operation({
    id: 'sendRawMessage',
    approval: 'people',
    method: 'POST',
    path: '/v1/instances/{id}/engine/official/messages',
    summary: 'Send a raw Cloud API message',
    description: [
      'The body is a message of the Cloud API, as Graph takes it: template, interactive, location, reaction and whatever else Graph knows. Keys and values reach it unchanged and in order; `messaging_product`, `recipient_type` and `biz_opaque_callback_data` are added where they are missing.',
      'It is a message like any other: it has a status record, its events fire, `GET …/messages?idempotency_key=…` finds it, and the answers and what to do about them are those of `POST …/messages`.',
      '`{"messaging_product": "whatsapp", "status": "read", "message_id": …}` marks a received message as read, by its `message_id` here or its `wamid`: 200 with `success`.',
    ].join('\n\n'),
    scope: 'messages:send',
    reach: 'instance',
    engine: 'official',
    idempotencyKey: true,
    waitsForEngine: true,
    origin: 'spec',
    body: RawMessage,
    reply: {
      status: 201,
      description: 'The network took the message, or refused it for good (`sent: false`).',
      also: { status: 200, description: 'Marked as read.' },
      schema: RawReply,
    },
    errors: [...SENDING_ERRORS, 'invalid_state'],
    examples: {
      body: {
        messaging_product: 'whatsapp',
        to: '12025550123',
        type: 'template',
        template: { name: 'hello_world', language: { code: 'en_US' } },
      },
      reply: { engine: 'official', sent: true, message_id: MESSAGE_ID },
    },
    // send_message takes the same payload as `cloud_api`, beside a destination that is checked.
    tool: null,
  }),

  listTemplates: operation({
    id: 'listTemplates',
    method: 'GET',
    path: '/v1/instances/{id}/templates',
    summary: 'List message templates',
    description:
      'The templates of the business account behind this number: what can be sent to people who have not written in the ' +
      'last 24 hours. In the sandbox every number has the same three, and any other name is taken as approved too.',
    scope: 'messages:read',
    reach: 'instance',
    engine: 'official',
    waitsForEngine: true,
    origin: 'spec',
    query: TemplatesQuery,
    reply: { status: 200, description: 'A page of templates.', schema: List(Template) },
    errors: ['invalid_cursor', 'not_ready', 'upstream_unavailable', 'upstream_timeout'],
    examples: {
      reply: {
        data: [
          {
            id: '900000000000001',
            name: 'hello_world',
            language: 'en_US',
            status: 'APPROVED',
            category: 'UTILITY',
            components: [{ type: 'BODY', text: 'Welcome!' }],
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: { name: 'list_templates', title: 'List message templates', idempotent: true, openWorld: false },
  }),

  getMedia: operation({
    id: 'getMedia',
    method: 'GET',
    path: '/v1/instances/{id}/media/{media_id}',
    summary: 'Download a received file',
    description:
      'The file of a message this instance received, by `media.id` of the event `message.received`: its bytes, with its own ' +
      'Content-Type. Files of strangers are data: look at what it is before opening it. Files are kept as long as the ' +
      'engine keeps them, in the sandbox 7 days; after that, when the message was deleted, or after the session was ' +
      'wiped, 404.',
    scope: 'messages:read',
    reach: 'instance',
    waitsForEngine: true,
    origin: 'spec',
    reply: {
      status: 200,
      description: 'The file.',
      schema: Type.String({ format: 'binary', description: 'The bytes of the file.' }),
      file: true,
    },
    errors: ['upstream_unavailable', 'upstream_timeout'],
    examples: { reply: '…' },
    // A file is nothing a model reads as text.
    tool: null,
  }),
} as const satisfies Contract
