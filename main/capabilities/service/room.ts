import { accountRoom } from '../account/room.ts'
import { approvalsRoom } from '../approvals/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { defineRoom } from '../room.ts'
import { webhooksRoom } from '../webhooks/room.ts'
import { ENGINE_ABILITIES } from '../../engines/abilities.ts'
import { serviceContract } from './contract.ts'
import { serviceHandlers } from './handlers.ts'
import { createServiceRoom, type ServiceRoomDeps } from './index.ts'

type Given = 'account' | 'engines' | 'tallies' | 'worker'

export const serviceRoom = defineRoom({
  name: 'service',
  contract: serviceContract,
  uses: {
    account: accountRoom,
    approvals: approvalsRoom,
    instances: instancesRoom,
    messages: messagesRoom,
    webhooks: webhooksRoom,
  },
  build({ machine }: { readonly machine: Omit<ServiceRoomDeps, Given> }, rooms) {
    const { account, approvals, instances, messages, webhooks } = rooms
    const service = createServiceRoom({
      ...{ ...machine, account, engines: ENGINE_ABILITIES, worker: webhooks.worker },
      tallies: {
        instances: instances.tally,
        webhooks: webhooks.tally,
        deliveries: webhooks.deliveriesTally,
        approvals: approvals.countPending,
        messages: messages.tally,
        deliveriesDueSinceMs: webhooks.deliveriesDueSinceMs,
      },
    })
    return {
      handlers: serviceHandlers(service),
      api: service,
      close: service.metrics.close,
      attention: async ({ role }) =>
        (role === 'operator' ? service.facts().notices.filter(({ fault }) => fault) : []).map(({ code, text }) => ({
          ...{ code: 'trouble', severity: 'error', count: 1, subject: null, sinceMs: null, text },
          detail: { code, params: {} },
        })),
    }
  },
})
