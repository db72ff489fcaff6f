import { room } from '../room.ts'
import { billingContract } from './contract.ts'
import { billingExistence, billingHandlers } from './handlers.ts'
import { createBilling, type BillingDeps } from './index.ts'

export function billingRoom(deps: BillingDeps) {
  const billing = createBilling(deps)
  const { db, cursors, simulator } = deps
  return room({
    name: 'billing',
    contract: billingContract,
    handlers: billingHandlers({ db, cursors, billing }),
    existence: billingExistence({ db, billing }),
    api: billing,
    async recover() {
      await simulator.begin()
      await billing.recover()
    },
    async close() {
      await billing.close()
      await simulator.close()
    },
    chores: [billing.callbacks.chore, simulator.chore],
    attention: billing.attention,
  })
}
