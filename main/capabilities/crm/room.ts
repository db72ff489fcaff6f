import { room } from '../room.ts'
import { crmContract } from './contract.ts'
import { crmExistence, crmHandlers } from './handlers.ts'
import { createCrm, type CrmDeps } from './index.ts'

export function crmRoom(deps: CrmDeps) {
  const crm = createCrm(deps)
  return room({
    name: 'crm',
    contract: crmContract,
    handlers: crmHandlers(crm),
    existence: crmExistence(crm),
    api: crm.api,
    recover: crm.recover,
    start: crm.start,
    // Jobs may still call while they are drained; the simulator they call closes after them.
    close: crm.close,
    chores: [crm.retention],
    attention: crm.attention,
  })
}
