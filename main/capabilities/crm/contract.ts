import { Type, type Static } from 'typebox'
import {
  BACKFILL_STATES,
  CrmSyncPatch,
  CrmWebhookView,
  FIELD_MAP_DEFAULT,
  FieldMap,
  GhlView,
  SYNC_DEFAULT,
  type CrmBackfill,
} from '../../contract/crm.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import {
  GHL_FAULTS,
  GhlContact,
  GhlContactBody,
  GhlConversation,
  GhlMessage,
  GhlMessageBody,
} from '../../contract/sandbox-ghl.ts'
import { Body, List, Nullable, PageSize, Timestamp } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    crm: true
  }
}

const LOCATION = 've9EPM428h8vShlRW1KT'

const ConnectBody = Body(
  {
    mode: Type.Enum(['oauth', 'token'], {
      description:
        '`oauth`: a person allows the connection on the page `authorization_url`. `token`: with a private integration token.',
    }),
    location_id: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description:
          'The location (sub-account). Needed with `token`, and if the person installs the app for a whole agency.',
        examples: [LOCATION],
      }),
    ),
    token: Type.Optional(
      Type.String({ minLength: 1, maxLength: LIMITS.crmTokenLength, description: 'With `mode: token` only.' }),
    ),
  },
  { description: 'With `oauth`, only `location_id` may be added; with `token`, both other fields are needed.' },
)
export type ConnectBody = Static<typeof ConnectBody>

const Connecting = Type.Object({
  mode: Type.Enum(['oauth', 'token']),
  authorization_url: Nullable(
    Type.String({ description: 'Open it in a browser. `null` with `token`: the instance is connected.' }),
  ),
  expires_at: Nullable({ ...Timestamp, description: 'The page can be used once, for ten minutes.' }),
})
export type Connecting = Static<typeof Connecting>

const BackfillWish = Type.Enum(
  BACKFILL_STATES.filter((state) => state !== 'done'),
  { description: 'Pauses, resumes or ends the backfill.' },
)

const GhlPatch = Body({
  sync: Type.Optional(CrmSyncPatch),
  paused: Type.Optional(Type.Boolean({ description: 'Holds everything back, both ways, until it is `false`.' })),
  field_map: Type.Optional(FieldMap),
  backfill: Type.Optional(BackfillWish),
})

const WebhookPatch = Body({
  sync: Type.Optional(CrmSyncPatch),
  paused: Type.Optional(Type.Boolean({ description: 'Holds everything back, both ways, until it is `false`.' })),
  backfill: Type.Optional(BackfillWish),
})

const WebhookBody = Body({
  url: Type.String({
    minLength: 1,
    maxLength: LIMITS.webhookUrlLength,
    description:
      'Where events are posted. Must use https:// and resolve to a public address. `https://catcher.sandbox/{name}` works without a receiver.',
    examples: ['https://n8n.example.com/webhook/switchboard'],
  }),
  sync: Type.Optional(CrmSyncPatch),
})
export type WebhookBody = Static<typeof WebhookBody>

const BackfillBody = Body({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.crmBackfillDays,
      default: LIMITS.crmBackfillDaysDefault,
      description: 'How far back.',
    }),
  ),
})

const SecretOnce = Type.Object({
  ...CrmWebhookView.properties,
  secret: Nullable(
    Type.String({ description: 'Begins with `whsec_`. Returned only when it is created or rotated, else `null`.' }),
  ),
})

const RotateBody = Body({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.overlapSeconds,
      default: LIMITS.overlapSeconds,
      description: 'How long the old secret is still accepted and used beside the new one.',
    }),
  ),
})

const BACKFILL_EXAMPLE: CrmBackfill = {
  state: 'running',
  days: 30,
  chats: { done: 12, total: 40 },
  messages: { found: 310, copied: 290, skipped: 4 },
  started_at: '2026-03-01T09:30:00.000Z',
  ended_at: null,
}

const CONNECTION_EXAMPLE = {
  connected: true,
  state: 'connected',
  paused: false,
  sync: SYNC_DEFAULT,
  connected_at: '2026-03-01T09:30:00.000Z',
  last_sync_at: '2026-03-01T09:31:12.000Z',
  last_error: null,
  waiting: { to_crm: 0, to_contacts: 0, failed: 0, oldest_at: null },
  backfill: null,
  hidden_people: 0,
} as const

const GHL_EXAMPLE: GhlView = {
  ...CONNECTION_EXAMPLE,
  mode: 'oauth',
  location_id: LOCATION,
  location_name: 'Acme Dental',
  company_id: 'tDtDnQdgm2LXpyiqYvZ6',
  provider_id: '61d6d1f9cdac7612faf80753',
  channel: 'sms',
  token_expires_at: '2026-03-02T09:29:59.000Z',
  field_map: [...FIELD_MAP_DEFAULT],
  delivery_url: 'https://switchboard.example.com/callbacks/ghl/outbound',
  events_url: 'https://switchboard.example.com/callbacks/ghl/app',
}

const WEBHOOK_EXAMPLE: CrmWebhookView = {
  ...CONNECTION_EXAMPLE,
  url: 'https://n8n.example.com/webhook/switchboard',
  secret_last4: 'k3Qz',
  inbound_url: 'https://switchboard.example.com/callbacks/crm/crm_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
}

const CONTACT_EXAMPLE: GhlContact = {
  id: 'ocQHyuzHvysMo5N5VsXc',
  location_id: LOCATION,
  conversation_id: 'tDtDnQdgm2LXpyiqYvZ7',
  phone: '+12025550123',
  email: null,
  name: 'Ada',
  dnd: false,
  tags: [],
  custom_fields: {},
  created_at: '2026-03-01T09:30:00.000Z',
}

const MESSAGE_EXAMPLE: GhlMessage = {
  id: 'u5jTxB1bpwLNpnnzRnTc',
  conversation_id: CONTACT_EXAMPLE.conversation_id,
  contact_id: CONTACT_EXAMPLE.id,
  direction: 'outbound',
  type: 'SMS',
  text: 'Your appointment is at 3 pm.',
  attachments: [],
  source: 'app',
  status: 'delivered',
  error: null,
  created_at: '2026-03-01T09:30:00.000Z',
}

const ofGhl = { scope: 'ghl:manage', reach: 'instance', path: '/v1/instances/{id}/ghl' } as const
const ofWebhook = {
  scope: 'ghl:manage',
  reach: 'instance',
  path: '/v1/instances/{id}/crm-webhook',
  origin: 'ours',
} as const
const ofSandbox = { reach: 'account', origin: 'ours' } as const

const HOW_IT_SYNCS = [
  'Connects the instance with a location in GoHighLevel (HighLevel). From then on:',
  [
    '- Messages that people send, what you type on the phone, and what campaigns, AI agents and the API send appear in the conversation of the contact there, with files and their original time.',
    '- What a user of the CRM writes is sent from this instance, once, with `source: ghl`. Its status (delivered, read, failed) is reported back and never goes backwards.',
    '- Contacts are matched by their canonical number: a Brazilian mobile is the same contact with and without its ninth digit. A contact gets the fields of `field_map`.',
    '- DND in the CRM is an opt-out here, and an opt-out here is DND there. An opt-out ends campaigns and follow-ups. What is written in the CRM to somebody who opted out is sent if they wrote in the last 24 hours, after they opted out; anything else comes back as failed with that reason.',
    '- Groups, and people who hide their number, are not synced.',
  ].join('\n'),
  'Several instances may be connected with one location. A message written there is sent from the instance that last wrote with the contact, otherwise from the one that was connected first.',
  'Calls to GoHighLevel stay within its limits (100 in 10 seconds, 200,000 a day, for each location). While it cannot be reached everything waits, and is delivered in order afterwards.',
].join('\n\n')

export const crmContract = {
  connectGhl: operation({
    ...ofGhl,
    id: 'connectGhl',
    // Anyone with the address of the consent page can connect the instance to their own location.
    effects: { by: ['mode'], effects: { oauth: ['destination', 'invitation'] }, otherwise: ['destination'] },
    noStore: true,
    method: 'POST',
    path: '/v1/instances/{id}/ghl/connect',
    summary: 'Connect an instance with GoHighLevel',
    description: [
      HOW_IT_SYNCS,
      'With `oauth`, open `authorization_url`: the person signs in at GoHighLevel, chooses a location and allows the connection. The page can be used once, within ten minutes. Until then a connection that exists stays as it is. With `token`, the instance is connected at once; the token is checked first.',
      'A sandbox instance is connected with a simulator inside this service, which has a consent page and an inbox. A live instance needs a marketplace app: settings `ghl.client_id` and `ghl.client_secret` for `oauth`, and `ghl.provider_id` and `public_base_url` so that messages of the CRM arrive. The message of the error names what is missing.',
    ].join('\n\n'),
    origin: 'spec',
    body: ConnectBody,
    reply: { status: 201, description: 'Where to go on, or connected.', schema: Connecting },
    errors: ['validation_error', 'invalid_state', 'upstream_unavailable', 'sealed', 'storage_full'],
    examples: {
      body: { mode: 'oauth' },
      reply: {
        mode: 'oauth',
        authorization_url:
          'https://marketplace.gohighlevel.com/oauth/chooselocation?response_type=code&client_id=65f0&redirect_uri=https%3A%2F%2Fswitchboard.example.com%2Fcallbacks%2Fghl%2Foauth&scope=contacts.write&state=q1w2e3',
        expires_at: '2026-03-01T09:40:00.000Z',
      },
    },
    tool: {
      name: 'connect_ghl',
      title: 'Connect an instance with GoHighLevel',
      idempotent: false,
      onRequest: true,
      redact: ['token'],
    },
  }),

  getGhl: operation({
    ...ofGhl,
    id: 'getGhl',
    effects: [],
    method: 'GET',
    summary: 'Get the GoHighLevel connection',
    description:
      'With what the instance is connected, when it was last in sync, what waits, and what is wrong, in plain words. Without a connection `connected` is false.',
    origin: 'ours',
    reply: { status: 200, description: 'The connection.', schema: GhlView },
    errors: [],
    examples: { reply: GHL_EXAMPLE },
    tool: {
      name: 'get_ghl',
      title: 'Get the GoHighLevel connection',
      idempotent: true,
      onRequest: true,
    },
  }),

  updateGhl: operation({
    ...ofGhl,
    id: 'updateGhl',
    effects: ['destination'],
    method: 'PATCH',
    summary: 'Change the GoHighLevel connection',
    description:
      'Changes what is synced, which fields contacts get, and pauses or resumes. While `sync.inbound` or `sync.outbound` is off, what happens is not caught up on later; while `paused` is true, it is.',
    origin: 'ours',
    body: GhlPatch,
    reply: { status: 200, description: 'The connection.', schema: GhlView },
    errors: ['invalid_state'],
    examples: { body: { sync: { calls: false } }, reply: { ...GHL_EXAMPLE, sync: { ...SYNC_DEFAULT, calls: false } } },
    tool: {
      name: 'update_ghl',
      title: 'Change the GoHighLevel connection',
      idempotent: true,
      onRequest: true,
    },
  }),

  disconnectGhl: operation({
    ...ofGhl,
    id: 'disconnectGhl',
    effects: ['removal'],
    method: 'DELETE',
    summary: 'Disconnect an instance from GoHighLevel',
    description:
      'Ends the sync and forgets the tokens. What waits is dropped; conversations in the CRM stay. Safe to repeat. To remove the app, uninstall it in GoHighLevel.',
    origin: 'ours',
    reply: { status: 204, description: 'Not connected.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'disconnect_ghl',
      title: 'Disconnect an instance from GoHighLevel',
      idempotent: true,
      onRequest: true,
    },
  }),

  backfillGhl: operation({
    ...ofGhl,
    id: 'backfillGhl',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/instances/{id}/ghl/backfill',
    summary: 'Copy earlier messages to GoHighLevel',
    description:
      'Copies the messages of the last days, with their original time, after everything that is new. What is there already is not copied again. `backfill` of the connection has the progress; pause or end it with `PATCH …/ghl`. While one runs: 409 `invalid_state`.',
    origin: 'ours',
    bodyOptional: true,
    body: BackfillBody,
    reply: { status: 202, description: 'It runs.', schema: GhlView },
    errors: ['invalid_state'],
    examples: { body: { days: 30 }, reply: { ...GHL_EXAMPLE, backfill: BACKFILL_EXAMPLE } },
    tool: {
      name: 'backfill_ghl',
      title: 'Copy earlier messages to GoHighLevel',
      idempotent: false,
      onRequest: true,
    },
  }),

  setCrmWebhook: operation({
    ...ofWebhook,
    id: 'setCrmWebhook',
    effects: ['destination', 'access'],
    noStore: true,
    method: 'PUT',
    summary: 'Connect an instance with any CRM',
    description: [
      'Joins the instance with HubSpot, Pipedrive, n8n or any other program, in both directions, with the same guarantees as GoHighLevel: in order for each contact, repeated until it is accepted, and never dropped while the other side is down. Setting it again changes the URL and keeps the secret. The secret ends when the key or member that created it is removed, or when a damaged database is replaced with a backup that has an older secret: the webhook then waits, with `last_error.code` `secret_ended`, until a new one is created.',
      '**From here.** Each event is posted as JSON to `url`: `{id, type, created_at, instance, contact, …}`. `id` is the same on every repetition, so discard what you have already. Answer 2xx within ten seconds. `X-Service-Timestamp` and `X-Service-Signature` are made as for account webhooks: `sha256=` + hex HMAC-SHA256 of `timestamp.body` with the secret.',
      [
        '| `type` | Has |',
        '|---|---|',
        '| `message` | `message: {id, direction, type, text, attachments, source, sent_at}`; `direction` is `inbound` from the contact and `outbound` to the contact |',
        '| `status` | `status: {event_id, external_id, status, error}`: of a message you got as the event `event_id`, or posted as `external_id` |',
        '| `opt_out` | `opted_out`: whether the person wants no campaigns and follow-ups; `opt_out: {source, message_id, created_at}` as in `GET /v1/opt-outs`, `null` when it was lifted |',
        '| `call` | `call: {id, direction, from, to, outcome, started_at, duration_seconds, recording_url}` |',
      ].join('\n'),
      'An attachment is `{media_id, mime_type, filename, size, url}`: download `url` with an API key.',
      '**To here.** Post to `inbound_url` with the same two headers, made with the same secret: `{id, type: "message", to, text}` or with `media_url` and `media_type` (`caption` and `filename` as in `POST …/messages`), or `{id, type: "opt_out", phone, opted_out}`. `id` is yours, 1 to 100 characters; the same id is never carried out twice. The answer is 202; what becomes of a message is reported with `status` events. A wrong or missing signature, or a timestamp more than 5 minutes off, is 401.',
    ].join('\n\n'),
    body: WebhookBody,
    reply: {
      status: 201,
      description: 'Connected; `secret` is returned this once.',
      also: { status: 200, description: 'It was connected, and is changed.' },
      schema: SecretOnce,
    },
    errors: ['invalid_url', 'sealed', 'storage_full'],
    examples: {
      body: { url: WEBHOOK_EXAMPLE.url },
      reply: { ...WEBHOOK_EXAMPLE, secret: 'whsec_PiPoFgA5WUoziU9lZOGx+Iu9egCI1C/Ky3PurtWck3Qz' },
    },
    tool: {
      name: 'set_crm_webhook',
      title: 'Connect an instance with any CRM',
      description: 'Joins an instance with another CRM by a signed webhook in both directions.',
      idempotent: true,
      onRequest: true,
      redact: ['secret'],
    },
  }),

  getCrmWebhook: operation({
    ...ofWebhook,
    id: 'getCrmWebhook',
    effects: [],
    method: 'GET',
    summary: 'Get the CRM webhook',
    description: 'The CRM webhook of the instance, what waits, and what is wrong. Without one `connected` is false.',
    reply: { status: 200, description: 'The connection.', schema: CrmWebhookView },
    errors: [],
    examples: { reply: WEBHOOK_EXAMPLE },
    tool: {
      name: 'get_crm_webhook',
      title: 'Get the CRM webhook',
      idempotent: true,
      onRequest: true,
    },
  }),

  updateCrmWebhook: operation({
    ...ofWebhook,
    id: 'updateCrmWebhook',
    effects: ['destination'],
    method: 'PATCH',
    summary: 'Change the CRM webhook',
    description: 'Changes what is synced, and pauses or resumes. A receiver that answered 410 Gone is called again.',
    body: WebhookPatch,
    reply: { status: 200, description: 'The connection.', schema: CrmWebhookView },
    errors: ['invalid_state'],
    examples: { body: { paused: true }, reply: { ...WEBHOOK_EXAMPLE, paused: true } },
    tool: {
      name: 'update_crm_webhook',
      title: 'Change the CRM webhook',
      idempotent: true,
      onRequest: true,
    },
  }),

  removeCrmWebhook: operation({
    ...ofWebhook,
    id: 'removeCrmWebhook',
    effects: ['removal'],
    method: 'DELETE',
    summary: 'Remove the CRM webhook',
    description: 'Ends the sync. What waits is dropped, and `inbound_url` accepts nothing more. Safe to repeat.',
    reply: { status: 204, description: 'Not connected.', schema: null },
    errors: [],
    examples: {},
    tool: {
      name: 'remove_crm_webhook',
      title: 'Remove the CRM webhook',
      idempotent: true,
      onRequest: true,
    },
  }),

  rotateCrmWebhookSecret: operation({
    ...ofWebhook,
    id: 'rotateCrmWebhookSecret',
    effects: ['access'],
    noStore: true,
    method: 'POST',
    path: '/v1/instances/{id}/crm-webhook/rotate-secret',
    summary: 'Rotate the secret of the CRM webhook',
    description:
      'Returns a new secret, once. During `overlap_seconds` requests from here also carry `X-Service-Signature-Previous`, and requests to here may be signed with either. A webhook that waits for a new secret (`secret_ended`) goes on.',
    bodyOptional: true,
    body: RotateBody,
    reply: { status: 200, description: 'The new secret.', schema: SecretOnce },
    errors: ['invalid_state', 'sealed'],
    examples: {
      body: { overlap_seconds: 3_600 },
      reply: { ...WEBHOOK_EXAMPLE, secret: 'whsec_Ln0sA6lQeuJl7PW1NWiF+TOTogKdJB/UmXJloaJak3Qz' },
    },
    // A secret has no place in a conversation.
    tool: null,
  }),

  backfillCrmWebhook: operation({
    ...ofWebhook,
    id: 'backfillCrmWebhook',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/instances/{id}/crm-webhook/backfill',
    summary: 'Copy earlier messages to the CRM',
    description:
      'Posts the messages of the last days as `message` events, after everything that is new. What was posted already is not posted again. While one runs: 409 `invalid_state`.',
    bodyOptional: true,
    body: BackfillBody,
    reply: { status: 202, description: 'It runs.', schema: CrmWebhookView },
    errors: ['invalid_state'],
    examples: { body: { days: 30 }, reply: { ...WEBHOOK_EXAMPLE, backfill: BACKFILL_EXAMPLE } },
    tool: {
      name: 'backfill_crm_webhook',
      title: 'Copy earlier messages to the CRM',
      idempotent: false,
      onRequest: true,
    },
  }),

  listSandboxGhlConversations: operation({
    ...ofSandbox,
    id: 'listSandboxGhlConversations',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/ghl/conversations',
    summary: 'List conversations of the simulated GoHighLevel',
    description: 'The conversations in the locations of this account at the simulated GoHighLevel, newest first.',
    scope: 'instances:read',
    query: Type.Object({
      phone: Type.Optional(Type.String({ maxLength: 20, description: 'Only those of this number: digits.' })),
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of conversations.', schema: List(GhlConversation) },
    errors: ['invalid_cursor'],
    examples: {
      reply: {
        data: [
          {
            id: CONTACT_EXAMPLE.conversation_id,
            location_id: LOCATION,
            contact_id: CONTACT_EXAMPLE.id,
            phone: CONTACT_EXAMPLE.phone,
            name: CONTACT_EXAMPLE.name,
            dnd: false,
            unread: 0,
            last_message: MESSAGE_EXAMPLE.text,
            last_message_at: MESSAGE_EXAMPLE.created_at,
          },
        ],
        next_cursor: null,
        has_more: false,
      },
    },
    tool: {
      name: 'list_sandbox_ghl_conversations',
      title: 'List conversations of the simulated GoHighLevel',
      idempotent: true,
      onRequest: true,
      untrusted: true,
    },
  }),

  listSandboxGhlMessages: operation({
    ...ofSandbox,
    id: 'listSandboxGhlMessages',
    effects: [],
    method: 'GET',
    path: '/v1/sandbox/ghl/conversations/{id}/messages',
    summary: 'List messages of a simulated conversation',
    description: 'The messages of a conversation at the simulated GoHighLevel, newest first, with their status there.',
    scope: 'instances:read',
    query: Type.Object({
      limit: Type.Optional(PageSize),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
    }),
    reply: { status: 200, description: 'A page of messages.', schema: List(GhlMessage) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [MESSAGE_EXAMPLE], next_cursor: null, has_more: false } },
    tool: {
      name: 'list_sandbox_ghl_messages',
      title: 'List messages of a simulated conversation',
      idempotent: true,
      onRequest: true,
      untrusted: true,
    },
  }),

  writeSandboxGhlMessage: operation({
    ...ofSandbox,
    id: 'writeSandboxGhlMessage',
    effects: ['people'],
    method: 'POST',
    path: '/v1/sandbox/ghl/conversations/{id}/messages',
    summary: 'Write as a user of the simulated GoHighLevel',
    description:
      'Writes to the contact as a user of the CRM would. The simulator posts it, signed, to this service, which sends it from the connected instance.',
    scope: 'instances:write',
    body: GhlMessageBody,
    reply: { status: 201, description: 'Written; its status changes as it is sent.', schema: GhlMessage },
    errors: ['invalid_state'],
    examples: { body: { text: MESSAGE_EXAMPLE.text }, reply: { ...MESSAGE_EXAMPLE, status: 'pending' } },
    tool: {
      name: 'write_sandbox_ghl_message',
      title: 'Write as a user of the simulated GoHighLevel',
      idempotent: false,
      onRequest: true,
    },
  }),

  createSandboxGhlContact: operation({
    ...ofSandbox,
    id: 'createSandboxGhlContact',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/ghl/contacts',
    summary: 'Add a contact to the simulated GoHighLevel',
    description:
      'Adds a contact with a conversation, as a user of the CRM would. Without `phone` nothing can be sent to it. A number that a contact has already answers 200 with that contact.',
    scope: 'instances:write',
    body: GhlContactBody,
    reply: {
      status: 201,
      description: 'The contact.',
      also: { status: 200, description: 'The contact that has the number.' },
      schema: GhlContact,
    },
    errors: ['not_found'],
    examples: { body: { phone: '+12025550123', name: 'Ada' }, reply: CONTACT_EXAMPLE },
    tool: {
      name: 'create_sandbox_ghl_contact',
      title: 'Add a contact to the simulated GoHighLevel',
      idempotent: true,
      onRequest: true,
    },
  }),

  updateSandboxGhlContact: operation({
    ...ofSandbox,
    id: 'updateSandboxGhlContact',
    effects: ['people_later'],
    method: 'PATCH',
    path: '/v1/sandbox/ghl/contacts/{id}',
    summary: 'Set DND of a simulated contact',
    description: 'Sets or lifts “do not disturb”, as a user of the CRM would. The simulator reports it, signed.',
    scope: 'instances:write',
    body: Body({ dnd: Type.Optional(Type.Boolean()) }),
    reply: { status: 200, description: 'The contact.', schema: GhlContact },
    errors: [],
    examples: { body: { dnd: true }, reply: { ...CONTACT_EXAMPLE, dnd: true } },
    tool: {
      name: 'update_sandbox_ghl_contact',
      title: 'Set DND of a simulated contact',
      idempotent: true,
      onRequest: true,
    },
  }),

  causeSandboxGhlFault: operation({
    ...ofSandbox,
    id: 'causeSandboxGhlFault',
    effects: [],
    method: 'POST',
    path: '/v1/sandbox/ghl/faults',
    summary: 'Make the simulated GoHighLevel misbehave',
    description:
      '`duplicate_delivery`: what its users write is posted twice. `rate_limited`: calls are answered 429. `down`: connections are reset. `bad_signature`: deliveries carry a wrong signature, and are repeated until one is right. `status_too_early`: a status is refused with 403, as happens while GoHighLevel still processes the message. `status_too_early_401`: the same with 401. `forbidden`: adding a message is refused with 403. `inbound_500`: adding a message fails with 500. `upsert_422`: a contact is created, but the answer is 422. `location_inactive`: renewing a token is refused because the location is unpaid.',
    scope: 'instances:write',
    body: Body({
      kind: Type.Enum([...GHL_FAULTS]),
      times: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, default: 1, description: 'How many calls or deliveries.' }),
      ),
    }),
    reply: {
      status: 200,
      description: 'It will misbehave.',
      schema: Type.Object({ kind: Type.Enum([...GHL_FAULTS]), times: Type.Integer() }),
    },
    errors: [],
    examples: { body: { kind: 'rate_limited', times: 5 }, reply: { kind: 'rate_limited', times: 5 } },
    tool: {
      name: 'cause_sandbox_ghl_fault',
      title: 'Make the simulated GoHighLevel misbehave',
      idempotent: false,
      onRequest: true,
    },
  }),
} as const satisfies Contract
