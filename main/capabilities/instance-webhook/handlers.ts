import type { Handlers } from '../handler.ts'
import type { instanceWebhookContract } from './contract.ts'
import type { InstanceWebhooks } from './index.ts'

export function instanceWebhookHandlers(webhooks: InstanceWebhooks): Handlers<typeof instanceWebhookContract> {
  return {
    setInstanceWebhook: ({ instance, body, requireAccess }) => webhooks.set(instance, body, requireAccess),
    postInstanceWebhook: ({ instance, body, requireAccess }) => webhooks.set(instance, body, requireAccess),
    getInstanceWebhook: ({ instance }) => webhooks.read(instance),
    async deleteInstanceWebhook({ instance }) {
      await webhooks.remove(instance)
      return undefined
    },
  }
}
