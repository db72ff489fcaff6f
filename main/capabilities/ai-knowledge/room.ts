import { room } from '../room.ts'
import { aiKnowledgeContract } from './contract.ts'
import { aiKnowledgeExistence, aiKnowledgeHandlers } from './handlers.ts'
import { createAiKnowledge, type AiKnowledgeDeps } from './index.ts'

export function aiKnowledgeRoom(deps: AiKnowledgeDeps) {
  const knowledge = createAiKnowledge(deps)
  return room({
    name: 'ai-knowledge',
    contract: aiKnowledgeContract,
    handlers: aiKnowledgeHandlers(knowledge),
    existence: aiKnowledgeExistence(knowledge),
    api: knowledge,
    start: knowledge.documents.readOutdated,
    chores: [knowledge.unanswered.retention],
  })
}
