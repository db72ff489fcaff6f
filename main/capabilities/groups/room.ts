import { createGroupAdditions } from '../group-additions.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { safetyRoom } from '../safety/room.ts'
import { groupsContract } from './contract.ts'
import { groupsHandlers } from './handlers.ts'
import { createGroups, type GroupsDeps } from './index.ts'

type Deps = Omit<GroupsDeps, 'instances' | 'reserveAdditions'>

export const groupsRoom = defineRoom({
  name: 'groups',
  contract: groupsContract,
  uses: { instances: instancesRoom, safety: safetyRoom },
  build(deps: Deps, { instances, safety }) {
    const reserveAdditions = createGroupAdditions({ ...deps, instances, safety })
    const groups = createGroups({ ...deps, instances, reserveAdditions })
    return { handlers: groupsHandlers(groups), api: groups }
  },
})
