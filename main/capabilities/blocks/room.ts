import { room } from '../room.ts'
import { blocksContract } from './contract.ts'
import { blocksHandlers } from './handlers.ts'
import { createBlocks, type BlocksDeps } from './index.ts'

export function blocksRoom(deps: BlocksDeps) {
  const blocks = createBlocks(deps)
  return room({ name: 'blocks', contract: blocksContract, handlers: blocksHandlers(blocks), api: blocks })
}
