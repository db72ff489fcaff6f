import { createGroupAdditions } from '../group-additions.ts'
import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { defineRoom } from '../room.ts'
import { safetyRoom } from '../safety/room.ts'
import { directContract } from './contract.ts'
import { directExistence, directHandlers } from './handlers.ts'
import { createDirect, type DirectDeps } from './index.ts'

type Deps = Omit<DirectDeps, 'instances' | 'messages' | 'reserveAdditions'>

export const directRoom = defineRoom({
  name: 'direct',
  contract: directContract,
  uses: { instances: instancesRoom, messages: messagesRoom, safety: safetyRoom },
  build(deps: Deps, { safety, ...rooms }) {
    const direct = createDirect({
      ...deps,
      ...rooms,
      reserveAdditions: createGroupAdditions({ ...deps, safety, instances: rooms.instances }),
    })
    return { handlers: directHandlers(direct), existence: directExistence(direct), api: direct }
  },
})
