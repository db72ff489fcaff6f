import type { Cursors } from '../../kernel/page.ts'
import { accountRoom } from '../account/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { instanceWebhookRoom } from '../instance-webhook/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { defineRoom } from '../room.ts'
import { usageRoom } from '../usage/room.ts'
import { webhooksRoom } from '../webhooks/room.ts'
import { createAttention } from './attention.ts'
import { agencyContract } from './contract.ts'
import { agencyExistence, agencyHandlers } from './handlers.ts'
import { createAgency, type AgencyDeps } from './index.ts'

type Given = 'accounts' | 'entitlements' | 'usage' | 'instances' | 'onActivated' | 'removeWebhooks'

export const agencyRoom = defineRoom({
  name: 'agency',
  contract: agencyContract,
  uses: {
    accounts: accountRoom,
    entitlements: entitlementsRoom,
    usage: usageRoom,
    instances: instancesRoom,
    instanceWebhooks: instanceWebhookRoom,
    webhooks: webhooksRoom,
  },
  build(given: Omit<AgencyDeps, Given> & { readonly cursors: Cursors }, { webhooks, instanceWebhooks, ...rooms }) {
    const deps: AgencyDeps & { readonly cursors: Cursors } = {
      ...given,
      ...rooms,
      async onActivated() {
        await webhooks.lookAgain()
        await instanceWebhooks.lookAgain()
      },
      async removeWebhooks(accountId) {
        for (const { id } of (await webhooks.list(accountId)).data) await webhooks.remove(accountId, id)
      },
    }
    const agency = createAgency(deps)
    return {
      handlers: agencyHandlers({ ...deps, agency }),
      existence: agencyExistence(agency),
      api: agency,
      attention: createAttention(deps),
      recover: agency.recover,
      chores: [agency.chore],
    }
  },
})
