import { Type, type Static } from 'typebox'
import { HealthIssue } from './health-issue.ts'
import { LIMITS } from './limits.ts'
import { Digits, Engine, InstanceStatus, Network, Nullable, Timestamp, Uuid } from './shapes.ts'

export const InstanceName = Type.String({
  minLength: 1,
  maxLength: LIMITS.instanceNameLength,
  description: 'Display name; need not be unique.',
})

export const ExternalRef = Type.String({
  minLength: 1,
  maxLength: LIMITS.externalRefLength,
  description: 'Your own ID for the instance. Unique among the instances of the account that are not deleted.',
})

/** Limits keys with `propertyNames`: the pattern of a TypeBox record would let keys with a line break pass unchecked. */
export const Metadata = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    {
      additionalProperties: Type.String({ maxLength: LIMITS.metadataValueLength }),
      propertyNames: Type.String({ minLength: 1, maxLength: LIMITS.metadataKeyLength }),
      maxProperties: LIMITS.metadataPairs,
      description: `Up to ${LIMITS.metadataPairs} key–value pairs; keys have 1 to ${LIMITS.metadataKeyLength} characters, values up to ${LIMITS.metadataValueLength}. Included in every event of the instance.`,
    },
  ),
)

export const InstanceRecord = Type.Object({
  id: Uuid,
  name: InstanceName,
  instance_name: Type.String({
    description:
      'Slug of the first name, for URLs and file names: lower-case letters, digits and hyphens. Unique; never changes.',
  }),
  engine: Engine,
  status: InstanceStatus,
  status_since: Type.String({ format: 'date-time', description: 'When the instance entered its current `status`.' }),
  connected: Type.Boolean({ description: 'Logged in and ready to send.' }),
  logged_in: Type.Boolean({
    description: 'A session is stored that the network has not rejected. The instance may still be offline right now.',
  }),
  network: Network,
  phone_number: Nullable(Digits),
  profile_name: Nullable(Type.String({ description: 'Name of the connected account.' })),
  external_ref: Nullable(ExternalRef),
  metadata: Nullable(Metadata),
  onboarding_url: Type.Optional(
    Type.String({
      format: 'uri',
      description:
        'Page where a number is connected. Only in the response that creates an `official` instance. Later, ' +
        'create an access link instead.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Type.String({
    format: 'date-time',
    description: 'When any field of this record last changed. Strictly increasing across the account.',
  }),
  last_connected_at: Nullable(Timestamp),
  last_disconnect_reason: Nullable(
    Type.String({
      description:
        'For example `user`, `logout`, `qr_expired`, `logged_out`, `restored`, `banned` or `temporary_ban`; otherwise ' +
        'the reason the engine gave. A ban stays here until a pairing succeeds.',
    }),
  ),
  banned_until: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When a temporary ban ends. Null if there is none or the network did not say.',
    }),
  ),
})
export type InstanceRecord = Static<typeof InstanceRecord>

/** What remains of a deleted instance (spec: Incremental listing rules). */
export const DeletedInstance = Type.Object({
  id: Uuid,
  external_ref: Nullable(ExternalRef),
  metadata: Nullable(Metadata),
  deleted_at: Timestamp,
})
export type DeletedInstance = Static<typeof DeletedInstance>

const cursorText = Nullable(
  Type.String({ description: 'Send it as `cursor` to get the next page; null on the last page.' }),
)

/** GET /v1/instances without `updated_since`. */
export const PlainList = Type.Object(
  {
    data: Type.Array(InstanceRecord),
    count: Type.Integer({ minimum: 0, description: 'Total number of matching instances.' }),
    next_cursor: Type.Optional(cursorText),
    has_more: Type.Optional(Type.Boolean()),
  },
  { title: 'Instances', description: 'Without `updated_since`: newest first.' },
)

export type PlainList = Static<typeof PlainList>

/** GET /v1/instances with `updated_since` (spec: Incremental listing rules). */
export const ChangeList = Type.Object(
  {
    data: Type.Array(InstanceRecord, { description: 'Instances changed since `updated_since`, oldest change first.' }),
    deleted: Type.Array(DeletedInstance, {
      description:
        'Instances deleted since `updated_since`, oldest first. The same on every page with the same `updated_since` and `limit`.',
    }),
    next_cursor: cursorText,
    has_more: Type.Boolean({ description: 'There are more changes: repeat the call with `cursor`.' }),
    deleted_has_more: Type.Boolean({
      description:
        'There are more deletions: once `has_more` is false, repeat the call with `updated_since` set to the last `deleted_at` you received.',
    }),
  },
  { title: 'Changed instances', description: 'With `updated_since`.' },
)
export type ChangeList = Static<typeof ChangeList>

export const ConnectionView = Type.Object({
  connected: Type.Boolean({ description: 'Logged in and ready to send.' }),
  logged_in: Type.Boolean({ description: 'A session is stored. The instance may still be offline right now.' }),
  name: Nullable(Type.String({ description: 'Name of the connected account.' })),
  number: Nullable(Digits),
})
export type ConnectionView = Static<typeof ConnectionView>

/** Options for the browser, in the form that `PublicKeyCredential.parseRequestOptionsFromJSON` accepts. */
const PasskeyOptions = Type.Object(
  {
    challenge: Type.String({ description: 'Base64url.' }),
    rpId: Type.Optional(Type.String()),
    timeout: Type.Optional(Type.Number({ minimum: 0 })),
    userVerification: Type.Optional(Type.String()),
    allowCredentials: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    extensions: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  {
    description:
      'Only in step `sign`, once WhatsApp has sent them: what to pass to `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get` on a page of `origin`.',
  },
)

export const PasskeyView = Type.Object(
  {
    step: Type.Enum(['sign', 'phone', 'compare', 'finishing'], {
      description:
        '`sign`: the owner confirms with the passkey. `phone`: WhatsApp on the phone has to answer; keep it open. ' +
        '`compare`: the phone shows a code, compare it with `code`. `finishing`: the phone is linking the device.',
    }),
    options: Type.Optional(PasskeyOptions),
    origin: Type.String({
      format: 'uri',
      description: 'The only site on which the browser may use this passkey.',
    }),
    deadline: Type.String({ format: 'date-time', description: 'When this step fails if nothing happens.' }),
    code: Type.Optional(Type.String({ description: 'Only in step `compare`: what the phone must show too.' })),
    attempt: Type.Integer({
      minimum: 1,
      description:
        'Send it back with the answer. It changes when WhatsApp asks again, and earlier answers are refused.',
    }),
  },
  { description: 'Only while `state` is `passkey_required`: what to do next.' },
)
export type PasskeyView = Static<typeof PasskeyView>

/** The browser's answer to the options; password managers add fields of their own. */
export const PasskeyCredential = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    rawId: Type.String({ minLength: 1 }),
    type: Type.String(),
    response: Type.Object(
      {
        clientDataJSON: Type.String({ minLength: 1 }),
        authenticatorData: Type.String({ minLength: 1 }),
        signature: Type.String({ minLength: 1 }),
        userHandle: Type.Optional(Nullable(Type.String())),
      },
      { additionalProperties: true },
    ),
  },
  {
    additionalProperties: true,
    description: '`toJSON()` of the credential that `navigator.credentials.get` returned.',
  },
)
export type PasskeyCredential = Static<typeof PasskeyCredential>

export const QrView = Type.Object({
  qr: Nullable(
    Type.String({ description: 'The current QR code as a PNG data URI; null if there is nothing to scan.' }),
  ),
  pairing_code: Nullable(
    Type.String({
      description:
        'Code to type on the phone instead of scanning. Request it with `?phone=`; the sandbox always returns one.',
    }),
  ),
  state: Type.Enum(['pending', 'ready', 'expired', 'connected', 'passkey_required'], {
    description:
      '`pending`: the code is being created; read again in a second. `ready`: scan it. `expired`: call qr/refresh. ' +
      '`connected`: nothing to scan. `passkey_required`: the account requires a passkey; see `passkey`.',
  }),
  expires_at: Nullable(Timestamp),
  attempt: Type.Integer({
    minimum: 0,
    description: 'Number of the code in this pairing; 0 before the first. A code can change before it expires.',
  }),
  passkey: Type.Optional(PasskeyView),
})
export type QrView = Static<typeof QrView>

const Count = Nullable(Type.Integer({ minimum: 0 }))

export const HealthView = Type.Object({
  instance_id: Uuid,
  engine: Engine,
  status: Type.Enum(['ok', 'degraded', 'down', 'unknown'], {
    description: '`degraded`: it works, but see `issues`. `unknown`: the engine reports nothing.',
  }),
  connected: Type.Boolean(),
  logged_in: Type.Boolean(),
  engine_reachable: Nullable(Type.Boolean()),
  checked_at: Timestamp,
  last_seen_at: Nullable(Timestamp),
  last_message_at: Nullable(Timestamp),
  latency_ms: Nullable(Type.Number({ minimum: 0 })),
  uptime_seconds: Nullable(
    Type.Integer({ minimum: 0, description: 'Since the connection was established; null while there is none.' }),
  ),
  reconnects_24h: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description:
      'How often a lost connection came back in the last 24 hours, after its loss was announced by ' +
      '`instance.disconnected`. Restarts and disconnects you requested are not counted.',
  }),
  queue: Type.Object({ pending: Count, oldest_seconds: Count }, { description: 'Messages accepted but not sent yet.' }),
  webhooks: Type.Object(
    { pending: Count, failing: Count },
    {
      description:
        'Deliveries of this instance’s events that are pending, and how many of those failed at least once. ' +
        'A failing account webhook does not make the instance `degraded`.',
    },
  ),
  restriction: Nullable(
    Type.Object(
      { active: Type.Boolean(), kind: Type.String(), until: Nullable(Timestamp) },
      { description: 'A limit the network put on the number, for example a temporary ban.' },
    ),
  ),
  quality: Nullable(
    Type.Object(
      { rating: Type.String(), messaging_limit: Type.String(), account_mode: Type.String() },
      { description: '`official` only.' },
    ),
  ),
  issues: Type.Array(HealthIssue),
})
export type HealthView = Static<typeof HealthView>

export const SessionPassphrase = Type.String({
  minLength: 12,
  maxLength: 200,
  description: 'Encrypts an exported session. Keep it apart from the export.',
})
