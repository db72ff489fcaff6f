import { aiProvidersRoom } from '../ai-providers/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { aiKnowledgeContract } from './contract.ts'
import { aiKnowledgeExistence, aiKnowledgeHandlers } from './handlers.ts'
import { createAiKnowledge, type AiKnowledgeDeps } from './index.ts'

export const aiKnowledgeRoom = defineRoom({
  name: 'ai-knowledge',
  contract: aiKnowledgeContract,
  uses: { instances: instancesRoom, providers: aiProvidersRoom },
  build(deps: Omit<AiKnowledgeDeps, 'instances' | 'providers'>, rooms) {
    const knowledge = createAiKnowledge({ ...deps, ...rooms })
    return {
      handlers: aiKnowledgeHandlers(knowledge),
      existence: aiKnowledgeExistence(knowledge),
      api: knowledge,
      start: knowledge.documents.readOutdated,
      chores: [knowledge.unanswered.retention],
      movePerson: knowledge.movePerson,
    }
  },
})
