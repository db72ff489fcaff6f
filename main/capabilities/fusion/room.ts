import { room } from '../room.ts'
import { fusionContract } from './contract.ts'
import { fusionHandlers } from './handlers.ts'
import { createFusion, type FusionDeps } from './index.ts'
import { rekeyFusions } from './rekey.ts'

export function fusionRoom(deps: FusionDeps) {
  const fusion = createFusion(deps)
  return room({
    ...{ name: 'fusion', contract: fusionContract, handlers: fusionHandlers(fusion), api: fusion },
    recover: () => rekeyFusions(deps.db),
  })
}
