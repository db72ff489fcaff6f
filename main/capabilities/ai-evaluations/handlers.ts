import type { Principal } from '../../kernel/access.ts'
import type { Existence, Handlers } from '../handler.ts'
import type { aiEvaluationsContract } from './contract.ts'
import type { AiEvaluations } from './index.ts'

export function aiEvaluationsHandlers(evaluations: AiEvaluations): Handlers<typeof aiEvaluationsContract> {
  return {
    listEvaluations: ({ instance, query }) => evaluations.list(instance.id, query),
    createEvaluation: ({ instance, body }) => evaluations.create(instance, body),
    updateEvaluation: ({ instance, params, body }) => evaluations.update(instance.id, params.evaluation_id, body),
    async deleteEvaluation({ instance, params }) {
      await evaluations.remove(instance.id, params.evaluation_id)
      return undefined
    },
    startEvaluationRun: ({ instance, params, body }) =>
      evaluations.start(instance, params.evaluation_id, body.agent_id),
    listEvaluationRuns: ({ instance, params, query }) => evaluations.listRuns(instance.id, params.evaluation_id, query),
    getEvaluationRun: ({ instance, params }) => evaluations.getRun(instance.id, params.evaluation_id, params.run_id),
  }
}

export function aiEvaluationsExistence(evaluations: AiEvaluations): Existence<typeof aiEvaluationsContract> {
  type Params = { readonly id: string; readonly evaluation_id: string }
  const exists = (_: Principal, { id, evaluation_id: evaluationId }: Params) => evaluations.find(id, evaluationId)
  return {
    updateEvaluation: exists,
    deleteEvaluation: exists,
    startEvaluationRun: exists,
    listEvaluationRuns: exists,
    getEvaluationRun: (_, params) => evaluations.findRun(params.id, params.evaluation_id, params.run_id),
  }
}
