import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { safetyRoom } from '../safety/room.ts'
import { numberChecksContract } from './contract.ts'
import { numberChecksHandlers } from './handlers.ts'
import { createNumberChecks, type NumberChecksDeps } from './index.ts'

export const numberChecksRoom = defineRoom({
  name: 'number-checks',
  contract: numberChecksContract,
  uses: { instances: instancesRoom, safety: safetyRoom },
  build(deps: Omit<NumberChecksDeps, 'instances' | 'safety'>, rooms) {
    const checks = createNumberChecks({ ...deps, ...rooms })
    return { handlers: numberChecksHandlers(checks), chores: [checks.retention], api: checks }
  },
})
