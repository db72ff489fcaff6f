import { accountRoom } from '../account/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { serviceRoom } from '../service/room.ts'
import { webhooksRoom } from '../webhooks/room.ts'
import { overviewContract } from './contract.ts'
import { overviewHandlers } from './handlers.ts'
import { createOverview, type OverviewDeps } from './index.ts'

export const overviewRoom = defineRoom({
  name: 'overview',
  contract: overviewContract,
  uses: { account: accountRoom, instances: instancesRoom, service: serviceRoom, webhooks: webhooksRoom },
  build(deps: Omit<OverviewDeps, 'setup'>, { account, instances, service, webhooks }) {
    const overview = createOverview({
      ...deps,
      setup: async (accountId) => ({
        number: await instances.hasPaired(accountId),
        webhook: (await webhooks.tally(accountId)).total > 0,
        key: (await account.listKeys(accountId)).length > 0,
        assistant: service.assistants(accountId).length > 0,
      }),
    })
    return { handlers: overviewHandlers(overview), api: overview, chores: [overview.retention] }
  },
})
