import { Type, type Static } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Digits, List, Nullable, PageSize, Timestamp } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    groups: true
  }
}

const Phones = (description: string) =>
  Type.Array(Digits, { minItems: 1, maxItems: 50, uniqueItems: true, description })
const Subject = Type.String({ minLength: 1, maxLength: 100, description: 'The name of the group.' })
const Description = Type.String({ minLength: 1, maxLength: 2_048, description: 'What the group is about.' })

const settings = {
  announce: Type.Boolean({ description: 'Only admins may write.' }),
  locked: Type.Boolean({ description: 'Only admins may change name, picture and description.' }),
  join_approval: Type.Boolean({ description: 'An admin has to let newcomers in.' }),
  member_add: Type.Enum(['everyone', 'admins'], { description: 'Which members may add others.' }),
}

const Kind = (description: string) => Type.Enum(['group', 'community', 'announcements'], { description })

const GroupRecord = Type.Object({
  group: Type.String({
    description: 'Id of the group: `to` of a message to it, and `chat` of its events.',
    examples: ['120363041234567890@g.us'],
  }),
  kind: Kind('`announcements`: the group in which the admins of a community write to all of its members.'),
  community: Nullable(Type.String({ description: 'Id of the community it belongs to; null: of none.' })),
  admin: Type.Boolean({ description: 'Whether this number is an admin of the group.' }),
  subject: Type.String({ description: 'The name of the group.' }),
  description: Nullable(Type.String()),
  owner: Type.String({ description: 'Who created it: digits, or a hidden id; empty if nobody knows.' }),
  ...settings,
  participants: Type.Array(
    Type.Object({
      phone: Type.String({ description: 'Digits, or a hidden id of somebody who hides their number.' }),
      admin: Type.Boolean(),
    }),
    { description: 'Its members, this number among them.' },
  ),
  created_at: Timestamp,
})
export type GroupRecord = Static<typeof GroupRecord>

const Result = Type.Object({
  phone: Type.String(),
  done: Type.Boolean(),
  reason: Nullable(
    Type.Enum(['not_on_whatsapp', 'already_member', 'not_member', 'not_requested', 'refused'], {
      description: 'Why it was not done; null: it was.',
    }),
  ),
})
const ChangedGroup = Type.Object({
  ...GroupRecord.properties,
  results: Type.Optional(Type.Array(Result, { description: 'What became of each person that was named.' })),
  invite_link: Type.Optional(
    Type.String({ description: 'If the body asks for it: whoever has the link can join, or ask to.' }),
  ),
})
export type ChangedGroup = Static<typeof ChangedGroup>

const GroupDetails = Type.Object({
  ...GroupRecord.properties,
  join_requests: Type.Optional(
    Type.Array(Type.Object({ phone: Type.String(), requested_at: Timestamp }), {
      description: 'With `include=join_requests`: who waits for an admin, oldest first.',
    }),
  ),
})
export type GroupDetails = Static<typeof GroupDetails>

const CreateGroupBody = Body({
  subject: Subject,
  description: Type.Optional(Description),
  participants: Type.Optional(Phones('Numbers of those who are added.')),
  join_approval: Type.Optional(settings.join_approval),
})
export type CreateGroupBody = Static<typeof CreateGroupBody>

const UpdateGroupBody = Body(
  {
    subject: Type.Optional(Subject),
    description: Type.Optional(Nullable(Description)),
    announce: Type.Optional(settings.announce),
    locked: Type.Optional(settings.locked),
    join_approval: Type.Optional(settings.join_approval),
    member_add: Type.Optional(settings.member_add),
    add_participants: Type.Optional(Phones('Numbers to add to the group.')),
    remove_participants: Type.Optional(Phones('Members to remove.')),
    add_admins: Type.Optional(Phones('Members to make admins.')),
    remove_admins: Type.Optional(Phones('Admins to make members.')),
    approve_requests: Type.Optional(Phones('Whose requests to join are approved, as `join_requests` names them.')),
    reject_requests: Type.Optional(Phones('Whose requests to join are rejected.')),
    invite_link: Type.Optional(
      Type.Enum(['show', 'renew'], {
        description: '`show`: the answer has the invite link. `renew`: it has a new one, and the former stops working.',
      }),
    ),
  },
  { description: 'The fields to change. The others stay as they are.' },
)
export type UpdateGroupBody = Static<typeof UpdateGroupBody>

const GroupsQuery = Type.Object({
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'A part of the name.' })),
  kind: Type.Optional(Kind('Only groups of this kind.')),
})
export type GroupsQuery = Static<typeof GroupsQuery>

const GroupQuery = Type.Object({
  include: Type.Optional(
    Type.Enum(['join_requests'], { description: 'What else the answer has. Only admins can see it.' }),
  ),
})
export type GroupQuery = Static<typeof GroupQuery>

const ADDITIONS =
  'People who have never exchanged a message with the number count as first contacts of its safety budget, as if a message were sent to them; if too little of it is left, 409 `invalid_state` says until when, and nothing changes. '
const PATH = '/v1/instances/{id}/groups'
const common = { reach: 'instance', origin: 'ours', waitsForEngine: true } as const
const ASKING = [
  ...(['engine_mismatch', 'not_ready', 'invalid_state'] as const),
  ...(['upstream_unavailable', 'upstream_timeout', 'service_unavailable'] as const),
] as const

const EXAMPLE = {
  group: '120363041234567890@g.us',
  ...{ kind: 'group', community: null, admin: true },
  subject: 'Neighbours',
  description: null,
  owner: '12025550100',
  ...{ announce: false, locked: false, join_approval: false, member_add: 'admins' },
  participants: [
    { phone: '12025550100', admin: true },
    { phone: '12025550123', admin: false },
  ],
  created_at: '2026-03-01T09:30:00.000Z',
} as const satisfies GroupRecord
const RESULTS = [{ phone: '12025550123', done: true, reason: null }] as const

/** The groups of a number. The network keeps them, so nothing is stored here. */
export const groupsContract = {
  listGroupChats: operation({
    ...common,
    id: 'listGroupChats',
    effects: [],
    method: 'GET',
    path: PATH,
    summary: 'List groups',
    description:
      'The groups this number is in, in the order of their ids. In the list of an official number, `participants` has the number alone: read a group to see the others.',
    scope: 'messages:read',
    query: GroupsQuery,
    reply: { status: 200, description: 'A page of groups.', schema: List(GroupRecord) },
    errors: [...ASKING, 'invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
    tool: { name: 'list_groups', title: 'List groups', onRequest: true, idempotent: true, untrusted: true },
  }),

  createGroupChat: operation({
    ...common,
    id: 'createGroupChat',
    effects: ['people', 'access'],
    method: 'POST',
    path: PATH,
    summary: 'Create a group',
    description:
      'Creates a group with this number as its admin, and adds people to it. `results` says who could not be added. ' +
      ADDITIONS +
      'An official number adds nobody: create the group without `participants` (400 `engine_mismatch`), ask for its ' +
      'invite link with `PATCH`, and send it to up to eight people. Meta offers groups to official business accounts ' +
      'only, and not to numbers that are also used in the app. `join_approval` of an official number is decided here: it ' +
      'cannot be changed afterwards. Repeating the call creates another group, unless both have the same ' +
      '`Idempotency-Key`. If the first call with a key was interrupted and may have created the group, a repeat is 409 ' +
      '`idempotency_in_progress` and creates nothing: list the groups, and use a new key if it is missing.',
    scope: 'messages:send',
    idempotencyKey: true,
    body: CreateGroupBody,
    reply: { status: 201, description: 'The group.', schema: ChangedGroup },
    errors: ASKING,
    examples: {
      body: { subject: 'Neighbours', participants: ['12025550123'] },
      reply: { ...EXAMPLE, results: [...RESULTS] },
    },
    tool: { name: 'create_group', title: 'Create a group', onRequest: true, idempotent: false, untrusted: true },
  }),

  getGroupChat: operation({
    ...common,
    id: 'getGroupChat',
    effects: [],
    method: 'GET',
    path: `${PATH}/{group}`,
    summary: 'Get a group',
    description: 'One group this number is in, as the network has it now.',
    scope: 'messages:read',
    query: GroupQuery,
    reply: { status: 200, description: 'The group.', schema: GroupDetails },
    errors: ASKING,
    examples: { reply: EXAMPLE },
    tool: {
      ...{ name: 'get_group', title: 'Get a group', onRequest: true, idempotent: true, untrusted: true },
    },
  }),

  updateGroupChat: operation({
    ...common,
    id: 'updateGroupChat',
    effects: ['people', 'access', 'invitation'],
    method: 'PATCH',
    path: `${PATH}/{group}`,
    summary: 'Change a group',
    description:
      'Changes its name, description and rules, adds and removes people, and answers requests to join. Whatever this ' +
      'engine cannot do is refused before anything changes (400 `engine_mismatch`). ' +
      ADDITIONS +
      'The changes are made one after ' +
      'another, in the order of the fields: if the network refuses one, 409 `invalid_state` says why, and those before ' +
      'it stay.',
    scope: 'messages:send',
    body: UpdateGroupBody,
    reply: { status: 200, description: 'The group as it is afterwards.', schema: ChangedGroup },
    errors: ASKING,
    examples: { body: { add_participants: ['12025550123'] }, reply: { ...EXAMPLE, results: [...RESULTS] } },
    tool: {
      ...{ name: 'update_group', title: 'Change a group', onRequest: true, idempotent: true, untrusted: true },
      redact: ['invite_link'],
    },
  }),

  deleteGroupChat: operation({
    ...common,
    id: 'deleteGroupChat',
    effects: ['people', 'removal'],
    method: 'DELETE',
    path: `${PATH}/{group}`,
    summary: 'Leave a group',
    description:
      'This number leaves the group, which ends with its last member. A group of an official number ends for everybody. ' +
      'Its chat and messages stay here.',
    scope: 'messages:send',
    reply: { status: 204, description: 'The number is not in the group.', schema: null },
    errors: ASKING,
    examples: {},
    tool: { name: 'delete_group', title: 'Leave a group', onRequest: true, idempotent: false },
  }),
} as const satisfies Contract
