import { aiRoom } from '../ai/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { aiEvaluationsContract } from './contract.ts'
import { aiEvaluationsExistence, aiEvaluationsHandlers } from './handlers.ts'
import { createAiEvaluations, type AiEvaluationsDeps } from './index.ts'

export const aiEvaluationsRoom = defineRoom({
  name: 'ai-evaluations',
  contract: aiEvaluationsContract,
  uses: { ai: aiRoom, instances: instancesRoom },
  build(deps: Omit<AiEvaluationsDeps, 'ai' | 'instances'>, rooms) {
    const evaluations = createAiEvaluations({ ...deps, ...rooms })
    return {
      handlers: aiEvaluationsHandlers(evaluations),
      existence: aiEvaluationsExistence(evaluations),
      api: evaluations,
    }
  },
})
