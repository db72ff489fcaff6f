import { room } from '../room.ts'
import { usageContract } from './contract.ts'
import { usageHandlers } from './handlers.ts'
import { createUsage, type UsageDeps } from './index.ts'

export function usageRoom(deps: UsageDeps) {
  const usage = createUsage(deps)
  return room({ name: 'usage', contract: usageContract, handlers: usageHandlers(usage), api: usage })
}
