import { Type, type Static } from 'typebox'
import { APPROVAL_STATES, CALL_PART_KINDS } from '../../contract/approval.ts'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { List, Nullable, Timestamp, Uuid } from '../../contract/shapes.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    approvals: true
  }
}

const State = Type.Enum([...APPROVAL_STATES], {
  description:
    '`pending`: a person has not decided yet. `approved`: the call is running. `executed`: the call ran, and ' +
    '`result` holds its answer. `refused`: a person said no. `expired`: nobody decided in time. After the last two ' +
    'nothing was done.',
})

const Part = Type.Object(
  {
    kind: Type.Enum([...CALL_PART_KINDS]),
    name: Nullable(Type.String({ description: 'The argument that says it.' })),
    values: Type.Array(Type.String(), { description: 'Of a long list the first ones.' }),
    total: Type.Integer({ minimum: 0, description: 'How many there are in all.' }),
  },
  { description: 'One fact about the call.' },
)

const Moment = Nullable(Type.String({ format: 'date-time' }))

const ApprovalRecord = Type.Object({
  id: Type.String({ pattern: '^apr_' }),
  state: State,
  sentence: Type.String({ description: 'What will happen, with the names of things.' }),
  parts: Nullable(
    Type.Array(Part, { description: 'The same, fact by fact. null of a call that an earlier version asked about.' }),
  ),
  tool: Type.String({ description: 'Name of the tool the assistant called.' }),
  operation: Type.String({ description: 'Method and path of the operation behind the tool.' }),
  arguments: Type.Record(Type.String(), Type.Unknown(), { description: 'As they were given, without secrets.' }),
  key: Type.Object({ id: Uuid, name: Type.String() }, { description: 'The key whose call it is.' }),
  created_at: Timestamp,
  expires_at: Type.String({ format: 'date-time', description: 'Until then a person can decide.' }),
  decided_at: Moment,
  executed_at: Moment,
  result: Nullable(
    Type.Object(
      { status: Type.Integer({ description: 'HTTP status of the operation.' }), body: Type.Unknown() },
      { description: 'What the operation answered, without credentials. null until it was carried out.' },
    ),
  ),
})
export type ApprovalRecord = Static<typeof ApprovalRecord>

const EXAMPLE = {
  id: 'apr_01KJM8Q7GZ2V4N6T8R0P3D5F7H',
  state: 'pending',
  sentence: 'Delete an instance: “Front desk” (0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10).',
  parts: [{ kind: 'subject', name: null, values: ['“Front desk” (0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10)'], total: 1 }],
  tool: 'delete_instance',
  operation: 'DELETE /v1/instances/{id}',
  arguments: { instance_id: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10' },
  key: { id: '019b8d3f-0b52-7e94-8d07-6a1c9e8f7b30', name: 'Assistant' },
  created_at: '2026-03-01T09:30:00.000Z',
  expires_at: '2026-03-01T09:35:00.000Z',
  decided_at: null,
  executed_at: null,
  result: null,
} as const

const DONE = {
  ...EXAMPLE,
  state: 'executed',
  decided_at: '2026-03-01T09:31:00.000Z',
  executed_at: '2026-03-01T09:31:00.120Z',
  result: { status: 200, body: { id: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10', deleted: true } },
} as const

/** Only people decide, in the window; a key with this right could approve its own calls. */
const ofTheConsole = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const

export const approvalsContract = {
  listApprovals: operation({
    ...ofTheConsole,
    id: 'listApprovals',
    effects: [],
    method: 'GET',
    path: '/v1/approvals',
    summary: 'List approvals',
    description: 'Calls of assistants that wait for a person, or waited for one in the last 30 days. Newest first.',
    query: Type.Object({
      state: Type.Optional(State),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageSize, default: LIMITS.pageSizeDefault })),
      cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page, with the same filters.' })),
    }),
    reply: { status: 200, description: 'A page of approvals.', schema: List(ApprovalRecord) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
  }),
  getApproval: operation({
    ...ofTheConsole,
    id: 'getApproval',
    effects: [],
    method: 'GET',
    path: '/v1/approvals/{id}',
    summary: 'Read an approval',
    description: 'One call of an assistant, the decision, and the result.',
    reply: { status: 200, description: 'The approval.', schema: ApprovalRecord },
    errors: [],
    examples: { reply: EXAMPLE },
  }),
  approveCall: operation({
    ...ofTheConsole,
    id: 'approveCall',
    effects: [],
    method: 'POST',
    path: '/v1/approvals/{id}/approve',
    summary: 'Approve a call of an assistant',
    description:
      'Carries the call out, once, with what its key may do at this moment, and answers when that is done; `result` ' +
      'says what came of it. 409 `invalid_state`, and nothing is done: it is not pending any more, or what it is about ' +
      'has changed since it was asked for. In the second case it stays pending and says what it would do now.',
    waitsForEngine: true,
    reply: { status: 200, description: 'The approval, carried out.', schema: ApprovalRecord },
    errors: ['invalid_state', 'service_unavailable'],
    examples: { reply: DONE },
  }),
  refuseCall: operation({
    ...ofTheConsole,
    id: 'refuseCall',
    effects: [],
    method: 'POST',
    path: '/v1/approvals/{id}/refuse',
    summary: 'Refuse a call of an assistant',
    description:
      'Nothing is done, and the assistant is told so. One that is not pending any more: 409 `invalid_state`.',
    reply: { status: 200, description: 'The approval, refused.', schema: ApprovalRecord },
    errors: ['invalid_state'],
    examples: { reply: { ...EXAMPLE, state: 'refused', decided_at: '2026-03-01T09:31:00.000Z' } },
  }),
} as const satisfies Contract
