import { room } from '../room.ts'
import { groupsContract } from './contract.ts'
import { groupsHandlers } from './handlers.ts'
import { createGroups, type GroupsDeps } from './index.ts'

export function groupsRoom(deps: GroupsDeps) {
  const groups = createGroups(deps)
  return room({ name: 'groups', contract: groupsContract, handlers: groupsHandlers(groups), api: groups })
}
