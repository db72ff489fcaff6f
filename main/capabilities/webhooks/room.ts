import { room } from '../room.ts'
import { webhooksContract } from './contract.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhooksExistence, webhooksHandlers } from './handlers.ts'
import { createWebhooks } from './index.ts'

export function webhooksRoom(deps: WebhooksDeps) {
  const webhooks = createWebhooks(deps)
  return room({
    name: 'webhooks',
    contract: webhooksContract,
    handlers: webhooksHandlers(webhooks),
    existence: webhooksExistence(webhooks),
    api: webhooks,
    recover: webhooks.recover,
    start: webhooks.start,
    stop: webhooks.stop,
    chores: [webhooks.retention],
    problems: () => webhooks.machineProblems().map((text) => ({ code: 'network', text })),
    attention: webhooks.attention,
  })
}
