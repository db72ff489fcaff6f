import { Type, type Static } from 'typebox'
import { USER_ID } from '../../contract/addresses.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body } from '../../contract/shapes.ts'
import { ActionBody, ActionReply, EFFECTS_BY_ACTION, TABLE, Words } from './contract/actions.ts'

export { ACTIONS } from './contract/actions.ts'

/**
 * Fields that only Graph knows are passed on unchecked. raw.ts checks which of these a payload needs, with clearer
 * errors than a union.
 */
const RawMessage = Type.Object(
  {
    to: Type.Optional(
      Type.String({
        pattern: '^\\+?[0-9]{7,15}$',
        description: 'The destination number with country code, 7 to 15 digits, with or without a leading +.',
        examples: ['12025550123'],
      }),
    ),
    recipient: Type.Optional(
      Type.String({
        pattern: `^${USER_ID}$`,
        description: 'Instead of `to`: the id of a person who hides their number.',
      }),
    ),
    type: Type.Optional(Type.String({ maxLength: 64, description: 'For example `template`. Default: `text`.' })),
    message_id: Type.Optional(
      Words(256, 'With `status: "read"`: the `message_id` or `wamid` of the message to mark as read.'),
    ),
    typing_indicator: Type.Optional(
      Type.Object(
        { type: Type.Literal('text') },
        {
          additionalProperties: false,
          description: 'With `status: "read"`: also shows for up to 25 seconds that you are writing an answer.',
        },
      ),
    ),
  },
  {
    additionalProperties: true,
    description:
      'A Cloud API message in Graph’s own format. `to` or `recipient` is required. With `status: "read"`, `message_id` is required and nothing is sent.',
  },
)
export type RawMessage = Static<typeof RawMessage> & Readonly<Record<string, unknown>>

const RawReply = Type.Object({
  engine: Type.Literal('official'),
  sent: Type.Optional(
    Type.Boolean({ description: 'Whether the network accepted the message, as for `POST …/messages`.' }),
  ),
  message_id: Type.Optional(
    Type.String({ pattern: '^msg_', description: 'Identifies the message in later calls and events.' }),
  ),
  success: Type.Optional(Type.Literal(true, { description: 'Only for `status: "read"`, which sends nothing.' })),
})

const TypingBody = Body({
  state: Type.Optional(
    Type.Enum(['typing', 'recording', 'paused'], {
      default: 'typing',
      description: 'What is shown; `paused` ends it.',
    }),
  ),
})

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
    effects: EFFECTS_BY_ACTION,
    method: 'POST',
    path: '/v1/instances/{id}/engine/smv2/{group}/{action}',
    summary: 'Call an smv2 engine directly',
    description: [
      'Does what only this engine can do: message kinds that `POST …/messages` does not cover, and actions on messages, people and groups. The path names the action and the body holds its fields, no others. An unknown group or action is 404.',
      TABLE,
      'A `group` is `{group_id, kind, community_id, name, owner, created_at, description, announce, locked, join_approval, member_add, participants: [{number, admin}]}` (`kind`: group, community, or announcements for the group in which a community’s admins write to everybody), a `label` is `{label_id, name, color}`. `reason` is null on success, otherwise `not_on_whatsapp`, `already_member`, `not_member`, `not_requested` or `refused`. Only admins see and answer requests to join; repeating an answer says `not_requested`.',
      '**A send is a message like any other**: it has a status record, its events fire, `GET …/messages?idempotency_key=…` finds it, and its responses, including replays, are those of `POST …/messages`. group/create, community/create, channel/post and label/save also accept the key: without one, a repeat creates another one. If the first call with a key was interrupted and may have been carried out, a repeat is 409 `idempotency_in_progress` and does nothing: look whether it exists, and use a new key if it does not. Other actions ignore the key, and repeating them is safe.',
      'Pictures are JPEG files, best square with 640 × 640 pixels; they are sent unchanged. account/status posts a text for 24 hours; account/status-delete takes it back. account/privacy returns all settings as they are afterwards; `contacts_except` can be set on the phone only, and null means that WhatsApp did not say. Labels belong to accounts of the WhatsApp Business app. The chat list and labels are those of the phone: the lists of Switchboard do not change. `chat/info` is what WhatsApp has said of the chat. A message that is sent to a chat with disappearing messages disappears with the others, on all phones; Switchboard keeps its record. In the sandbox, `GET /v1/sandbox/phones/{number}/profile` shows what these actions have changed, a status is among the messages of the phones that may see it, and a phone asks to join a group with `POST /v1/sandbox/phones/{number}/groups`.',
      'A **community** holds groups, and everybody in one of them is in the community. `community/groups` also names groups of it that this instance is not in; `members` is their number of people, or null. Only somebody who is an admin of both links a group; a group belongs to one community at most. Repeating a link or unlink changes nothing.',
      'A `channel` is `{channel_id, name, description, role, followers, link}`; `role` is owner, admin, follower or guest, who does not follow it. channel/follow takes either its ID or its link. Only its owner and admins post in it; channel/post takes either `text`, or `media_url` with `media_type` (image or video) and, if wanted, `caption`. What they post here is no message of `GET …/messages`. Repeating a follow or unfollow changes nothing; a post that is repeated without an `Idempotency-Key` is posted twice. Channels are made on the phone. In the sandbox, every number owns one, and finds https://channel.sandbox/SandboxNews, …/SandboxRecipes and …/SandboxTown; what a number posts is received by other numbers of the account that follow its channel.',
      'group/create and group/participant count people who have never exchanged a message with the number as first contacts of its safety budget; if too little of it is left, 409 `invalid_state` says until when, and nobody is added.',
      '`to` can be a group. `mentions` names members of it: write each one as `@` and the number in the text or caption.',
      '**message/forward** sends a message of this instance, from any chat and either side, to another chat, where it is marked as forwarded. It is a send like the others. A file is not uploaded again. Text, files, locations, contacts and polls can be forwarded; a poll starts without votes. 409 `invalid_state`: the message was deleted, may be seen only once, or is of another kind.',
      '`quoted_message_id` makes a send a reply that shows the quoted message. You can quote any message of the chat with `to`, from either side. A message from another chat is 400, one this instance does not have is 404 `not_found`, and one that was deleted or that the network does not have is 409 `invalid_state`. Nothing is sent in these cases, and the `Idempotency-Key` can be used again.',
      'What this instance does to a message fires `message.edited`, `message.deleted` and `message.reaction` with `from_me: true`. In the sandbox, blocking stops that person’s messages, read receipts, typing and online are not shown to anyone, and a group exists once it was created or somebody wrote in it.',
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
      description: 'Done; `result` depends on the action.',
      also: {
        status: 201,
        description: 'The network accepted the message, or rejected it permanently (`sent: false`).',
      },
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
        'Actions by group. send: text, link, media, poll, sticker, location, contact. message: forward, react, edit, delete, ' +
        'markread, star, pin. call: reject. user: check, info, avatar, block, unblock. group: list, info, create, participant, subject, ' +
        'description, settings, picture, invitelink, join, leave, requests, approve, reject. chat: info, typing, archive, pin, mute, read, disappearing. label: list, save, ' +
        'delete, chat, message. account: online, name, about, picture, status, status-delete, privacy. Send only the fields of the action. Every send takes a number or the id of a group as `to`, and quoted_message_id to reply to a message. ' +
        'Prefer send_message for plain text and media.',
      idempotent: false,
      untrusted: true,
    },
  }),

  sendRawMessage: operation({
    id: 'sendRawMessage',
    effects: ['people'],
    method: 'POST',
    path: '/v1/instances/{id}/engine/official/messages',
    summary: 'Send a raw Cloud API message',
    description: [
      'The body is a Cloud API message in Graph’s own format: template, interactive, location, reaction or anything else Graph accepts. Keys and values are passed on unchanged and in order; `messaging_product`, `recipient_type` and `biz_opaque_callback_data` are added where missing.',
      'It is a message like any other: it has a status record, its events fire, `GET …/messages?idempotency_key=…` finds it, and its responses are those of `POST …/messages`.',
      '`{"messaging_product": "whatsapp", "status": "read", "message_id": …}` marks a received message as read, by its `message_id` or its `wamid`: 200 with `success`. With `"typing_indicator": {"type": "text"}` it also shows that you are writing.',
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
      description: 'The network accepted the message, or rejected it permanently (`sent: false`).',
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
    // send_message takes the same payload as `cloud_api`, with a destination that is checked.
    tool: null,
  }),

  showChatTyping: operation({
    id: 'showChatTyping',
    effects: ['people'],
    method: 'POST',
    path: '/v1/instances/{id}/chats/{chat}/typing',
    summary: 'Show that you are typing',
    description:
      'Shows in the chat that somebody is writing. Phones stop showing it after some seconds, or when a message is ' +
      'sent; repeat the call to show it longer. On the official engine it is shown for up to 25 seconds and also marks ' +
      'the newest message of the person as read, because Meta has no other way: 409 `invalid_state` if they have not ' +
      'written to this number. There, `recording`, `paused` and groups are 400 `engine_mismatch`.',
    scope: 'messages:send',
    reach: 'instance',
    waitsForEngine: true,
    origin: 'ours',
    body: TypingBody,
    bodyOptional: true,
    reply: { status: 204, description: 'It is shown.', schema: null },
    errors: ['engine_mismatch', 'invalid_state', 'not_ready', 'upstream_unavailable', 'upstream_timeout'],
    examples: { body: { state: 'typing' } },
    tool: { name: 'show_typing', title: 'Show that you are typing', onRequest: true, idempotent: true },
  }),

  getMedia: operation({
    id: 'getMedia',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/media/{media_id}',
    summary: 'Download a received file',
    description:
      'Returns the file of a message this instance received, by `media.id` of the event `message.received`, with ' +
      'its own Content-Type. Files come from strangers: check what they are before opening them. A file is kept as ' +
      'long as the engine keeps it, 7 days in the sandbox. After that, or once the message was deleted or the ' +
      'session erased, the response is 404. If the event said `media.pending`, the file is fetched now: 502 or 504 ' +
      'means that it is not here yet, so try again later.',
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
    // A model cannot read the file as text.
    tool: null,
  }),
} as const satisfies Contract
