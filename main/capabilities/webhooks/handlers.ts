import { LIMITS } from '../../contract/limits.ts'
import type { Existence, Handlers } from '../handler.ts'
import type { webhooksContract } from './contract.ts'
import type { Webhooks } from './index.ts'

export function webhooksHandlers(webhooks: Webhooks): Handlers<typeof webhooksContract> {
  return {
    createWebhook: ({ principal, body, requireAccess }) => webhooks.create(principal.accountId, body, requireAccess),
    listWebhooks: ({ principal }) => webhooks.list(principal.accountId),
    getWebhook: ({ principal, params }) => webhooks.get(principal.accountId, params.id),
    updateWebhook: ({ principal, params, body, requireAccess }) =>
      webhooks.update(principal.accountId, params.id, body, requireAccess),
    async deleteWebhook({ principal, params }) {
      await webhooks.remove(principal.accountId, params.id)
      return undefined
    },
    rotateWebhookSecret: ({ principal, params, body }) =>
      webhooks.rotate(principal.accountId, params.id, body.overlap_seconds ?? LIMITS.overlapSeconds),
    testWebhook: ({ principal, params }) => webhooks.test(principal.accountId, params.id),
    replayWebhook: ({ principal, params, body }) => webhooks.replay(principal.accountId, params.id, body),
    listDeliveries: ({ principal, query }) => webhooks.listDeliveries(principal.accountId, query),
    listEventDeliveries: async ({ principal, params }) => ({
      data: await webhooks.listEventDeliveries(principal.accountId, params.event_id),
    }),
    getDelivery: ({ principal, params }) => webhooks.getDelivery(principal.accountId, params.id),
    retryDelivery: ({ principal, params }) => webhooks.redeliver(principal.accountId, params.id),
  }
}

export function webhooksExistence(webhooks: Webhooks): Existence<typeof webhooksContract> {
  return {
    updateWebhook: ({ accountId }, { id }) => webhooks.get(accountId, id),
    deleteWebhook: ({ accountId }, { id }) => webhooks.get(accountId, id),
    rotateWebhookSecret: ({ accountId }, { id }) => webhooks.get(accountId, id),
    testWebhook: ({ accountId }, { id }) => webhooks.get(accountId, id),
    replayWebhook: ({ accountId }, { id }) => webhooks.get(accountId, id),
    retryDelivery: ({ accountId }, { id }) => webhooks.getDelivery(accountId, id),
  }
}
