import type { GhlSimulator } from '../../simulators/ghl/index.ts'
import { accountRoom } from '../account/room.ts'
import { contactsRoom } from '../contacts/room.ts'
import { instancesRoom } from '../instances/room.ts'
import { messagesRoom } from '../messages/room.ts'
import { optOutsRoom } from '../opt-outs/room.ts'
import { defineRoom } from '../room.ts'
import { webhooksRoom } from '../webhooks/room.ts'
import { crmContract } from './contract.ts'
import { crmExistence, crmHandlers } from './handlers.ts'
import { createCrm, type CrmDeps } from './index.ts'

type Given = 'contacts' | 'instances' | 'messages' | 'optOuts' | 'isSuspended' | 'simulator'

interface Deps extends Omit<CrmDeps, Given> {
  readonly ghl: GhlSimulator
}

export const crmRoom = defineRoom({
  name: 'crm',
  contract: crmContract,
  uses: {
    account: accountRoom,
    contacts: contactsRoom,
    instances: instancesRoom,
    messages: messagesRoom,
    optOuts: optOutsRoom,
    webhooks: webhooksRoom,
  },
  build({ ghl, ...deps }: Deps, { account, ...rooms }) {
    const crm = createCrm({ ...deps, ...rooms, simulator: ghl, isSuspended: account.isSuspended })
    account.whenAccessEnds(async (tx, { who, accountId, endsLinks }) => {
      if (!endsLinks) return
      await crm.api.endCreatedBy(tx, who)
      await ghl.endPages(tx, accountId)
    })
    return {
      handlers: crmHandlers(crm),
      existence: crmExistence(crm),
      api: crm.api,
      recover: crm.recover,
      start: crm.start,
      // Draining jobs may still make calls; the simulator that they call closes after them.
      close: crm.close,
      chores: [crm.retention],
      attention: crm.attention,
      movePerson: crm.api.movePerson,
    }
  },
})
