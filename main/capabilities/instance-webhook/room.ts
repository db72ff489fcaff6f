import { room } from '../room.ts'
import { instanceWebhookContract } from './contract.ts'
import { instanceWebhookHandlers } from './handlers.ts'
import { createInstanceWebhooks, type InstanceWebhooksDeps } from './index.ts'

export function instanceWebhookRoom(deps: InstanceWebhooksDeps) {
  const instanceWebhooks = createInstanceWebhooks(deps)
  return room({
    name: 'instance-webhook',
    contract: instanceWebhookContract,
    handlers: instanceWebhookHandlers(instanceWebhooks),
    api: instanceWebhooks,
    recover: instanceWebhooks.recover,
    start: instanceWebhooks.start,
    stop: instanceWebhooks.stop,
  })
}
