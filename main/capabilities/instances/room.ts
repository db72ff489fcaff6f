import { room } from '../room.ts'
import { instancesContract } from './contract.ts'
import { instancesHandlers } from './handlers.ts'
import { createInstances, type InstancesDeps } from './index.ts'

export function instancesRoom(deps: InstancesDeps) {
  const instances = createInstances(deps)
  return room({
    name: 'instances',
    contract: instancesContract,
    handlers: instancesHandlers(instances),
    api: instances,
    recover: instances.resumeAll,
    start: instances.start,
    chores: [instances.chore],
    close: instances.close,
    attention: instances.attention,
  })
}
