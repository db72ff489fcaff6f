import { Type, type Static } from 'typebox'
import { IssueDetails } from '../../contract/health-issue.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, Nullable, Timestamp } from '../../contract/shapes.ts'

const Count = Type.Integer({ minimum: 0 })

const AttentionRecord = Type.Object({
  room: Type.String({ description: 'The room the line comes from.' }),
  code: Type.String({ description: 'What is wrong, unique within the room.' }),
  severity: Type.Enum(['error', 'warning']),
  count: Type.Integer({ minimum: 1, description: 'How many things it concerns.' }),
  subject: Nullable(
    Type.Object({ id: Type.String(), name: Type.String() }, { description: 'The thing, if it concerns a single one.' }),
  ),
  ids: Type.Optional(
    Type.Array(Type.String(), {
      description: 'All things it concerns. Only with `include=ids`, and not in every line.',
    }),
  ),
  since: Nullable(Timestamp),
  text: Nullable(Type.String({ description: 'A sentence, if the code alone does not say what is wrong.' })),
  detail: Nullable(
    Type.Object(
      { code: Type.String(), params: Type.Record(Type.String(), Type.String()) },
      { description: 'The same for the words of the window.' },
    ),
  ),
  issue: Type.Optional(
    Type.Object(IssueDetails.properties, {
      description: 'Only in lines about health issues: what is known and the same for all numbers they concern.',
    }),
  ),
})

const ActivityRange = Type.Enum(['24h', '7d', '30d'])
export type ActivityRange = Static<typeof ActivityRange>

const NetworkFilter = Type.Optional(Type.Enum(['live', 'sandbox'], { description: 'Only this network.' }))

const SetupStep = Type.Enum(['number', 'message', 'webhook', 'key', 'assistant'])

const consoleOperation = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  role: 'member',
  tool: null,
} as const

export const overviewContract = {
  listAttention: operation({
    ...consoleOperation,
    id: 'listAttention',
    effects: [],
    method: 'GET',
    path: '/v1/overview/attention',
    summary: 'List what needs attention',
    description: 'What a person should look at, the most severe first. Every room contributes its own lines.',
    query: Type.Object({
      network: NetworkFilter,
      include: Type.Optional(Type.Enum(['ids'], { description: '`ids`: also the things each line concerns.' })),
    }),
    reply: {
      status: 200,
      description: 'What needs attention.',
      schema: Type.Object({ data: Type.Array(AttentionRecord) }),
    },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            ...{ room: 'instances', code: 'banned', severity: 'error', count: 1 },
            subject: { id: '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10', name: 'Front desk' },
            ...{ since: '2026-03-01T09:30:00.000Z', text: null, detail: null },
          },
        ],
      },
    },
  }),
  getActivity: operation({
    ...consoleOperation,
    id: 'getActivity',
    effects: [],
    method: 'GET',
    path: '/v1/overview/activity',
    summary: 'Get the activity',
    description: 'Messages sent, received and failed over time. The last point is the current, unfinished one.',
    query: Type.Object({ range: Type.Optional(ActivityRange), network: NetworkFilter }),
    reply: {
      status: 200,
      description: 'The points, oldest first.',
      schema: Type.Object({
        range: ActivityRange,
        step_seconds: Type.Integer({ description: 'Length of each point.' }),
        data: Type.Array(
          Type.Object({
            at: Type.String({ format: 'date-time', description: 'Start of the point.' }),
            ...{ sent: Count, received: Count, failed: Count },
          }),
        ),
      }),
    },
    errors: [],
    examples: {
      reply: {
        ...{ range: '24h', step_seconds: 3_600 },
        data: [{ at: '2026-03-01T09:00:00.000Z', sent: 12, received: 9, failed: 1 }],
      },
    },
  }),
  getSetup: operation({
    ...consoleOperation,
    id: 'getSetup',
    effects: [],
    method: 'GET',
    path: '/v1/overview/setup',
    summary: 'Get the set-up checklist',
    description: 'Which first steps were done in this account, and whether somebody put the list away.',
    reply: {
      status: 200,
      description: 'The checklist.',
      schema: Type.Object({ done: Type.Array(SetupStep), dismissed: Type.Boolean() }),
    },
    errors: [],
    examples: { reply: { done: ['number', 'message'], dismissed: false } },
  }),
  dismissSetup: operation({
    ...consoleOperation,
    id: 'dismissSetup',
    effects: [],
    method: 'POST',
    path: '/v1/overview/setup/dismiss',
    summary: 'Put the set-up checklist away',
    description: 'The checklist is not shown again in this account.',
    bodyOptional: true,
    body: Body({}),
    reply: { status: 204, description: 'It is put away.', schema: null },
    errors: [],
    examples: { body: {} },
  }),
} as const satisfies Contract

export type SetupStep = Static<typeof SetupStep>
