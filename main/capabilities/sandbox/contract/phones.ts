import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../../contract/operation.ts'
import { PHONE_SETTINGS, SandboxMessage, SandboxPhone, SandboxProfile } from '../../../contract/sandbox.ts'
import { Body, Digits, List, Uuid } from '../../../contract/shapes.ts'
import { PageQuery, MESSAGE_EXAMPLE } from './parts.ts'

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

export const phonesContract = {
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
} as const satisfies Contract
