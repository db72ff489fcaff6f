import { Type, type Static } from 'typebox'
import { Provider } from '../../../contract/ai.ts'
import { operation, type Contract } from '../../../contract/operation.ts'
import { Nullable, Uuid } from '../../../contract/shapes.ts'
import * as example from '../../../contract/ai-examples.ts'
import { reads, inWindow } from './parts.ts'

const counts = {
  answered: Type.Integer({ minimum: 0 }),
  handed_over: Type.Integer({ minimum: 0 }),
  follow_ups: Type.Integer({ minimum: 0 }),
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cost_usd: Type.Number({ minimum: 0, description: 'Of models whose price is known.' }),
}
const Usage = Type.Object({
  totals: Type.Object(counts),
  waiting: Type.Integer({ minimum: 0, description: 'Chats that were handed over and that nobody has answered yet.' }),
  days: Type.Array(Type.Object({ day: Type.String({ description: 'YYYY-MM-DD.' }), ...counts })),
})
export type Usage = Static<typeof Usage>

const InstanceSummary = Type.Object({
  instance_id: Uuid,
  enabled: Type.Boolean({ description: 'Whether an agent answers the chats of this instance.' }),
  primary: Nullable(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      provider: Provider,
      model: Nullable(Type.String()),
    }),
  ),
  agents: Type.Integer({ minimum: 0 }),
  is_held: Type.Boolean({
    description: 'Whether answers wait because the network keeps the number from sending on its own.',
  }),
  waiting: Type.Integer({ minimum: 0, description: 'Chats that were handed over and that nobody has answered yet.' }),
})
export type InstanceSummary = Static<typeof InstanceSummary>

export const usageContract = {
  getAiUsage: operation({
    ...reads,
    ...inWindow,
    id: 'getAiUsage',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/usage',
    summary: 'Read what the agents did',
    description: 'Answers, handoffs, follow-ups, tokens and cost by day, in the time zone of the settings.',
    query: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'Default: 7, today included.' })),
    }),
    reply: { status: 200, description: 'The numbers.', schema: Usage },
    errors: [],
    examples: { reply: example.USAGE },
  }),

  getAiOverview: operation({
    ...inWindow,
    id: 'getAiOverview',
    effects: [],
    method: 'GET',
    path: '/v1/ai-overview',
    summary: 'Read what all agents did',
    description: 'The same for all instances of the account.',
    scope: 'ai:read',
    reach: 'account',
    origin: 'ours',
    query: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'Default: 7, today included.' })),
    }),
    reply: { status: 200, description: 'The numbers.', schema: Usage },
    errors: [],
    examples: { reply: example.USAGE },
  }),

  listAiInstances: operation({
    ...inWindow,
    id: 'listAiInstances',
    effects: [],
    method: 'GET',
    path: '/v1/ai-instances',
    summary: 'List instances with agents',
    description: 'Instances that have an agent, and how many of their chats wait for a person.',
    scope: 'ai:read',
    reach: 'account',
    origin: 'ours',
    reply: {
      status: 200,
      description: 'The instances that have an agent.',
      schema: Type.Object({ data: Type.Array(InstanceSummary) }),
    },
    errors: [],
    examples: { reply: { data: [example.INSTANCE_SUMMARY] } },
  }),
} as const satisfies Contract
