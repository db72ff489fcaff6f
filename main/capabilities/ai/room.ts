import { aiKnowledgeRoom } from '../ai-knowledge/room.ts'
import { aiProvidersRoom } from '../ai-providers/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { fusionRoom } from '../fusion/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { optOutsRoom } from '../opt-outs/room.ts'
import { defineRoom } from '../room.ts'
import { safetyRoom } from '../safety/room.ts'
import { usageRoom } from '../usage/room.ts'
import { createAttention } from './attention.ts'
import { aiContract } from './contract.ts'
import { aiExistence, aiHandlers } from './handlers.ts'
import { createAi, type AiDeps } from './index.ts'

type Rooms = 'fusion' | 'instances' | 'knowledge' | 'messages' | 'optOuts' | 'providers' | 'safety' | 'usage'

interface Deps extends Omit<AiDeps, Rooms | 'refusalOf' | 'calls'> {
  /** Provided later: the room for calls is built after this one, because it needs agents. */
  readonly agentCalls: AiDeps['calls']
}

export const aiRoom = defineRoom({
  name: 'ai',
  contract: aiContract,
  uses: {
    entitlements: entitlementsRoom,
    fusion: fusionRoom,
    instances: instancesRoom,
    knowledge: aiKnowledgeRoom,
    messages: messagesRoom,
    optOuts: optOutsRoom,
    providers: aiProvidersRoom,
    safety: safetyRoom,
    usage: usageRoom,
  },
  build({ agentCalls, ...given }: Deps, { entitlements, ...rooms }) {
    const deps: AiDeps = { ...given, ...rooms, refusalOf: entitlements.refusalOf, calls: agentCalls }
    const ai = createAi(deps)
    return {
      handlers: aiHandlers(ai),
      existence: aiExistence(ai),
      api: ai,
      chores: [ai.retention],
      attention: createAttention(deps),
      movePerson: ai.movePerson,
    }
  },
})
