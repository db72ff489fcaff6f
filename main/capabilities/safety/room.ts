import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { safetyContract } from './contract.ts'
import { safetyHandlers } from './handlers.ts'
import { createSafety, type SafetyDeps } from './index.ts'

export const safetyRoom = defineRoom({
  name: 'safety',
  contract: safetyContract,
  uses: { instances: instancesRoom },
  build(ground: Omit<SafetyDeps, 'instances'>, rooms) {
    const safety = createSafety({ ...ground, ...rooms })
    return {
      handlers: safetyHandlers(safety, ground.db),
      api: safety,
      chores: [safety.retention],
      attention: safety.attention,
      movePerson: safety.movePerson,
    }
  },
})
