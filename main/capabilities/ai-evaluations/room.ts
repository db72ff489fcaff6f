import { room } from '../room.ts'
import { aiEvaluationsContract } from './contract.ts'
import { aiEvaluationsExistence, aiEvaluationsHandlers } from './handlers.ts'
import { createAiEvaluations, type AiEvaluationsDeps } from './index.ts'

export function aiEvaluationsRoom(deps: AiEvaluationsDeps) {
  const evaluations = createAiEvaluations(deps)
  return room({
    name: 'ai-evaluations',
    contract: aiEvaluationsContract,
    handlers: aiEvaluationsHandlers(evaluations),
    existence: aiEvaluationsExistence(evaluations),
    api: evaluations,
  })
}
