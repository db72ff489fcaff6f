import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { safetyContract } from './contract.ts'
import { safetyHandlers } from './handlers.ts'
import { createSafety, type SafetyDeps } from './index.ts'

export const safetyRoom = defineRoom({
  name: 'safety',
  contract: safetyContract,
  uses: { instances: instancesRoom },
  build(deps: Omit<SafetyDeps, 'instances'>, rooms) {
    const safety = createSafety({ ...deps, ...rooms })
    return {
      handlers: safetyHandlers(safety, deps.db),
      api: safety,
      chores: [safety.retention],
      attention: safety.attention,
      movePerson: safety.movePerson,
    }
  },
})
