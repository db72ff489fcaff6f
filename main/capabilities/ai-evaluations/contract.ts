import { Type, type Static } from 'typebox'
import { LIMITS } from '../../contract/limits.ts'
import { operation, type Contract } from '../../contract/operation.ts'
import { Body, List, Nullable, PageSize, Timestamp, Uuid } from '../../contract/shapes.ts'

const Case = Type.Object(
  {
    question: Type.String({ minLength: 1, maxLength: LIMITS.aiQuestionLength }),
    expects: Type.Enum(['answer', 'handoff']),
    facts: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 10,
      description: 'What the answer must contain, regardless of case and accents. `a | b`: either. Only for `answer`.',
    }),
  },
  { additionalProperties: false },
)
export type Case = Static<typeof Case>
const Cases = Type.Array(Case, { minItems: 1, maxItems: LIMITS.aiEvaluationCases })
const Name = Type.String({ minLength: 1, maxLength: LIMITS.aiNameLength })

const RunSummary = Type.Object({
  id: Uuid,
  status: Type.Enum(['running', 'completed', 'failed']),
  agent_id: Uuid,
  agent_name: Type.String(),
  total: Type.Integer({ minimum: 0 }),
  done: Type.Integer({ minimum: 0 }),
  passed: Type.Integer({ minimum: 0 }),
  error: Nullable(Type.String()),
  cost_usd: Nullable(Type.Number()),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
})
export type RunSummary = Static<typeof RunSummary>

const CaseResult = Type.Object({
  position: Type.Integer({ minimum: 1 }),
  question: Type.String(),
  expects: Type.Enum(['answer', 'handoff']),
  passed: Type.Boolean(),
  before: Nullable(Type.Boolean({ description: 'Whether it passed in the previous run. null: it was not asked.' })),
  reply: Nullable(Type.String()),
  handoff: Nullable(Type.String()),
  missing: Type.Array(Type.String(), { description: 'Facts that the answer lacks.' }),
  duration_ms: Type.Integer({ minimum: 0 }),
})

const Run = Type.Object({ ...RunSummary.properties, results: Type.Array(CaseResult) })
export type Run = Static<typeof Run>

const Evaluation = Type.Object({
  id: Uuid,
  name: Name,
  cases: Type.Array(Case),
  last_run: Nullable(RunSummary),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Evaluation = Static<typeof Evaluation>

const AT = '2026-03-01T09:30:00.000Z'
const RUN_EXAMPLE = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b81',
  status: 'completed',
  agent_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b70',
  agent_name: 'Reception',
  ...{ total: 1, done: 1, passed: 1, error: null, cost_usd: 0.0004 },
  created_at: AT,
  finished_at: '2026-03-01T09:30:04.000Z',
} as const
const EXAMPLE = {
  id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b80',
  name: 'Before going live',
  cases: [{ question: 'When are you open?', expects: 'answer', facts: ['8 am', '6 pm | 18'] }],
  last_run: RUN_EXAMPLE,
  created_at: AT,
  updated_at: AT,
} as const

const paging = {
  limit: Type.Optional(PageSize),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
}
// Evaluations are managed only in the window.
const common = { reach: 'instance', origin: 'ours', audience: 'console', role: 'member', tool: null } as const
const reads = { ...common, scope: 'ai:read' } as const
const writes = { ...common, scope: 'ai:write' } as const

export const aiEvaluationsContract = {
  listEvaluations: operation({
    ...reads,
    id: 'listEvaluations',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/evaluations',
    summary: 'List evaluations',
    description: 'Sets of questions with what their answers must contain. Newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of evaluations.', schema: List(Evaluation) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [EXAMPLE], next_cursor: null, has_more: false } },
  }),

  createEvaluation: operation({
    ...writes,
    id: 'createEvaluation',
    effects: [],
    method: 'POST',
    path: '/v1/instances/{id}/ai/evaluations',
    summary: 'Create an evaluation',
    description: `Stores questions with what their answers must contain. An instance has at most ${LIMITS.aiEvaluations}.`,
    body: Body({ name: Name, cases: Cases }),
    reply: { status: 201, description: 'The new evaluation.', schema: Evaluation },
    errors: ['invalid_state'],
    examples: { body: { name: EXAMPLE.name, cases: EXAMPLE.cases }, reply: { ...EXAMPLE, last_run: null } },
  }),

  updateEvaluation: operation({
    ...writes,
    id: 'updateEvaluation',
    effects: [],
    method: 'PATCH',
    path: '/v1/instances/{id}/ai/evaluations/{evaluation_id}',
    summary: 'Change an evaluation',
    description: 'Changes the fields that are given. `cases` replaces all of them.',
    body: Body({ name: Type.Optional(Name), cases: Type.Optional(Cases) }),
    reply: { status: 200, description: 'The updated evaluation.', schema: Evaluation },
    errors: [],
    examples: { body: { name: EXAMPLE.name }, reply: EXAMPLE },
  }),

  deleteEvaluation: operation({
    ...writes,
    id: 'deleteEvaluation',
    effects: ['removal'],
    method: 'DELETE',
    path: '/v1/instances/{id}/ai/evaluations/{evaluation_id}',
    summary: 'Delete an evaluation',
    description: 'Deletes the evaluation with all of its runs.',
    reply: { status: 204, description: 'Deleted.', schema: null },
    errors: [],
    examples: {},
  }),

  startEvaluationRun: operation({
    ...writes,
    id: 'startEvaluationRun',
    effects: ['outbound'],
    method: 'POST',
    path: '/v1/instances/{id}/ai/evaluations/{evaluation_id}/runs',
    summary: 'Run an evaluation',
    description: 'Asks the agent every question. Nothing is sent. It continues in the background.',
    body: Body({
      agent_id: Type.Optional(Type.String({ maxLength: 64, description: 'Default: the primary agent.' })),
    }),
    bodyOptional: true,
    reply: { status: 202, description: 'The run has begun.', schema: RunSummary },
    errors: ['not_found', 'invalid_state', 'provider_key_missing'],
    examples: { body: {}, reply: { ...RUN_EXAMPLE, status: 'running', done: 0, passed: 0, finished_at: null } },
  }),

  listEvaluationRuns: operation({
    ...reads,
    id: 'listEvaluationRuns',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/evaluations/{evaluation_id}/runs',
    summary: 'List the runs of an evaluation',
    description: 'Each run with how many questions passed, newest first.',
    query: Type.Object(paging),
    reply: { status: 200, description: 'A page of runs.', schema: List(RunSummary) },
    errors: ['invalid_cursor'],
    examples: { reply: { data: [RUN_EXAMPLE], next_cursor: null, has_more: false } },
  }),

  getEvaluationRun: operation({
    ...reads,
    id: 'getEvaluationRun',
    effects: [],
    method: 'GET',
    path: '/v1/instances/{id}/ai/evaluations/{evaluation_id}/runs/{run_id}',
    summary: 'Read a run of an evaluation',
    description: 'Every question with its answer, compared with the previous run of this evaluation.',
    reply: { status: 200, description: 'The run.', schema: Run },
    errors: [],
    examples: {
      reply: {
        ...RUN_EXAMPLE,
        results: [
          {
            position: 1,
            question: 'When are you open?',
            expects: 'answer',
            passed: true,
            before: false,
            reply: 'Monday to Friday, 8 am to 6 pm.',
            handoff: null,
            missing: [],
            duration_ms: 1_840,
          },
        ],
      },
    },
  }),
} as const satisfies Contract
