import { room } from '../room.ts'
import { directContract } from './contract.ts'
import { directExistence, directHandlers } from './handlers.ts'
import { createDirect, type DirectDeps } from './index.ts'

export function directRoom(deps: DirectDeps) {
  const direct = createDirect(deps)
  return room({
    name: 'direct',
    contract: directContract,
    handlers: directHandlers(direct),
    existence: directExistence(direct),
    api: direct,
  })
}
