import { room } from '../room.ts'
import { createAttention } from './attention.ts'
import { aiContract } from './contract.ts'
import { aiExistence, aiHandlers } from './handlers.ts'
import { createAi, type AiDeps } from './index.ts'

export function aiRoom(deps: AiDeps) {
  const ai = createAi(deps)
  return room({
    name: 'ai',
    contract: aiContract,
    handlers: aiHandlers(ai),
    existence: aiExistence(ai),
    api: ai,
    chores: [ai.retention],
    attention: createAttention(deps),
  })
}
