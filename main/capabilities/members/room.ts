import { room } from '../room.ts'
import { membersContract } from './contract.ts'
import { membersExistence, membersHandlers } from './handlers.ts'
import { createMembers, type MembersDeps } from './index.ts'

export function membersRoom(deps: MembersDeps) {
  const members = createMembers(deps)
  return room({
    name: 'members',
    contract: membersContract,
    handlers: membersHandlers(members),
    existence: membersExistence(members),
    api: members,
  })
}
