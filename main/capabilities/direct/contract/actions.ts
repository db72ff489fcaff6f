import { Type, type Static } from 'typebox'
import { CHANNEL_ID, GROUP_ID, NUMBER } from '../../../contract/addresses.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { Body, Digits, MediaType } from '../../../contract/shapes.ts'

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
  channel: ['list', 'follow', 'unfollow', 'post'],
  chat: ['info', 'typing', 'archive', 'pin', 'mute', 'read', 'disappearing'],
  label: ['list', 'save', 'delete', 'chat', 'message'],
  account: ['online', 'name', 'about', 'picture', 'status', 'status-delete', 'privacy'],
} as const

const { image, audio, video, document, sticker } = LIMITS.mediaMegabytes

const Numbers = (description: string) =>
  Type.Array(Digits, { minItems: 1, maxItems: 50, uniqueItems: true, description })
export const Words = (most: number, description: string) => Type.String({ minLength: 1, maxLength: most, description })

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
        'The text of the message; for message/edit, the new text; for account/about, 139 characters; for account/status, 700. channel/post: what to post, instead of a file.',
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
        'send/media, send/sticker, group/picture, account/picture, channel/post: public http or https URL of the file, fetched within 10 seconds. Maximum size: ' +
          `image ${image} MB, audio ${audio} MB, video ${video} MB, document ${document} MB, sticker ${sticker} MB as image/webp. A sticker may also be a PNG, JPEG or GIF of ${image} MB, which is converted to 512 × 512 pixels. The sandbox has samples at https://media.sandbox, such as sticker.webp and picture.jpg.`,
      ),
    ),
    media_type: Type.Optional(
      Type.Enum([...MediaType.enum], {
        description: 'send/media: the type to send the file as. channel/post: image or video.',
      }),
    ),
    caption: Type.Optional(Words(LIMITS.captionLength, 'send/media, channel/post: caption of the file.')),
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
      Words(
        256,
        'group/join: the invite link, https://chat.whatsapp.com/… (https://chat.sandbox/… in the sandbox). channel/follow: the link of the channel, https://whatsapp.com/channel/… (https://channel.sandbox/… in the sandbox), in place of `channel_id`.',
      ),
    ),
    emoji: Type.Optional(Type.String({ maxLength: 32, description: 'message/react: the reaction. Empty removes it.' })),
    group_id: Type.Optional(Words(64, 'ID of a group, as returned by group/list.')),
    community_id: Type.Optional(Words(64, 'ID of a community, as returned by community/list.')),
    channel_id: Type.Optional(
      Type.String({
        pattern: `^${CHANNEL_ID}$`,
        description: 'The ID of a channel, as returned by channel/list and in `chat` of its posts.',
        examples: ['120363041234567890@newsletter'],
      }),
    ),
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

export const ActionReply = Type.Object({
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

/** All other actions have an effect on people: they see a read receipt, a new name or picture, or who is online. */
export const EFFECTS_BY_ACTION = {
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
    'channel/list': [],
    'channel/follow': [],
    'channel/unfollow': ['removal'],
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

export const TABLE = [
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
  '| channel/list | – | channels: [channel] |',
  '| channel/follow | channel_id?, link? | channel |',
  '| channel/unfollow | channel_id | channel_id, followed (false) |',
  '| channel/post | channel_id, text?, media_url?, media_type?, caption? | channel_id, posted, message_id |',
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
