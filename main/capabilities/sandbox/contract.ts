import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import {
  CatcherReply,
  CatcherView,
  GRAPH_FAULTS,
  GraphCredentials,
  MODEL_FAULTS,
  ModelReply,
  SandboxModel,
  LINK_FAULTS,
  PHONE_SETTINGS,
  SandboxCall,
  SandboxMessage,
  SandboxPhone,
  SandboxProfile,
  SEND_FAULTS,
  SPEECH,
  SpokenMessage,
} from '../../contract/sandbox.ts'
import { Body, Digits, List, Nullable, PageSize, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    sandbox: true
  }
}

const optionalSettings = {
  name: Type.Optional(PHONE_SETTINGS.name),
  online: Type.Optional(PHONE_SETTINGS.online),
  receipts: Type.Optional(PHONE_SETTINGS.receipts),
  delay_ms: Type.Optional(PHONE_SETTINGS.delay_ms),
  calls: Type.Optional(PHONE_SETTINGS.calls),
  passkey: Type.Optional(PHONE_SETTINGS.passkey),
  drop_receipts: Type.Optional(PHONE_SETTINGS.drop_receipts),
  duplicate_receipts: Type.Optional(PHONE_SETTINGS.duplicate_receipts),
}

const SettingsBody = Body(optionalSettings, { description: 'The fields to change. The others stay as they are.' })
export type SettingsBody = Static<typeof SettingsBody>

const ScanBody = Body(
  {
    qr: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 262_144,
        description:
          'The QR code of the instance: its decoded text, which starts with `SWITCHBOARD-SANDBOX:`, or the value of `qr` from `GET …/qr`.',
      }),
    ),
    pairing_code: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 16,
        description: '`pairing_code` from `GET …/qr`. Case and hyphen do not matter.',
      }),
    ),
  },
  { description: 'Exactly one of `qr` and `pairing_code`.' },
)
export type ScanBody = Static<typeof ScanBody>

const SpeechBody = Body(SPEECH, { description: '`to` and exactly one of `text`, `media_type` and `content`.' })
export type SpeechBody = Static<typeof SpeechBody>

const TapBody = Body(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Of the button, the row or the product.' }),
    ),
    response: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
        description: 'What the form or the address is filled with.',
      }),
    ),
    location: Type.Optional(
      Type.Object(
        {
          latitude: Type.Number({ minimum: -90, maximum: 90 }),
          longitude: Type.Number({ minimum: -180, maximum: 180 }),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
        },
        { additionalProperties: false, description: 'The place that the message asks for.' },
      ),
    ),
  },
  { description: 'What the message has: `id`, `response` or `location`.' },
)

const FaultKind = Type.Enum([...SEND_FAULTS, ...LINK_FAULTS])

const FaultBody = Body({
  kind: FaultKind,
  times: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 1,
      description: 'How many sends it affects. `drop`, `logout` and `ban` happen once, immediately.',
    }),
  ),
})

const GraphNumberBody = Body({
  number: Digits,
  name: Type.Optional(PHONE_SETTINGS.name),
  waba_id: Type.Optional(
    Type.String({
      pattern: '^[0-9]{5,30}$',
      description: 'Adds the number to an existing WhatsApp Business account. By default it gets a new one.',
    }),
  ),
  portfolio_id: Type.Optional(
    Type.String({
      pattern: '^[0-9]{5,30}$',
      description:
        'Adds the number to an existing Meta portfolio of the account. By default that of `waba_id`, or a new one.',
    }),
  ),
  messaging_limit: Type.Optional(
    Type.String({
      pattern: '^TIER_([0-9]{1,6}K?|UNLIMITED)$',
      default: 'TIER_250',
      description: 'Of a new portfolio: how many people its numbers reach in 24 hours outside the 24-hour window.',
    }),
  ),
  registered: Type.Optional(
    Type.Boolean({
      default: true,
      description: '`false` for a number that is new to the Cloud API and needs a PIN during onboarding.',
    }),
  ),
})
export type GraphNumberBody = Static<typeof GraphNumberBody>

const GraphFaultBody = Body({
  kind: Type.Enum([...GRAPH_FAULTS]),
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'How many sends or callbacks it affects.' }),
  ),
})

const ModelFaultBody = Body({
  kind: Type.Enum([...MODEL_FAULTS]),
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 1, description: 'How many requests it affects.' }),
  ),
})

const ModelRepliesBody = Body({ replies: Type.Array(ModelReply, { minItems: 1, maxItems: 100 }) })

const ReplyBody = Body({
  status: Type.Optional(Type.Integer({ ...CatcherReply.properties.status, default: 200 })),
  delay_ms: Type.Optional(Type.Integer({ ...CatcherReply.properties.delay_ms, default: 0 })),
  hang: Type.Optional(Type.Boolean({ ...CatcherReply.properties.hang, default: false })),
})

const PageQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
})
export type PageQuery = Static<typeof PageQuery>

const PhonesQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name or the number of the phone.' }),
  ),
})
export type PhonesQuery = Static<typeof PhonesQuery>

const PHONE_EXAMPLE = {
  number: '12025550123',
  name: 'Ana Souza',
  online: true,
  receipts: 'read',
  delay_ms: 0,
  calls: 'automatic',
  passkey: false,
  drop_receipts: false,
  duplicate_receipts: false,
  created_at: '2026-03-01T09:30:00.000Z',
} as const satisfies SandboxPhone

const MESSAGE_EXAMPLE = {
  id: '3EB001KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  message_id: 'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  from: '12025550100',
  to: '12025550123',
  group: null,
  type: 'text',
  text: 'Your order 1042 is on its way.',
  media: null,
  details: null,
  content: null,
  cloud_api: null,
  quoted_message_id: null,
  sent_at: '2026-03-01T09:30:00.000Z',
  received_at: '2026-03-01T09:30:00.600Z',
  edited_at: null,
  deleted_at: null,
  disappears_at: null,
  reactions: [],
} satisfies SandboxMessage

const SPOKEN_EXAMPLE = {
  ...MESSAGE_EXAMPLE,
  id: 'SANDBOX019CAA0B1C2D9F3A5B7C1D2E4F60',
  message_id: null,
  instance_id: null,
  from: '12025550123',
  to: '12025550100',
  text: 'Thank you!',
  received_at: '2026-03-01T09:30:00.000Z',
} satisfies SandboxMessage

const PROFILE_EXAMPLE = {
  number: '12025550100',
  name: 'Bakery Luz',
  about: 'Open from seven to noon',
  picture_url: 'https://media.sandbox/image.png',
  privacy: {
    ...{ last_seen: 'nobody', online: 'everyone', picture: 'everyone', about: 'everyone' },
    ...{ read_receipts: 'everyone', groups: 'everyone', calls: 'everyone' },
  },
  chats: [
    {
      ...{ chat: '12025550123', archived: false, pinned: true, unread: false, muted: false, muted_until: null },
      label_ids: ['1'],
    },
  ],
  labels: [{ label_id: '1', name: 'New order', color: 3 }],
  starred: ['SANDBOX019CAA0B1C2D9F3A5B7C1D2E4F60'],
  labeled_messages: [],
} satisfies SandboxProfile

const CALL_EXAMPLE = {
  call_id: '0197f0c2-7b4e-7a10-8c3d-2e9f5b6a1d70',
  instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  from: '12025550100',
  status: 'ringing',
  started_at: '2026-03-01T09:30:00.000Z',
} satisfies SandboxCall

const EVENT_EXAMPLE = '{"event_id":"evt_01KCW8ZJ4N3Q7V0F5T2B9XEMRD","type":"message.sent","attempt":1}'

/** The sandbox belongs to the account, so keys restricted to instances get 403. */
export const sandboxContract = {
  createSandboxPhone: operation({
    id: 'createSandboxPhone',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones',
    summary: 'Create a sandbox phone',
    description:
      'Creates a simulated phone for a number. A number gets a phone automatically when it is first used, so you only ' +
      'need this to configure it beforehand. If the number already has a phone, the fields you send are updated and the ' +
      'response is 200.\n\n' +
      'Numbers ending in these digits simulate problems: 0463 restricted, 0404 not on WhatsApp, 0410 fails after it was ' +
      'sent, 0502 unreachable (502), 0504 no response (504) and delivered later, 0007 never delivered. On the official ' +
      'engine also: 0047 window closed, 0026 undeliverable, 0429 throttled, 0190 token revoked. Any other number accepts, ' +
      'receives and reads messages.\n\n' +
      'On the official engine, a message that is not a template needs a message from that person to your number in the ' +
      'last 24 hours. Otherwise it is accepted and then fails with 131047, as at Meta. Let the phone write first, or send ' +
      'a template.\n\n' +
      'A number of fifteen digits starting with 9000000 simulates a person who hides their phone number: their messages ' +
      'carry `from_lid`, and you can reply to that id.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ number: Digits, ...optionalSettings }),
    reply: {
      status: 201,
      description: 'The new phone.',
      schema: SandboxPhone,
      also: { status: 200, description: 'The number already had a phone. It was updated.' },
    },
    errors: [],
    examples: { body: { number: '12025550123', name: 'Ana Souza' }, reply: PHONE_EXAMPLE },
    tool: { name: 'create_sandbox_phone', title: 'Create a sandbox phone', idempotent: true },
  }),

  listSandboxPhones: operation({
    id: 'listSandboxPhones',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/phones',
    summary: 'List sandbox phones',
    description: 'All sandbox phones of the account, newest first, including those created automatically.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    query: PhonesQuery,
    reply: { status: 200, description: 'A page of phones.', schema: List(SandboxPhone) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [PHONE_EXAMPLE], next_cursor: null, has_more: false } },
    tool: { name: 'list_sandbox_phones', title: 'List sandbox phones', idempotent: true },
  }),

  updateSandboxPhone: operation({
    id: 'updateSandboxPhone',
    effects: [],
    method: 'PATCH',
    path: '/v1/sandbox/phones/{number}',
    summary: 'Change how a sandbox phone behaves',
    description:
      'Takes a phone offline or online, and sets which receipts it sends, with what delay, who takes its calls, and its rarer behaviors. ' +
      'A number without a phone gets one.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: SettingsBody,
    reply: { status: 200, description: 'The updated phone.', schema: SandboxPhone },
    errors: [],
    examples: { body: { online: false }, reply: { ...PHONE_EXAMPLE, online: false } },
    tool: {
      name: 'update_sandbox_phone',
      title: 'Change how a sandbox phone behaves',
      idempotent: true,
    },
  }),

  listSandboxPhoneMessages: operation({
    id: 'listSandboxPhoneMessages',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/phones/{number}/messages',
    summary: 'Read what a sandbox phone has received',
    description:
      'The messages this phone has received, newest first, with their edits, deletions and reactions. Messages to a phone ' +
      'that is offline, or to a number that never receives, are not included. Kept for 7 days.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    query: PageQuery,
    reply: {
      status: 200,
      description: 'A page of messages. Empty for a number nobody wrote to.',
      schema: List(SandboxMessage),
    },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [MESSAGE_EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_sandbox_phone_messages',
      title: 'Read what a sandbox phone has received',
      idempotent: true,
      untrusted: true,
    },
  }),

  readSandboxProfile: operation({
    id: 'readSandboxProfile',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/phones/{number}/profile',
    summary: 'Read what a sandbox phone shows of itself',
    description:
      'The name, about text, picture and privacy settings of a phone, and how it lists its chats: what the actions ' +
      '`account`, `chat`, `label` and `message/star` of an instance with this number have changed.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    reply: { status: 200, description: 'As the owner of the phone sees it.', schema: SandboxProfile },
    errors: [],
    examples: { reply: PROFILE_EXAMPLE },
    tool: {
      ...{ name: 'read_sandbox_profile', title: 'Read what a sandbox phone shows of itself', idempotent: true },
      ...{ untrusted: true, onRequest: true },
    },
  }),

  joinGroupFromSandboxPhone: operation({
    id: 'joinGroupFromSandboxPhone',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/groups',
    summary: 'Let a sandbox phone join a group',
    description:
      'The phone opens the invite link of a sandbox group. `requested`: an admin of the group has to approve the ' +
      'request; an instance does it with group/approve.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({
      link: Type.String({
        pattern: '^https://chat\\.sandbox/[A-Z0-9]{8,64}$',
        maxLength: 256,
        description: 'The link that group/invitelink returned.',
        examples: ['https://chat.sandbox/7K3M9XQ27K3M9XQ27K3M9XQ2'],
      }),
    }),
    reply: {
      status: 200,
      description: 'The group.',
      schema: Type.Object({ group_id: Type.String(), state: Type.Enum(['joined', 'requested']) }),
    },
    errors: ['not_found', 'invalid_state'],
    examples: {
      body: { link: 'https://chat.sandbox/7K3M9XQ27K3M9XQ27K3M9XQ2' },
      reply: { group_id: 'SANDBOX7K3M9XQ27K3M9XQ2@g.us', state: 'requested' },
    },
    tool: {
      ...{ name: 'join_group_from_sandbox_phone', title: 'Let a sandbox phone join a group', idempotent: false },
      onRequest: true,
    },
  }),

  scanSandboxCode: operation({
    id: 'scanSandboxCode',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/scan',
    summary: 'Pair a sandbox phone with an instance',
    description:
      'Scans the QR code of an instance with this phone, or types its pairing code. The instance connects with the ' +
      'number of the phone, and `instance.connected` follows. A phone can be linked to several instances. If the phone ' +
      'has `passkey` set, the instance ends up in `passkey_required`. Codes expire (the first after 60 seconds, later ones ' +
      'after 20); an expired one answers 409 `invalid_state`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ScanBody,
    reply: {
      status: 200,
      description: 'The instance that showed the code, and the state of its pairing.',
      schema: Type.Object({ instance_id: Uuid, number: Digits, state: Type.Enum(['connected', 'passkey_required']) }),
    },
    errors: ['invalid_state'],
    examples: {
      body: { pairing_code: '7K3M-9XQ2' },
      reply: { instance_id: MESSAGE_EXAMPLE.instance_id, number: '12025550123', state: 'connected' },
    },
    tool: {
      name: 'scan_sandbox_code',
      title: 'Pair a sandbox phone with an instance',
      idempotent: false,
    },
  }),

  speakFromSandboxPhone: operation({
    id: 'speakFromSandboxPhone',
    // A word like STOP opts the number out.
    effects: ['people_later', 'simulated_people'],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages',
    summary: 'Send a message from a sandbox phone',
    description:
      'Sends a message from this phone to a number. Every instance with that number receives it (`message.received`), ' +
      'disconnected ones when they reconnect. Instances paired with the sending phone receive it too, with ' +
      '`from_me: true`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: SpeechBody,
    reply: { status: 201, description: 'The message, and the instances that receive it.', schema: SpokenMessage },
    errors: [],
    examples: {
      body: { to: '12025550100', text: 'Thank you!' },
      reply: { ...SPOKEN_EXAMPLE, instance_ids: [MESSAGE_EXAMPLE.instance_id] },
    },
    tool: {
      name: 'send_from_sandbox_phone',
      title: 'Send a message from a sandbox phone',
      idempotent: false,
    },
  }),

  editSandboxMessage: operation({
    id: 'editSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/edit',
    summary: 'Edit a message on a sandbox phone',
    description: 'Edits a text message sent from this phone. Instances receive `message.edited`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ text: Type.String({ minLength: 1, maxLength: LIMITS.textLength, description: 'The new text.' }) }),
    reply: { status: 200, description: 'The updated message.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: {
      body: { text: 'Thank you very much!' },
      reply: { ...SPOKEN_EXAMPLE, text: 'Thank you very much!', edited_at: '2026-03-01T09:31:00.000Z' },
    },
    tool: {
      name: 'edit_sandbox_message',
      title: 'Edit a message on a sandbox phone',
      idempotent: true,
    },
  }),

  deleteSandboxMessage: operation({
    id: 'deleteSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/delete',
    summary: 'Delete a message on a sandbox phone for everyone',
    description: 'Deletes a message sent from this phone, for everyone. Instances receive `message.deleted`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 200, description: 'The message, now without text.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: { reply: { ...SPOKEN_EXAMPLE, text: null, deleted_at: '2026-03-01T09:31:00.000Z' } },
    tool: {
      name: 'delete_sandbox_message',
      title: 'Delete a message on a sandbox phone for everyone',
      idempotent: false,
    },
  }),

  reactToSandboxMessage: operation({
    id: 'reactToSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/react',
    summary: 'React to a message on a sandbox phone',
    description:
      'Reacts to a message in one of this phone’s chats: one an instance sent (by `id` or `message_id`) or one of its own. ' +
      'An empty `emoji` removes the reaction. Instances receive `message.reaction`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ emoji: Type.String({ maxLength: 32, description: 'The reaction. An empty string removes it.' }) }),
    reply: { status: 200, description: 'The updated message.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: {
      body: { emoji: '👍' },
      reply: { ...MESSAGE_EXAMPLE, reactions: [{ from: '12025550123', emoji: '👍' }] },
    },
    tool: {
      name: 'react_to_sandbox_message',
      title: 'React to a message on a sandbox phone',
      idempotent: true,
    },
  }),

  callFromSandboxPhone: operation({
    id: 'callFromSandboxPhone',
    effects: ['simulated_people'],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/calls',
    summary: 'Call from a sandbox phone',
    description:
      'Calls `to`. It rings for 30 seconds at every instance that has this number. Their webhooks ' +
      '(`PUT /v1/instances/{id}/webhook`) receive `CALL`. Reject the call with `call/reject` of the smv2 engine.\n\n' +
      'Where voice is enabled, the call is also in the list of calls: an agent answers if the number is set to, or it ' +
      'rings in the window and somebody there answers or declines. The caller then says a few lines and hangs up.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ to: Digits, video: Type.Optional(Type.Boolean({ default: false })) }),
    reply: {
      status: 201,
      description: 'It rings.',
      schema: Type.Object({
        call_id: Type.String(),
        instance_ids: Type.Array(Uuid, { description: 'Where it rings. Empty if no instance has the number.' }),
        voice_call: Nullable(
          Type.Object(
            { instance_id: Uuid, call_id: Uuid },
            {
              description:
                'The call as `GET /v1/instances/{id}/voice/calls/{call_id}` shows it. `null`: it only rings, because voice is ' +
                'not enabled there, or it is a video call.',
            },
          ),
        ),
      }),
    },
    errors: [],
    examples: {
      body: { to: '12025550100' },
      reply: {
        call_id: SPOKEN_EXAMPLE.id,
        instance_ids: ['0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60'],
        voice_call: {
          instance_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
          call_id: '0197f0c2-7b4e-7a10-8c3d-2e9f5b6a1d70',
        },
      },
    },
    tool: { name: 'call_from_sandbox_phone', title: 'Call from a sandbox phone', idempotent: false },
  }),

  listCallsToSandboxPhone: operation({
    id: 'listCallsToSandboxPhone',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/phones/{number}/calls',
    summary: 'List calls to a sandbox phone',
    description:
      'Calls from your numbers that ring at this phone or were answered, the longest first, until they end. `call_id` is ' +
      'that of `GET /v1/instances/{id}/voice/calls/{call_id}`.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    reply: { status: 200, description: 'The calls.', schema: Type.Object({ data: Type.Array(SandboxCall) }) },
    errors: [],
    examples: { reply: { data: [CALL_EXAMPLE] } },
    tool: {
      name: 'list_calls_to_sandbox_phone',
      title: 'List calls to a sandbox phone',
      idempotent: true,
      onRequest: true,
    },
  }),

  answerSandboxCall: operation({
    id: 'answerSandboxCall',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/calls/{call_id}/answer',
    summary: 'Answer a call on a sandbox phone',
    description:
      'The phone answers a call from one of your numbers that rings at it. The person says a few lines and hangs up, ' +
      'unless somebody hangs up before. A call that was answered stays so. A call that has ended: 404.\n\n' +
      'Set `calls` of the phone to `manual`, or a simulated person may be faster.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Answered.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'answer_sandbox_call', title: 'Answer a call on a sandbox phone', idempotent: true, onRequest: true },
  }),

  hangUpSandboxCall: operation({
    id: 'hangUpSandboxCall',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/calls/{call_id}/hang-up',
    summary: 'Hang up on a sandbox phone',
    description:
      'The phone gives up a call that it began and that rings, declines one that rings at it, or ends one that was ' +
      'answered. A call that has ended: 404.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Hung up.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'hang_up_sandbox_call', title: 'Hang up on a sandbox phone', idempotent: false, onRequest: true },
  }),

  voteInSandboxPoll: operation({
    id: 'voteInSandboxPoll',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/vote',
    summary: 'Vote in a poll on a sandbox phone',
    description:
      'Votes in a poll in one of this phone’s chats. `options` are all options chosen now: they replace the earlier vote ' +
      'of this phone, and an empty list removes it. Instances receive `message.received` with `type: "poll_vote"`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({
      options: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        maxItems: 32,
        uniqueItems: true,
        description: 'Texts of options of the poll.',
      }),
    }),
    reply: { status: 200, description: 'The poll.', schema: SandboxMessage },
    errors: ['invalid_state'],
    examples: { body: { options: ['Today'] }, reply: { ...MESSAGE_EXAMPLE, type: 'poll', text: 'When?' } },
    tool: {
      name: 'vote_in_sandbox_poll',
      title: 'Vote in a poll on a sandbox phone',
      idempotent: true,
    },
  }),

  tapSandboxMessage: operation({
    id: 'tapSandboxMessage',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/phones/{number}/messages/{id}/tap',
    summary: 'Tap a button on a sandbox phone',
    description:
      'Taps a message with buttons, a list or a form that this phone has received. Instances receive what the phone sends ' +
      'back as `message.received`, with `content` of the type `button_reply`, `list_reply`, `flow_reply`, `order` or ' +
      '`location`. Links send nothing back.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: TapBody,
    reply: { status: 201, description: 'What the phone sent.', schema: SpokenMessage },
    errors: ['invalid_state'],
    examples: {
      body: { id: 'yes' },
      reply: { ...SPOKEN_EXAMPLE, text: 'Yes', instance_ids: [MESSAGE_EXAMPLE.instance_id] },
    },
    tool: {
      name: 'tap_sandbox_message',
      title: 'Tap a button on a sandbox phone',
      onRequest: true,
      idempotent: false,
    },
  }),

  causeSandboxFault: operation({
    id: 'causeSandboxFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/instances/{id}/faults',
    summary: 'Simulate a fault for a sandbox instance',
    description:
      'Faults for the next `times` sends: `unreachable` (502, nothing is sent), `timeout` (504; the message is delivered 5 ' +
      'seconds later), `restricted` (messages to people who never wrote are rejected with 463, and health shows the ' +
      'restriction for a minute; on the official engine they fail with 131048), `engine_down` (502, and health reports ' +
      'the engine as unreachable until the fault is used up or the instance is restarted).\n\n' +
      'Faults of the connection, which happen immediately: `drop` (the connection is lost and returns after 8 seconds), ' +
      '`logout` and `ban` (the session ends; restart and pair again). They need a paired instance, otherwise they answer ' +
      '409 `invalid_state`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: FaultBody,
    reply: {
      status: 201,
      description: 'The fault is set or, for connection faults, has happened.',
      schema: Type.Object({
        instance_id: Uuid,
        kind: FaultKind,
        times: Nullable(Type.Integer({ description: 'How many sends it will affect. `null` for connection faults.' })),
      }),
    },
    errors: ['invalid_state'],
    examples: {
      body: { kind: 'timeout', times: 2 },
      reply: { instance_id: MESSAGE_EXAMPLE.instance_id, kind: 'timeout', times: 2 },
    },
    tool: {
      name: 'cause_sandbox_fault',
      title: 'Simulate a fault for a sandbox instance',
      idempotent: false,
    },
  }),

  onboardSandboxInstance: operation({
    id: 'onboardSandboxInstance',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/instances/{id}/onboard',
    summary: 'Complete the onboarding of an official sandbox instance',
    description:
      'Does the same as the button on the page at `onboarding_url`: the instance connects with this number, and ' +
      '`instance.connected` follows. Answers 409 `invalid_state` if the instance already has a number.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: Body({ number: Digits }),
    reply: {
      status: 200,
      description: 'The instance is connected with the number.',
      schema: Type.Object({ instance_id: Uuid, number: Digits, connected: Type.Literal(true) }),
    },
    errors: ['engine_mismatch', 'invalid_state'],
    examples: {
      body: { number: '12025550200' },
      reply: { instance_id: MESSAGE_EXAMPLE.instance_id, number: '12025550200', connected: true },
    },
    tool: {
      name: 'onboard_sandbox_instance',
      title: 'Complete the onboarding of an official sandbox instance',
      idempotent: false,
    },
  }),

  createSandboxGraphNumber: operation({
    id: 'createSandboxGraphNumber',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/graph/numbers',
    summary: 'Create a number in the Graph API simulator',
    description:
      'With the setting `official.graph_base_url` set to `sandbox`, the service runs a simulator of Meta’s Graph API, and ' +
      'live official instances use it over HTTP in place of Meta. The response has the values their onboarding page asks ' +
      'for. Messages go to sandbox phones. Without that setting: 409 `invalid_state`.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: GraphNumberBody,
    reply: { status: 201, description: 'The credentials of the number.', schema: GraphCredentials },
    errors: ['invalid_state'],
    examples: {
      body: { number: '12025550200', name: 'Garden shop' },
      reply: {
        number: '12025550200',
        phone_number_id: '1065403522429220',
        waba_id: '1022901293403980',
        portfolio_id: '2729063490586005',
        access_token: 'EAASANDBOX5f0c',
        app_secret: '0123456789abcdef0123456789abcdef',
      },
    },
    tool: {
      name: 'create_sandbox_graph_number',
      title: 'Create a number in the Graph API simulator',
      idempotent: false,
    },
  }),

  causeSandboxGraphFault: operation({
    id: 'causeSandboxGraphFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/graph/numbers/{phone_number_id}/faults',
    summary: 'Simulate a Graph API fault',
    description:
      'Faults for the next `times` sends of the number: the connection closes before or after the message is accepted, or ' +
      'the response is late, a server error or truncated. `token_dead` revokes its access token. `reorder_callbacks` and ' +
      '`batch_callbacks` hold `times` callbacks and then send them in reverse order or in one request. ' +
      '`duplicate_callbacks` sends every callback twice until the service restarts.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: GraphFaultBody,
    reply: {
      status: 200,
      description: 'The fault that was set.',
      schema: Type.Object({
        phone_number_id: Type.String(),
        kind: Type.Enum([...GRAPH_FAULTS]),
        times: Type.Integer(),
      }),
    },
    errors: [],
    examples: {
      body: { kind: 'close_after_read' },
      reply: { phone_number_id: '1065403522429220', kind: 'close_after_read', times: 1 },
    },
    tool: {
      name: 'cause_sandbox_graph_fault',
      title: 'Simulate a Graph API fault',
      idempotent: true,
    },
  }),

  readSandboxModel: operation({
    id: 'readSandboxModel',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/model',
    summary: 'Read how to use the sandbox model',
    description:
      'The service runs a stand-in for a large language model. It speaks the protocols of OpenAI, Anthropic and Google, ' +
      'answers from the FAQ in its prompt and from the results of its tools, and gives the same answer to the same ' +
      'request. It is not a model: use it to try out agents and to test programs, without a key or any cost.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    reply: {
      status: 200,
      description: 'Its addresses, the key of the account and its last requests.',
      schema: SandboxModel,
    },
    errors: [],
    examples: {
      reply: {
        base_url: 'https://model.sandbox/v1',
        local_url: 'http://127.0.0.1:40123/v1',
        api_key: 'sk-sandbox-0197f0c2-5d0e-4a3b9c8d7e6f5a4b',
        models: ['sandbox-1', 'sandbox-embedding', 'sandbox-transcribe', 'sandbox-speech'],
        queued_replies: 0,
        requests: [
          {
            at: '2026-03-01T09:30:00.000Z',
            path: '/v1/chat/completions',
            model: 'sandbox-1',
            status: 200,
            fault: null,
          },
        ],
      },
    },
    tool: {
      name: 'read_sandbox_model',
      title: 'Read how to use the sandbox model',
      idempotent: true,
      onRequest: true,
    },
  }),

  queueSandboxModelReplies: operation({
    id: 'queueSandboxModelReplies',
    effects: ['people_later'],
    method: 'POST',
    path: '/v1/sandbox/model/replies',
    summary: 'Set the next replies of the sandbox model',
    description:
      'The next requests of the account get these replies in this order, instead of one from the prompt. A reply has ' +
      '`text`, `tool_calls` or both, and may take its time (`delay_ms`). At most 1,000 replies can wait (409 ' +
      '`invalid_state`); a restart removes them.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ModelRepliesBody,
    reply: {
      status: 200,
      description: 'How many replies wait now.',
      schema: Type.Object({ queued_replies: Type.Integer() }),
    },
    errors: ['invalid_state'],
    examples: {
      body: { replies: [{ text: 'We are open until 6 pm.' }] },
      reply: { queued_replies: 1 },
    },
    tool: {
      name: 'queue_sandbox_model_replies',
      title: 'Set the next replies of the sandbox model',
      idempotent: false,
      onRequest: true,
    },
  }),

  causeSandboxModelFault: operation({
    id: 'causeSandboxModelFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/model/faults',
    summary: 'Simulate a fault of the sandbox model',
    description:
      'Faults for the next `times` requests of the account: the key is refused, the rate limit is reached, the server ' +
      'fails, the connection closes in the middle of the answer, the answer or the arguments of a tool are not valid ' +
      'JSON, nothing is answered, or the answer starts two seconds late. Different faults occur one after another.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ModelFaultBody,
    reply: {
      status: 200,
      description: 'The fault that was set.',
      schema: Type.Object({ kind: Type.Enum([...MODEL_FAULTS]), times: Type.Integer() }),
    },
    errors: [],
    examples: { body: { kind: 'rate_limited' }, reply: { kind: 'rate_limited', times: 1 } },
    tool: {
      name: 'cause_sandbox_model_fault',
      title: 'Simulate a fault of the sandbox model',
      idempotent: true,
      onRequest: true,
    },
  }),

  resetSandboxModel: operation({
    id: 'resetSandboxModel',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/sandbox/model',
    summary: 'Reset the sandbox model',
    description: 'Ends all faults of the account and removes its waiting replies and its list of requests.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Reset.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'reset_sandbox_model',
      title: 'Reset the sandbox model',
      idempotent: true,
      onRequest: true,
    },
  }),

  readSandboxCatcher: operation({
    id: 'readSandboxCatcher',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/catcher/{name}',
    summary: 'Read what a catcher received',
    description:
      'A catcher is a test receiver inside the service. It gets the requests of webhooks whose `url` is ' +
      '`https://catcher.sandbox/{name}`, keeps the newest 10,000 with their exact body and whether the signature is valid, ' +
      'and answers 200 by default. Every name (1 to 64 letters, digits or . _ ~ -) has a catcher; you do not need to create ' +
      'it. Requests are listed newest first.',
    scope: 'instances:read',
    reach: 'account',
    origin: 'ours',
    query: PageQuery,
    reply: {
      status: 200,
      description: 'How the catcher responds, and a page of the requests it received.',
      schema: CatcherView,
    },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        name: 'orders',
        reply: { status: 200, delay_ms: 0, hang: false },
        data: [
          {
            received_at: '2026-03-01T09:30:00.200Z',
            headers: { 'content-type': 'application/json', 'x-service-attempt': '1' },
            body: EVENT_EXAMPLE,
            signature: 'valid',
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: {
      name: 'read_sandbox_catcher',
      title: 'Read what a catcher received',
      idempotent: true,
      untrusted: true,
    },
  }),

  setSandboxCatcherReply: operation({
    id: 'setSandboxCatcherReply',
    effects: [],
    method: 'PUT',
    path: '/v1/sandbox/catcher/{name}',
    summary: 'Set the response of a catcher',
    description:
      'Sets the status and delay the catcher responds with from the next request on, or makes it hang. Fields you leave ' +
      'out are reset to their defaults (200, no delay). Statuses 300 to 399 come with a `Location` that points back to the ' +
      'catcher.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    body: ReplyBody,
    reply: {
      status: 200,
      description: 'The new response.',
      schema: Type.Object({ name: Type.String(), reply: CatcherReply }),
    },
    errors: [],
    examples: { body: { status: 410 }, reply: { name: 'orders', reply: { status: 410, delay_ms: 0, hang: false } } },
    tool: {
      name: 'set_sandbox_catcher_reply',
      title: 'Set the response of a catcher',
      idempotent: true,
    },
  }),

  emptySandboxCatcher: operation({
    id: 'emptySandboxCatcher',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/sandbox/catcher/{name}',
    summary: 'Empty a catcher',
    description: 'Deletes all requests the catcher received. Its response setting is kept.',
    scope: 'instances:write',
    reach: 'account',
    origin: 'ours',
    reply: { status: 204, description: 'Emptied.', schema: null },
    errors: [],
    examples: {},
    tool: { name: 'empty_sandbox_catcher', title: 'Empty a catcher', idempotent: true },
  }),
} as const satisfies Contract
