import { room } from '../room.ts'
import { safetyContract } from './contract.ts'
import { safetyHandlers } from './handlers.ts'
import { createSafety, type SafetyDeps } from './index.ts'

export function safetyRoom(deps: SafetyDeps) {
  const safety = createSafety(deps)
  return room({
    name: 'safety',
    contract: safetyContract,
    handlers: safetyHandlers(safety, deps.db),
    api: safety,
    chores: [safety.retention],
    attention: safety.attention,
  })
}
