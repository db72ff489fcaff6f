import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { instanceWebhookContract } from './contract.ts'
import { instanceWebhookHandlers } from './handlers.ts'
import { createInstanceWebhooks, type InstanceWebhooksDeps } from './index.ts'

export const instanceWebhookRoom = defineRoom({
  name: 'instance-webhook',
  contract: instanceWebhookContract,
  uses: { instances: instancesRoom },
  build(deps: Omit<InstanceWebhooksDeps, 'instances'>, rooms) {
    const instanceWebhooks = createInstanceWebhooks({ ...deps, ...rooms })
    return {
      handlers: instanceWebhookHandlers(instanceWebhooks),
      api: instanceWebhooks,
      recover: instanceWebhooks.recover,
      start: instanceWebhooks.start,
      stop: instanceWebhooks.stop,
      attention: instanceWebhooks.attention,
    }
  },
})
