import { Type, type Static } from 'typebox'
import { CrmSyncPatch, FIELD_MAP_DEFAULT, FieldMap, GhlView, SYNC_DEFAULT } from '../../../contract/crm.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Body, Nullable, Timestamp } from '../../../contract/shapes.ts'
import { LOCATION, BackfillWish, BackfillBody, BACKFILL_EXAMPLE, CONNECTION_EXAMPLE } from './parts.ts'

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

const GhlPatch = Body({
  sync: Type.Optional(CrmSyncPatch),
  paused: Type.Optional(Type.Boolean({ description: 'Holds everything back, both ways, until it is `false`.' })),
  field_map: Type.Optional(FieldMap),
  backfill: Type.Optional(BackfillWish),
})

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

const ofGhl = { scope: 'ghl:manage', reach: 'instance', path: '/v1/instances/{id}/ghl' } as const

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

export const ghlContract = {
  connectGhl: operation({
    ...ofGhl,
    id: 'connectGhl',
    // Anyone with the URL of the consent page can connect the instance to their own location.
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
    reply: { status: 201, description: 'Where to continue, or connected.', schema: Connecting },
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
} as const satisfies Contract
