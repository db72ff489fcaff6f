import { room } from '../room.ts'
import { numberChecksContract } from './contract.ts'
import { numberChecksHandlers } from './handlers.ts'
import { createNumberChecks, type NumberChecksDeps } from './index.ts'

export function numberChecksRoom(deps: NumberChecksDeps) {
  const checks = createNumberChecks(deps)
  return room({
    name: 'number-checks',
    contract: numberChecksContract,
    handlers: numberChecksHandlers(checks),
    chores: [checks.retention],
    api: checks,
  })
}
