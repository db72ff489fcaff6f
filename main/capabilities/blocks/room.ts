import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { blocksContract } from './contract.ts'
import { blocksHandlers } from './handlers.ts'
import { createBlocks, type BlocksDeps } from './index.ts'

export const blocksRoom = defineRoom({
  name: 'blocks',
  contract: blocksContract,
  uses: { instances: instancesRoom },
  build(deps: Omit<BlocksDeps, 'instances'>, rooms) {
    const blocks = createBlocks({ ...deps, ...rooms })
    return { handlers: blocksHandlers(blocks), api: blocks }
  },
})
