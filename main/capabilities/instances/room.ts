import { accountRoom } from '../account/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { eventsRoom } from '../events/room.ts'
import { defineRoom } from '../room.ts'
import { instancesContract } from './contract.ts'
import { instancesHandlers } from './handlers.ts'
import { createInstances, type InstancesDeps } from './index.ts'

export const instancesRoom = defineRoom({
  name: 'instances',
  contract: instancesContract,
  uses: { account: accountRoom, entitlements: entitlementsRoom, events: eventsRoom },
  build(deps: Omit<InstancesDeps, 'entitlements' | 'isSuspended'>, { account, entitlements }) {
    const instances = createInstances({ ...deps, entitlements, isSuspended: account.isSuspended })
    return {
      handlers: instancesHandlers(instances),
      api: instances,
      recover: instances.resumeAll,
      start: instances.start,
      chores: [instances.chore],
      close: instances.close,
      attention: instances.attention,
    }
  },
})
