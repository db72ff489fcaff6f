import { Type, type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Digits, List, MediaType, Nullable, Timestamp, Uuid } from './shapes.ts'

/** The words of the simulated network. */

const RECEIPTS = ['none', 'delivered', 'read'] as const
/** How far a phone confirms what it gets. */
export type Receipts = (typeof RECEIPTS)[number]

/** Faults that wait for the next sends of an instance. */
export const SEND_FAULTS = ['unreachable', 'timeout', 'restricted', 'engine_down'] as const
export type SendFault = (typeof SEND_FAULTS)[number]

/** Faults of the link: they happen at once. */
export const LINK_FAULTS = ['drop', 'logout', 'ban'] as const
export type LinkFault = (typeof LINK_FAULTS)[number]

/** What the simulated Graph API can do wrong with the next sends of a number, and with what it calls back. */
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
] as const
export type GraphFault = (typeof GRAPH_FAULTS)[number]

/** What connects a live official instance to a simulated number, as the onboarding page asks for it. */
export const GraphCredentials = Type.Object({
  number: Digits,
  phone_number_id: Type.String(),
  waba_id: Type.String({ description: 'Id of the WhatsApp Business account the number belongs to.' }),
  access_token: Type.String({ description: 'Good at the simulator only.' }),
  app_secret: Type.String({ description: 'Signs what the simulator calls back.' }),
})
export type GraphCredentials = Static<typeof GraphCredentials>

/** What may stand after the slash of a catcher's address. */
export const CATCHER_NAME = '^[A-Za-z0-9._~-]{1,64}$'

const SECONDS = 1_000
const LONGEST_DELAY_MS = 10 * 60 * SECONDS

export const PHONE_SETTINGS = {
  name: Type.String({
    minLength: 1,
    maxLength: LIMITS.instanceNameLength,
    description:
      'What the person calls themselves; instances see it as `push_name`, and as their own name when paired.',
  }),
  online: Type.Boolean({
    description:
      'false: messages to this phone stay `sent`. When it goes online again it receives all of them, in order, and then confirms them.',
  }),
  receipts: Type.Enum([...RECEIPTS], {
    description:
      'How far the phone confirms: `read` (usual), `delivered` only, or `none`. It applies to everything not confirmed yet.',
  }),
  delay_ms: Type.Integer({
    minimum: 0,
    maximum: LONGEST_DELAY_MS,
    description: 'Added to the times at which this phone receives and reads, in milliseconds.',
  }),
  passkey: Type.Boolean({
    description: 'true: the account asks for a passkey when it is to be linked, so a scan leads to `passkey_required`.',
  }),
  drop_receipts: Type.Boolean({ description: 'true: the delivered receipt is lost; `read` comes without it.' }),
  duplicate_receipts: Type.Boolean({ description: 'true: every receipt of this phone comes twice.' }),
} as const

export const SandboxPhone = Type.Object({
  number: Digits,
  ...PHONE_SETTINGS,
  created_at: Timestamp,
})
export type SandboxPhone = Static<typeof SandboxPhone>

export const SandboxMessage = Type.Object({
  id: Type.String({
    description:
      'Id of the message on the sandbox network; equals `engine_message_id` of the status record. Use it to edit, delete, react and quote.',
  }),
  message_id: Nullable(
    Type.String({ description: 'Id of the message when an instance sent it; null when a phone said it.' }),
  ),
  instance_id: Nullable(
    Type.String({ format: 'uuid', description: 'The instance that sent it; null when a phone said it.' }),
  ),
  from: Digits,
  to: Digits,
  group: Nullable(Type.String({ description: 'Id of the group it was said in; null outside groups.' })),
  type: Type.String({
    description:
      'text, image, video, audio or document; for `cloud_api` the type of its payload, for example template.',
  }),
  text: Nullable(Type.String({ description: 'null when there is none, and when the message was deleted.' })),
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
      description: 'What words cannot say of a location, a contact, a poll or a link; null for anything else.',
    }),
  ),
  cloud_api: Nullable(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The raw payload, when it was sent as one.' }),
  ),
  quoted_message_id: Nullable(Type.String({ description: '`id` of the message it answers.' })),
  sent_at: Timestamp,
  received_at: Nullable(Timestamp),
  edited_at: Nullable(Timestamp),
  deleted_at: Nullable(Timestamp),
  reactions: Type.Array(Type.Object({ from: Digits, emoji: Type.String() })),
})
export type SandboxMessage = Static<typeof SandboxMessage>

export const SpokenMessage = Type.Object({
  ...SandboxMessage.properties,
  instance_ids: Type.Array(Uuid, {
    description:
      'Instances that are told of it: now, or, if they are disconnected, when they connect again. Empty: no instance has the number.',
  }),
})
export type SpokenMessage = Static<typeof SpokenMessage>

/** What a phone says: text, or a sample file. */
export const SPEECH = {
  to: Digits,
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.textLength,
      description: 'A text message. Either this or `media_type`.',
    }),
  ),
  media_type: Type.Optional(
    Type.Enum([...MediaType.enum], {
      description: 'A media message: the sample file of this kind. Either this or `text`.',
    }),
  ),
  media_url: Type.Optional(
    Type.String({
      maxLength: LIMITS.mediaUrlLength,
      description:
        'One of the sample files of https://media.sandbox, for example https://media.sandbox/image.png. Only with `media_type`, and may be left out.',
    }),
  ),
  caption: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.captionLength, description: 'Only with `media_type`.' }),
  ),
  filename: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.filenameLength, description: 'Only with `media_type`.' }),
  ),
  group: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._@-]{1,64}$',
      description:
        'Id of a group, 1 to 64 letters, digits or . _ @ -: said in this group, which `to` is a member of. Any id is a group.',
    }),
  ),
  quoted_message_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Answers this message: its `id`, or the `message_id` of one an instance sent.',
    }),
  ),
  referral: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'What comes with a first message after a click on an ad; handed on as it is.',
    }),
  ),
} as const

export const CatcherReply = Type.Object({
  status: Type.Integer({ minimum: 200, maximum: 599, description: 'Status it answers with.' }),
  delay_ms: Type.Integer({
    minimum: 0,
    maximum: 60 * SECONDS,
    description: 'How long it waits before answering, in milliseconds.',
  }),
  hang: Type.Boolean({ description: 'true: it never answers.' }),
})
export type CatcherReply = Static<typeof CatcherReply>

const CaughtRequest = Type.Object({
  received_at: Timestamp,
  headers: Type.Record(Type.String(), Type.String(), { description: 'As they came, names in lower case.' }),
  body: Type.String({ description: 'The exact text of the body.' }),
  signature: Type.Enum(['valid', 'invalid', 'none'], {
    description:
      '`valid`: made with the secret of a webhook of this address over these exact bytes, at a timestamp at most 300 seconds away. `none`: there was no signature.',
  }),
})

export const CatcherView = Type.Object({ name: Type.String(), reply: CatcherReply, ...List(CaughtRequest).properties })
export type CatcherView = Static<typeof CatcherView>
