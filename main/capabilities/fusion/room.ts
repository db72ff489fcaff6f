import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { fusionContract } from './contract.ts'
import { fusionHandlers } from './handlers.ts'
import { createFusion, type FusionDeps } from './index.ts'
import { rekeyFusions } from './rekey.ts'

export const fusionRoom = defineRoom({
  name: 'fusion',
  contract: fusionContract,
  uses: { instances: instancesRoom },
  build(deps: Omit<FusionDeps, 'instances'>, rooms) {
    const fusion = createFusion({ ...deps, ...rooms })
    return { handlers: fusionHandlers(fusion), api: fusion, recover: () => rekeyFusions(deps.db) }
  },
})
