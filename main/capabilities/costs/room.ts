import { room } from '../room.ts'
import { costsContract } from './contract.ts'
import { costsHandlers, type CostsHandlerDeps } from './handlers.ts'
import { createCosts } from './index.ts'

export function costsRoom(deps: Omit<CostsHandlerDeps, 'costs'>) {
  const costs = createCosts(deps)
  return room({ name: 'costs', contract: costsContract, handlers: costsHandlers({ ...deps, costs }), api: costs })
}
