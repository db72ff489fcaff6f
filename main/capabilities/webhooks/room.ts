import { defineRoom } from '../room.ts'
import { webhooksContract } from './contract.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhooksExistence, webhooksHandlers } from './handlers.ts'
import { createWebhooks } from './index.ts'

export const webhooksRoom = defineRoom({
  name: 'webhooks',
  contract: webhooksContract,
  uses: {},
  build(deps: WebhooksDeps) {
    const webhooks = createWebhooks(deps)
    return {
      handlers: webhooksHandlers(webhooks),
      existence: webhooksExistence(webhooks),
      api: webhooks,
      recover: webhooks.recover,
      start: webhooks.start,
      stop: webhooks.stop,
      chores: [webhooks.retention],
      problems: () => webhooks.machineProblems().map((text) => ({ code: 'network', text })),
      attention: webhooks.attention,
    }
  },
})
