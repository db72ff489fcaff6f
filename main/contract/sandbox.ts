import { Type, type Static } from 'typebox'
import type { PasskeyCredential } from './instance.ts'
import { LIMITS } from './limits.ts'
import { MessageContent } from './message-content.ts'
import { Digits, List, MediaType, Nullable, Timestamp, Uuid } from './shapes.ts'

const RECEIPTS = ['none', 'delivered', 'read'] as const
/** Which receipts a phone sends. */
export type Receipts = (typeof RECEIPTS)[number]

const CALL_ANSWERS = ['automatic', 'manual'] as const
/** How a phone answers calls. */
export type CallAnswer = (typeof CALL_ANSWERS)[number]

/** Faults that affect the next sends of an instance. */
export const SEND_FAULTS = ['unreachable', 'timeout', 'restricted', 'engine_down'] as const
export type SendFault = (typeof SEND_FAULTS)[number]

/** Faults of the connection, which happen immediately. */
export const LINK_FAULTS = ['drop', 'logout', 'ban'] as const
export type LinkFault = (typeof LINK_FAULTS)[number]

/** Faults of the simulated Graph API, in sends and in callbacks. */
export const GRAPH_FAULTS = [
  'close_before_read',
  'close_after_read',
  'slow_headers',
  'server_error',
  'malformed_json',
  'token_dead',
  'duplicate_callbacks',
  'reorder_callbacks',
  'batch_callbacks',
  // Refusals by Meta that last until a person acts.
  'payment_missing',
  'display_name_pending',
  'number_limited',
  'not_registered',
  'template_paused',
  'template_disabled',
] as const
export type GraphFault = (typeof GRAPH_FAULTS)[number]

/** Faults of the sandbox model, in its next requests. */
export const MODEL_FAULTS = [
  'unauthorized',
  'rate_limited',
  'server_error',
  'cut_stream',
  'malformed_json',
  'malformed_tool_call',
  'silence',
  'slow_headers',
] as const
export type ModelFault = (typeof MODEL_FAULTS)[number]

/** A reply of the sandbox model that replaces an answer found in its prompt. */
export const ModelReply = Type.Object(
  {
    text: Type.Optional(Type.String({ maxLength: 32_000, description: 'What it says.' })),
    tool_calls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 64 }),
            arguments: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
              description: 'Sent as they are, even if the tool does not take them.',
            }),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 10, description: 'Tools it calls.' },
      ),
    ),
    delay_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 60_000, default: 0, description: 'How long it thinks.' }),
    ),
  },
  { additionalProperties: false },
)
export type ModelReply = Static<typeof ModelReply>

/** How a program calls the sandbox model, and the received requests. */
export const SandboxModel = Type.Object({
  base_url: Type.String({ description: '`base_url` for agents with the provider `custom`. It stays the same.' }),
  local_url: Nullable(
    Type.String({ description: 'The same for other programs on this computer; changes with every restart.' }),
  ),
  api_key: Type.String({ description: 'Works with the sandbox model only.' }),
  models: Type.Array(Type.String()),
  queued_replies: Type.Integer(),
  requests: Type.Array(
    Type.Object({
      at: Timestamp,
      path: Type.String(),
      model: Nullable(Type.String()),
      status: Nullable(Type.Integer({ description: 'null: the connection was closed without a response.' })),
      fault: Nullable(Type.Enum([...MODEL_FAULTS])),
    }),
    { description: 'The last 100 requests of the account, newest first.' },
  ),
})
export type SandboxModel = Static<typeof SandboxModel>

/** Values for the onboarding page that connect a live official instance to a simulated number. */
export const GraphCredentials = Type.Object({
  number: Digits,
  phone_number_id: Type.String(),
  waba_id: Type.String({ description: 'The WhatsApp Business account of the number.' }),
  portfolio_id: Type.String({ description: 'The Meta business of the number, whose numbers share a messaging limit.' }),
  access_token: Type.String({ description: 'Works with the simulator only.' }),
  app_secret: Type.String({ description: 'The simulator signs its callbacks with it.' }),
})
export type GraphCredentials = Static<typeof GraphCredentials>

const PASSKEY_ID = 'c2FuZGJveC1wYXNza2V5'
/** The passkey of every sandbox phone: its answer is always the same, and only its id is checked. */
export const SANDBOX_CREDENTIAL = {
  id: PASSKEY_ID,
  rawId: PASSKEY_ID,
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA', userHandle: null },
} as const satisfies PasskeyCredential

export const CATCHER_NAME = '^[A-Za-z0-9._~-]{1,64}$'

const SECONDS = 1_000
const LONGEST_DELAY_MS = 10 * 60 * SECONDS

export const PHONE_SETTINGS = {
  name: Type.String({
    minLength: 1,
    maxLength: LIMITS.instanceNameLength,
    description:
      'The person’s name. Instances see it as `push_name`, and as their profile name when paired with this phone.',
  }),
  online: Type.Boolean({
    description:
      'While `false`, messages to this phone stay `sent`. When it is back online, it receives and confirms them in order.',
  }),
  receipts: Type.Enum([...RECEIPTS], {
    description:
      'Which receipts the phone sends: `read` (default), `delivered` only, or `none`. Also applies to messages it has not confirmed yet.',
  }),
  delay_ms: Type.Integer({
    minimum: 0,
    maximum: LONGEST_DELAY_MS,
    description: 'Delays delivery and reading on this phone, in milliseconds.',
  }),
  calls: Type.Enum([...CALL_ANSWERS], {
    description:
      'Who takes calls from your numbers. `automatic` (default): a simulated person answers after two seconds, or does ' +
      'not, by the last four digits: 0486 busy, 0480 no answer, 0603 declines. `manual`: it rings until somebody answers ' +
      'or declines in the window or with `POST /v1/sandbox/phones/{number}/calls/{call_id}/answer` and `…/hang-up`.',
  }),
  passkey: Type.Boolean({
    description:
      'If `true`, linking this phone requires a passkey, so a scan leads to `passkey_required`. Answer with ' +
      '`POST /v1/instances/{id}/passkey/response` and the credential of its example, then compare the codes.',
  }),
  drop_receipts: Type.Boolean({ description: 'If `true`, the delivered receipt is lost and only `read` arrives.' }),
  duplicate_receipts: Type.Boolean({ description: 'If `true`, every receipt of this phone arrives twice.' }),
} as const

export const SandboxPhone = Type.Object({
  number: Digits,
  ...PHONE_SETTINGS,
  created_at: Timestamp,
})
export type SandboxPhone = Static<typeof SandboxPhone>

const Audience = Type.String({ description: 'As in the result of account/privacy.' })

/** A phone's profile and chat list. */
export const SandboxProfile = Type.Object({
  number: Digits,
  name: Type.String(),
  about: Type.String(),
  picture_url: Type.String({ description: 'At https://media.sandbox, which only Switchboard can fetch.' }),
  privacy: Type.Object({
    last_seen: Audience,
    online: Audience,
    picture: Audience,
    about: Audience,
    read_receipts: Audience,
    groups: Audience,
    calls: Audience,
  }),
  chats: Type.Array(
    Type.Object({
      chat: Type.String({ description: 'A number, or the id of a group.' }),
      archived: Type.Boolean(),
      pinned: Type.Boolean(),
      unread: Type.Boolean({ description: 'Marked as unread.' }),
      muted: Type.Boolean(),
      muted_until: Nullable(Timestamp),
      label_ids: Type.Array(Type.String()),
    }),
    { description: 'Chats whose place in the list was changed; 500 at most.' },
  ),
  labels: Type.Array(Type.Object({ label_id: Type.String(), name: Type.String(), color: Type.Integer() })),
  starred: Type.Array(Type.String(), { description: '`id` of each starred message.' }),
  labeled_messages: Type.Array(Type.Object({ id: Type.String(), label_id: Type.String() })),
})
export type SandboxProfile = Static<typeof SandboxProfile>

export const SandboxCall = Type.Object({
  call_id: Uuid,
  instance_id: Uuid,
  from: Nullable(Digits),
  status: Type.Enum(['ringing', 'in_progress']),
  started_at: Timestamp,
})
export type SandboxCall = Static<typeof SandboxCall>

export const SandboxMessage = Type.Object({
  id: Type.String({
    description:
      'Id of the message on the sandbox network, equal to `engine_message_id` of the status record. Use it to edit, delete, react and quote.',
  }),
  message_id: Nullable(
    Type.String({ description: 'Id of the message if an instance sent it, `null` if a phone did.' }),
  ),
  instance_id: Nullable(
    Type.String({ format: 'uuid', description: 'The instance that sent it, or `null` if a phone did.' }),
  ),
  from: Digits,
  to: Digits,
  group: Nullable(
    Type.String({ description: 'Id of the group, `status@broadcast` for a status, or `null` outside of both.' }),
  ),
  type: Type.String({
    description:
      'status for a status; otherwise text, image, video, audio or document. For `cloud_api`, the type of its payload, for example template.',
  }),
  text: Nullable(Type.String({ description: '`null` if there is none or the message was deleted.' })),
  media: Nullable(
    Type.Object({
      mime_type: Type.String(),
      size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
      filename: Nullable(Type.String()),
      caption: Nullable(Type.String()),
    }),
  ),
  details: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Structured content of a location, contact, poll or link preview. `null` for anything else.',
    }),
  ),
  content: Nullable(MessageContent),
  cloud_api: Nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The raw Cloud API payload, if it was sent as one.' }),
  ),
  quoted_message_id: Nullable(Type.String({ description: '`id` of the quoted message.' })),
  sent_at: Timestamp,
  received_at: Nullable(Timestamp),
  edited_at: Nullable(Timestamp),
  deleted_at: Nullable(Timestamp),
  disappears_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When a message of a chat with disappearing messages, or a status, leaves the phone.',
    }),
  ),
  reactions: Type.Array(Type.Object({ from: Digits, emoji: Type.String() })),
})
export type SandboxMessage = Static<typeof SandboxMessage>

export const SpokenMessage = Type.Object({
  ...SandboxMessage.properties,
  instance_ids: Type.Array(Uuid, {
    description:
      'Instances that receive it, disconnected ones when they reconnect. Empty if no instance has the number.',
  }),
})
export type SpokenMessage = Static<typeof SpokenMessage>

const REFERRAL_FIELDS = {
  maxProperties: LIMITS.referralFields,
  propertyNames: Type.String({ maxLength: LIMITS.metadataKeyLength }),
}
const ReferralValue = Type.Union([
  Type.String({ maxLength: LIMITS.referralTextLength }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
])
/** Such as `welcome_message`, which has a text. */
const ReferralPart = Type.Record(Type.String(), ReferralValue, REFERRAL_FIELDS)

export const SPEECH = {
  to: Digits,
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.textLength,
      description: 'Sends a text message. Give either this or `media_type`.',
    }),
  ),
  media_type: Type.Optional(
    Type.Enum([...MediaType.enum], {
      description: 'Sends the sample file of this kind. Give either this or `text`.',
    }),
  ),
  media_url: Type.Optional(
    Type.String({
      maxLength: LIMITS.mediaUrlLength,
      description:
        'The URL of the sample file, for example https://media.sandbox/image.png. Only with `media_type`; optional.',
    }),
  ),
  caption: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.captionLength, description: 'Only with `media_type`.' }),
  ),
  filename: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.filenameLength, description: 'Only with `media_type`.' }),
  ),
  content: Type.Optional(
    Type.Object(
      { type: Type.String({ maxLength: 32 }) },
      {
        additionalProperties: true,
        description:
          'Sends another kind of message: a value of `content` as `message.received` has it, for example ' +
          '`{"type": "location", "latitude": 52.5, "longitude": 13.4, "name": "Office", "address": null, "url": null, "live": false}`. ' +
          'Give either this, `text` or `media_type`.',
      },
    ),
  ),
  view_once: Type.Optional(Type.Boolean({ description: 'Only with `media_type`: the file can be viewed once.' })),
  forwarded: Type.Optional(
    Type.Boolean({
      description: 'Marks it as forwarded from another chat. Not with `quoted_message_id`.',
    }),
  ),
  frequently_forwarded: Type.Optional(
    Type.Boolean({ description: 'Marks it as forwarded many times. Only with `forwarded`.' }),
  ),
  group: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._@-]{1,64}$',
      description:
        'Sends the message in this group, with `to` as a member. Any id of 1 to 64 letters, digits or . _ @ - is a group.',
    }),
  ),
  quoted_message_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Quotes this message: its `id`, or the `message_id` of one an instance sent.',
    }),
  ),
  referral: Type.Optional(
    Type.Record(Type.String(), Type.Union([...ReferralValue.anyOf, ReferralPart]), {
      ...REFERRAL_FIELDS,
      description:
        'The referral of a first message after a click on an ad, passed on unchanged: fields as Meta has them, such as ' +
        '`source_url`, `source_id`, `headline`, `ctwa_clid` and `welcome_message`.',
    }),
  ),
} as const

export const CatcherReply = Type.Object({
  status: Type.Integer({ minimum: 200, maximum: 599, description: 'The status code it responds with.' }),
  delay_ms: Type.Integer({
    minimum: 0,
    maximum: 60 * SECONDS,
    description: 'How long it waits before responding, in milliseconds.',
  }),
  hang: Type.Boolean({ description: 'If `true`, it never responds.' }),
})
export type CatcherReply = Static<typeof CatcherReply>

const CaughtRequest = Type.Object({
  received_at: Timestamp,
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The headers as received, with names in lower case.',
  }),
  body: Type.String({ description: 'The exact body.' }),
  signature: Type.Enum(['valid', 'invalid', 'none'], {
    description:
      '`valid`: signed with the secret of a webhook with this URL, with a timestamp at most 300 seconds off. `none`: not signed.',
  }),
})

export const CatcherView = Type.Object({ name: Type.String(), reply: CatcherReply, ...List(CaughtRequest).properties })
export type CatcherView = Static<typeof CatcherView>
