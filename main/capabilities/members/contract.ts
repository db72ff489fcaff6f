import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    members: true
  }
}

const Member = Type.Object({
  id: Uuid,
  name: Type.String({ minLength: 1, maxLength: LIMITS.memberNameLength }),
  email: Nullable(
    Type.String({ maxLength: 254, description: 'What the member signs in with. Unique in this Switchboard.' }),
  ),
  shared: Type.Boolean({
    description:
      'Not a person, but a password of this account from an earlier version, which several people may know. It cannot be ' +
      'changed, and ends when any member of the account is removed.',
  }),
  status: Type.Enum(['invited', 'active'], { description: '`invited`: has never signed in.' }),
  has_password: Type.Boolean(),
  invitation_expires_at: Nullable(Timestamp),
  last_seen_at: Nullable(Type.String({ format: 'date-time', description: 'At most a minute behind.' })),
  sessions: Type.Integer({ description: 'Browsers in which the member is signed in.' }),
  created_at: Timestamp,
})
export type Member = Static<typeof Member>

const MemberAccess = Type.Object({
  sessions: Type.Integer({ description: 'Browsers in which the member is signed in.' }),
  has_invitation: Type.Boolean({ description: 'A sign-in link was not used yet.' }),
  links: Type.Array(
    Type.Object({
      id: Uuid,
      instance_id: Uuid,
      instance_name: Type.String(),
      permanent: Type.Boolean(),
      url_last4: Type.String(),
      expires_at: Nullable(Timestamp),
    }),
    { description: 'Access links that the member created and that still open.' },
  ),
  crm_secrets: Type.Array(Type.Object({ instance_id: Uuid, instance_name: Type.String(), last4: Type.String() }), {
    description: 'Secrets of CRM webhooks that the member created. Each of these webhooks needs a new one.',
  }),
  keys: Type.Array(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      last4: Type.String(),
      account_name: Type.String({ description: 'The account in which the key works.' }),
      created_by: Nullable(
        Type.Literal('member', { description: '`null`: created before this was recorded, perhaps by the member.' }),
      ),
      created_at: Timestamp,
      last_used_at: Nullable(Type.String({ format: 'date-time', description: 'At most a minute behind.' })),
    }),
    {
      description:
        'API keys that work: those that the member created, and those of the account with an unknown creator.',
    },
  ),
})
export type MemberAccess = Static<typeof MemberAccess>

const Invitation = Type.Object({
  member: Member,
  url: Type.String({
    description: 'Signs in once, in the browser that opens it first. Shown only now.',
  }),
  expires_at: Timestamp,
  reachable: Type.Enum(['everywhere', 'network', 'computer'], {
    description: 'Where it opens: `computer` and `network` mean that `public_base_url` is not set.',
  }),
})

/** Only people invite people; keys cannot. */
const ofTheOperator = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'operator',
  tool: null,
} as const

const EXAMPLE = {
  ...{ id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Ana Souza', email: 'ana@bakery.example', shared: false },
  status: 'invited',
  ...{ has_password: false, invitation_expires_at: '2026-03-08T09:30:00.000Z', last_seen_at: null, sessions: 0 },
  created_at: '2026-03-01T09:30:00.000Z',
} as const
const INVITATION = {
  member: EXAMPLE,
  url: 'https://connect.north.example/console/#code=2o8Yk5sQ1xVb7nLr0mTfWc9eJhUaPzGdKi3Rt6Xk3Zq',
  ...{ expires_at: '2026-03-08T09:30:00.000Z', reachable: 'everywhere' },
} as const

export const membersContract = {
  listMembers: operation({
    ...ofTheOperator,
    id: 'listMembers',
    effects: [],
    method: 'GET',
    path: '/v1/members',
    summary: 'List members',
    description: 'The people who can sign in to this account, by name.',
    reply: { status: 200, description: 'The members.', schema: Type.Object({ data: Type.Array(Member) }) },
    errors: [],
    examples: { reply: { data: [EXAMPLE] } },
  }),
  inviteMember: operation({
    ...ofTheOperator,
    id: 'inviteMember',
    effects: ['invitation'],
    method: 'POST',
    path: '/v1/members',
    summary: 'Invite a member',
    description:
      `Somebody who works in this account and sees no other. The link signs in once, within ${LIMITS.invitationDays} days. ` +
      'Send it yourself: Switchboard does not.',
    noStore: true,
    body: Body({
      name: Type.String({ minLength: 1, maxLength: LIMITS.memberNameLength, pattern: '\\S' }),
      email: Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$' }),
    }),
    reply: { status: 201, description: 'The member, and the link.', schema: Invitation },
    errors: ['invalid_state'],
    examples: { body: { name: 'Ana Souza', email: 'ana@bakery.example' }, reply: INVITATION },
  }),
  createMemberLink: operation({
    ...ofTheOperator,
    id: 'createMemberLink',
    effects: ['invitation'],
    method: 'POST',
    path: '/v1/members/{member_id}/links',
    summary: 'Create another sign-in link',
    description: 'For a member who lost the first one, or forgot the password. Earlier links stop working.',
    noStore: true,
    reply: { status: 201, description: 'The member, and the link.', schema: Invitation },
    errors: ['invalid_state'],
    examples: { reply: INVITATION },
  }),
  getMemberAccess: operation({
    ...ofTheOperator,
    id: 'getMemberAccess',
    effects: [],
    method: 'GET',
    path: '/v1/members/{member_id}/access',
    summary: 'Get what ends with a member',
    description: 'What removing the member ends, and the API keys to decide about.',
    reply: { status: 200, description: 'What the member has.', schema: MemberAccess },
    errors: [],
    examples: {
      reply: {
        ...{ sessions: 1, has_invitation: false, links: [], crm_secrets: [] },
        keys: [
          {
            ...{ id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b31', name: 'CRM', last4: 'k3Zq', account_name: 'Bakery Luz' },
            ...{ created_by: 'member', created_at: '2026-02-01T08:00:00.000Z', last_used_at: null },
          },
        ],
      },
    },
  }),
  removeMember: operation({
    ...ofTheOperator,
    id: 'removeMember',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/members/{member_id}',
    summary: 'Remove a member',
    description:
      'Ends everything the member can still use: sessions and their streams and downloads, the password, invitations, ' +
      'access links, CRM webhook secrets and API keys they created. Onboarding pages of the account get new addresses, ' +
      'because every member sees them. A password that several people share ends too.',
    query: Type.Object({
      revoke_keys: Type.Optional(
        Type.String({
          maxLength: 8_000,
          description:
            'Ids of the keys to revoke, separated by commas, out of those that `GET …/access` lists; empty: none. ' +
            'Default: all that the member created.',
        }),
      ),
    }),
    reply: { status: 204, description: 'Removed.', schema: null },
    errors: [],
    examples: {},
  }),
  setOwnPassword: operation({
    ...ofTheOperator,
    id: 'setOwnPassword',
    effects: ['access'],
    role: 'member',
    method: 'PUT',
    path: '/v1/member-password',
    summary: 'Set your own password',
    description:
      'For a member who is signed in: from then on, e-mail address and password sign in. Other browsers are ' +
      'signed out, and a sign-in link that was not used stops working.\n\n' +
      'Whoever has a password needs it, except after signing in with a link.',
    body: Body({
      current_password: Type.Optional(
        Type.String({ maxLength: LIMITS.passwordLongest, description: 'The password until now.' }),
      ),
      password: Type.String({ minLength: LIMITS.passwordLength, maxLength: LIMITS.passwordLongest }),
    }),
    reply: { status: 204, description: 'Set.', schema: null },
    errors: ['invalid_state'],
    examples: { body: { password: 'correct horse battery' } },
  }),
} as const satisfies Contract
