import { Type, type Static } from 'typebox'
import { GROUP_ID, NUMBER, USER_ID } from '../../contract/addresses.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, MediaType } from '../../contract/shapes.ts'

/** The actions of an smv2 engine, by group. Anything else is 404. */
export const ACTIONS = {
  send: ['text', 'link', 'media', 'poll', 'sticker', 'location', 'contact'],
  message: ['forward', 'react', 'edit', 'delete', 'markread', 'star', 'pin'],
  call: ['reject'],
  user: ['check', 'info', 'avatar', 'block', 'unblock'],
  group: [
    ...(['list', 'info', 'create', 'participant', 'subject', 'description', 'settings', 'picture'] as const),
    ...(['invitelink', 'join', 'leave', 'requests', 'approve', 'reject'] as const),
  ],
  community: ['list', 'create', 'groups', 'members', 'link', 'unlink'],
  chat: ['info', 'typing', 'archive', 'pin', 'mute', 'read', 'disappearing'],
  label: ['list', 'save', 'delete', 'chat', 'message'],
  account: ['online', 'name', 'about', 'picture', 'status', 'status-delete', 'privacy'],
} as const

const { image, audio, video, document, sticker } = LIMITS.mediaMegabytes

const Numbers = (description: string) =>
  Type.Array(Digits, { minItems: 1, maxItems: 50, uniqueItems: true, description })
const Words = (most: number, description: string) => Type.String({ minLength: 1, maxLength: most, description })

const PrivacyChanges = Body(
  {
    last_seen: Type.Optional(
      Type.Enum(['everyone', 'contacts', 'nobody'], { description: 'Who sees when this number was last online.' }),
    ),
    online: Type.Optional(Type.Enum(['everyone', 'same_as_last_seen'], { description: 'Who sees when it is online.' })),
    picture: Type.Optional(Type.Enum(['everyone', 'contacts', 'nobody'], { description: 'Who sees its picture.' })),
    about: Type.Optional(Type.Enum(['everyone', 'contacts', 'nobody'], { description: 'Who sees its about text.' })),
    read_receipts: Type.Optional(
      Type.Enum(['everyone', 'nobody'], { description: 'Whether people see that their messages were read.' }),
    ),
    groups: Type.Optional(Type.Enum(['everyone', 'contacts'], { description: 'Who may add it to groups.' })),
    calls: Type.Optional(
      Type.Enum(['everyone', 'known'], {
        description: 'Who may call it; `known` means contacts and people it has written to.',
      }),
    ),
  },
  { minProperties: 1, description: 'account/privacy: the settings to change. Without it, nothing changes.' },
)

/** Every field an action can have. fields.ts checks which belong together, with clearer errors than a union. */
export const ActionBody = Body(
  {
    to: Type.Optional(
      // Not the shared Digits: the description completes the error "to must be …".
      Type.String({
        pattern: `^(?:${NUMBER}|${GROUP_ID})$`,
        description: 'The destination number with country code, 7 to 15 digits only, or the id of a group.',
        examples: ['12025550123'],
      }),
    ),
    text: Type.Optional(
      Words(
        LIMITS.textLength,
        'The text of the message; for message/edit, the new text; for account/about, 139 characters; for account/status, 700.',
      ),
    ),
    url: Type.Optional(Words(LIMITS.mediaUrlLength, 'send/link: the URL of the preview; http or https.')),
    title: Type.Optional(
      Words(256, 'send/link: title of the preview. Without `title` and `description`, both are read from the page.'),
    ),
    description: Type.Optional(
      Words(
        1_024,
        'send/link: description under the title. group/description: what the group is about; without it the description is removed. community/create: what the community is about.',
      ),
    ),
    media_url: Type.Optional(
      Words(
        LIMITS.mediaUrlLength,
        'send/media, send/sticker, group/picture, account/picture: public http or https URL of the file, fetched within 10 seconds. Maximum size: ' +
          `image ${image} MB, audio ${audio} MB, video ${video} MB, document ${document} MB, sticker ${sticker} MB as image/webp. A sticker may also be a PNG, JPEG or GIF of ${image} MB, which is converted to 512 × 512 pixels. The sandbox has samples at https://media.sandbox, such as sticker.webp and picture.jpg.`,
      ),
    ),
    media_type: Type.Optional(
      Type.Enum([...MediaType.enum], { description: 'send/media: the type to send the file as.' }),
    ),
    caption: Type.Optional(Words(LIMITS.captionLength, 'send/media: caption of the file.')),
    filename: Type.Optional(Words(LIMITS.filenameLength, 'send/media: file name the recipient sees.')),
    question: Type.Optional(Words(255, 'send/poll: the question.')),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 2,
        maxItems: 12,
        uniqueItems: true,
        description: 'send/poll: the options to choose from.',
      }),
    ),
    max_choices: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 12,
        description: 'send/poll: how many options a person may choose. Default: 1.',
      }),
    ),
    latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'send/location, in degrees.' })),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180, description: 'send/location, in degrees.' })),
    address: Type.Optional(Words(256, 'send/location: postal address.')),
    name: Type.Optional(
      Words(
        100,
        'Name of the place, the contact, the group, the community or the label; for account/name, 25 characters.',
      ),
    ),
    number: Type.Optional(
      Type.String({
        pattern: '^[0-9]{7,15}$',
        description: 'The number of the contact or person, 7 to 15 digits only.',
      }),
    ),
    contacts: Type.Optional(
      Type.Array(Body({ name: Words(100, 'Name of the contact.'), number: Digits }), {
        minItems: 1,
        maxItems: 50,
        description: 'send/contact: several contacts, in place of `name` and `number`.',
      }),
    ),
    gif: Type.Optional(
      Type.Boolean({
        description:
          'send/media with a video: plays it in a loop without sound, as a GIF. Send an mp4, or a GIF file (image/gif), ' +
          'which is converted.',
      }),
    ),
    voice: Type.Optional(
      Type.Boolean({
        description:
          'send/media with audio: sends it as a voice note. mp3, m4a, aac and wav are converted to Ogg/Opus, mono. Without ' +
          'it, only an Ogg/Opus file becomes a voice note.',
      }),
    ),
    numbers: Type.Optional(
      Numbers(
        'user/check: the numbers to look up. account/status: who may see it, if they have saved this number. account/status-delete: the same numbers as for account/status.',
      ),
    ),
    message_id: Type.Optional(
      Words(
        128,
        '`message_id` of a message this instance sent or received. account/status-delete: the `message_id` that account/status returned.',
      ),
    ),
    quoted_message_id: Type.Optional(
      Words(128, 'All send actions: `message_id` of the message in the chat with `to` to reply to.'),
    ),
    call_id: Type.Optional(Words(128, 'call/reject: `call_id` of the `CALL` event, while it rings.')),
    mentions: Type.Optional(
      Type.Array(Digits, {
        minItems: 1,
        maxItems: LIMITS.mentions,
        uniqueItems: true,
        description: 'send/text, send/link and send/media to a group: members to mention, each written as @number.',
      }),
    ),
    state: Type.Optional(
      Type.Enum(['typing', 'recording', 'paused'], {
        description: 'chat/typing: what to show in the chat with `to`. Phones stop showing it after some seconds.',
      }),
    ),
    online: Type.Optional(
      Type.Boolean({
        description:
          'account/online: whether contacts see this number as online. Its phone shows no notifications meanwhile. Off ' +
          'after each start of the service.',
      }),
    ),
    link: Type.Optional(
      Words(256, 'group/join: the invite link, https://chat.whatsapp.com/… (https://chat.sandbox/… in the sandbox).'),
    ),
    emoji: Type.Optional(Type.String({ maxLength: 32, description: 'message/react: the reaction. Empty removes it.' })),
    group_id: Type.Optional(Words(64, 'ID of a group, as returned by group/list.')),
    community_id: Type.Optional(Words(64, 'ID of a community, as returned by community/list.')),
    change: Type.Optional(
      Type.Enum(['add', 'remove', 'promote', 'demote'], { description: 'group/participant: the change to make.' }),
    ),
    participants: Type.Optional(
      Numbers(
        'group/create, group/participant: numbers of the participants. group/approve, group/reject: numbers from group/requests.',
      ),
    ),
    announce: Type.Optional(Type.Boolean({ description: 'group/settings: true lets only admins write in the group.' })),
    locked: Type.Optional(
      Type.Boolean({
        description: 'group/settings: true lets only admins change name, picture and description of the group.',
      }),
    ),
    join_approval: Type.Optional(
      Type.Boolean({ description: 'group/settings: true makes admins approve everybody who wants to join.' }),
    ),
    member_add: Type.Optional(
      Type.Enum(['everyone', 'admins'], { description: 'group/settings: which members may add others.' }),
    ),
    archived: Type.Optional(Type.Boolean({ description: 'chat/archive: true archives the chat with `to`.' })),
    pinned: Type.Optional(
      Type.Boolean({
        description:
          'chat/pin: true pins the chat with `to`. WhatsApp pins three. message/pin: true pins the message at the top of its chat, for everybody in it.',
      }),
    ),
    for: Type.Optional(
      Type.Enum([1, 7, 30], { description: 'message/pin: days after which the message is unpinned. Default: 7.' }),
    ),
    starred: Type.Optional(
      Type.Boolean({ description: 'message/star: true adds the message to the starred messages of the phone.' }),
    ),
    privacy: Type.Optional(PrivacyChanges),
    muted: Type.Optional(Type.Boolean({ description: 'chat/mute: true mutes the chat with `to` on the phone.' })),
    until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'chat/mute: when the chat is heard again. Default: when somebody changes it.',
      }),
    ),
    read: Type.Optional(
      Type.Boolean({
        description:
          'chat/read: true marks the chat with `to` as read in the lists of the phone, false as unread. Nobody gets a read receipt: message/markread sends one.',
      }),
    ),
    seconds: Type.Optional(
      Type.Enum([0, 86_400, 604_800, 7_776_000], {
        description:
          'chat/disappearing: after how long new messages of the chat with `to` disappear for everybody in it: a day, a week or 90 days. 0: they stay.',
      }),
    ),
    label_id: Type.Optional(Words(64, 'ID of a label, as returned by label/list. label/save: the label to change.')),
    color: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 19,
        description: 'label/save: one of the 20 colors of WhatsApp. Default: 0.',
      }),
    ),
    labeled: Type.Optional(
      Type.Boolean({ description: 'label/chat, label/message: true attaches the label, false removes it.' }),
    ),
    renew: Type.Optional(
      Type.Boolean({ description: 'group/invitelink: true creates a new link and revokes the previous one.' }),
    ),
  },
  { description: 'The fields of the action, as listed in the table above.' },
)
export type ActionBody = Static<typeof ActionBody>

const ActionReply = Type.Object({
  engine: Type.Literal('smv2'),
  sent: Type.Optional(
    Type.Boolean({
      description: '`send` and message/forward: whether the network accepted the message, as for `POST …/messages`.',
    }),
  ),
  message_id: Type.Optional(
    Type.String({
      pattern: '^msg_',
      description: '`send` and message/forward: identifies the message in later calls and events.',
    }),
  ),
  result: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'All other actions: as listed in the table above.' }),
  ),
})

/** Everything that is not listed reaches people: they see a read mark, a new name or picture, or who is online. */
const EFFECTS_BY_ACTION = {
  by: ['group', 'action'],
  effects: {
    'message/delete': ['removal', 'people'],
    'message/star': [],
    'account/status-delete': ['removal', 'people'],
    'user/check': [],
    'user/info': [],
    'user/avatar': [],
    'user/block': ['removal'],
    'user/unblock': ['access'],
    'group/list': [],
    'group/requests': [],
    'group/approve': ['people', 'access'],
    'group/reject': ['people', 'removal'],
    'group/info': [],
    'group/create': ['people', 'access'],
    'group/settings': ['people', 'access'],
    'group/participant': ['people', 'access'],
    'group/invitelink': ['people', 'invitation'],
    'group/join': ['people', 'access'],
    'group/leave': ['people', 'removal'],
    'community/list': [],
    'community/groups': [],
    'community/members': [],
    'community/create': [],
    'community/link': ['people', 'access'],
    'community/unlink': ['people', 'removal'],
    'chat/info': [],
    'chat/archive': [],
    'chat/pin': [],
    'chat/mute': [],
    'chat/read': [],
    'label/list': [],
    'label/save': [],
    'label/delete': ['removal'],
    'label/chat': [],
    'label/message': [],
  },
  otherwise: ['people'],
} as const

const TABLE = [
  '| Action | Fields (? = optional) | `result` |',
  '|---|---|---|',
  '| send/text | to, text, mentions?, quoted_message_id? | – |',
  '| send/link | to, url, text?, title?, description?, mentions?, quoted_message_id? | – |',
  '| send/media | to, media_url, media_type, caption?, filename?, gif?, voice?, mentions?, quoted_message_id? | – |',
  '| send/poll | to, question, options, max_choices?, quoted_message_id? | – |',
  '| send/sticker | to, media_url, quoted_message_id? | – |',
  '| send/location | to, latitude, longitude, name?, address?, quoted_message_id? | – |',
  '| send/contact | to, name and number or contacts: [{name, number}], quoted_message_id? | – |',
  '| message/forward | message_id, to | – |',
  '| message/react | message_id, emoji | message_id, emoji |',
  '| message/edit | message_id, text | message_id, text |',
  '| message/delete | message_id | message_id, deleted |',
  '| message/markread | message_id | message_id, read |',
  '| message/star | message_id, starred | message_id, starred |',
  '| message/pin | message_id, pinned, for? | message_id, pinned, for (days, null when unpinned) |',
  '| call/reject | call_id | call_id, rejected |',
  '| user/check | numbers | numbers: [{number, exists, canonical}] |',
  '| user/info | number | number, name, about, business |',
  '| user/avatar | number | number, url (null if there is none or it is hidden) |',
  '| user/block, user/unblock | number | number, blocked |',
  '| group/list | – | groups: [group] |',
  '| group/info | group_id | group |',
  '| group/create | name, participants | group, and participants: [{number, done, reason}] |',
  '| group/participant | group_id, change, participants | group_id, participants: [{number, done, reason}] |',
  '| group/subject | group_id, name | group_id, name |',
  '| group/description | group_id, description? | group_id, description |',
  '| group/settings | group_id, announce?, locked?, join_approval?, member_add? | group_id, and what was set |',
  '| group/picture | group_id, media_url | group_id, changed |',
  '| group/invitelink | group_id, renew? | group_id, link |',
  '| group/join | link | group_id, joined |',
  '| group/leave | group_id | group_id, left |',
  '| group/requests | group_id | group_id, requests: [{number, requested_at}] |',
  '| group/approve, group/reject | group_id, participants | group_id, participants: [{number, done, reason}] |',
  '| community/list | – | communities: [group] |',
  '| community/create | name, description? | community: group |',
  '| community/groups | community_id | community_id, groups: [{group_id, kind, name, members}] |',
  '| community/members | community_id | community_id, numbers |',
  '| community/link, community/unlink | community_id, group_id | community_id, group_id, linked |',
  '| chat/info | to | to, disappearing_seconds (0: messages stay) |',
  '| chat/typing | to, state | to, state |',
  '| chat/archive | to, archived | to, archived |',
  '| chat/pin | to, pinned | to, pinned |',
  '| chat/mute | to, muted, until? | to, muted, until |',
  '| chat/read | to, read | to, read |',
  '| chat/disappearing | to, seconds | to, seconds |',
  '| label/list | – | labels: [label] |',
  '| label/save | name, color?, label_id? | label |',
  '| label/delete | label_id | label_id, deleted |',
  '| label/chat | to, label_id, labeled | to, label_id, labeled |',
  '| label/message | message_id, label_id, labeled | message_id, label_id, labeled |',
  '| account/online | online | online |',
  '| account/name | name | name |',
  '| account/about | text | text |',
  '| account/picture | media_url | changed |',
  '| account/status | text, numbers | posted, message_id |',
  '| account/status-delete | message_id, numbers | message_id, deleted |',
  '| account/privacy | privacy? | last_seen, online, picture, about, read_receipts, groups, calls |',
].join('\n')

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
      '**A send is a message like any other**: it has a status record, its events fire, `GET …/messages?idempotency_key=…` finds it, and its responses, including replays, are those of `POST …/messages`. Other actions ignore `Idempotency-Key`. Repeating them is safe, except group/create, community/create and label/save without `label_id`, which create another one.',
      'Pictures are JPEG files, best square with 640 × 640 pixels; they are sent unchanged. account/status posts a text for 24 hours; account/status-delete takes it back. account/privacy returns all settings as they are afterwards; `contacts_except` can be set on the phone only, and null means that WhatsApp did not say. Labels belong to accounts of the WhatsApp Business app. The chat list and labels are those of the phone: the lists of Switchboard do not change. `chat/info` is what WhatsApp has said of the chat. A message that is sent to a chat with disappearing messages disappears with the others, on all phones; Switchboard keeps its record. In the sandbox, `GET /v1/sandbox/phones/{number}/profile` shows what these actions have changed, a status is among the messages of the phones that may see it, and a phone asks to join a group with `POST /v1/sandbox/phones/{number}/groups`.',
      'A **community** holds groups, and everybody in one of them is in the community. `community/groups` also names groups of it that this instance is not in; `members` is their number of people, or null. Only somebody who is an admin of both links a group; a group belongs to one community at most. Repeating a link or unlink changes nothing. The sandbox has no communities: these actions are 400 `engine_mismatch` there.',
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
    // A model cannot read a file as text.
    tool: null,
  }),
} as const satisfies Contract
