import type { StripeSimulator } from '../../simulators/stripe/index.ts'
import { agencyRoom } from '../agency/room.ts'
import { costsRoom } from '../costs/room.ts'
import { entitlementsRoom } from '../entitlements/room.ts'
import { defineRoom } from '../room.ts'
import { usageRoom } from '../usage/room.ts'
import { billingContract } from './contract.ts'
import { billingExistence, billingHandlers } from './handlers.ts'
import { createBilling, type BillingDeps } from './index.ts'

interface Deps extends Omit<BillingDeps, 'costs' | 'entitlements' | 'usage' | 'simulator' | 'publicBaseUrl'> {
  readonly stripe: StripeSimulator
  readonly config: { readonly publicBaseUrl: string | null }
}

export const billingRoom = defineRoom({
  name: 'billing',
  contract: billingContract,
  uses: { agency: agencyRoom, costs: costsRoom, entitlements: entitlementsRoom, usage: usageRoom },
  build({ stripe, config, ...deps }: Deps, { agency, ...rooms }) {
    const billing = createBilling({
      ...{ ...deps, ...rooms },
      ...{ simulator: stripe, publicBaseUrl: config.publicBaseUrl },
    })
    agency.whenDeleted(billing.clients.accountDeleted)
    const { db, cursors } = deps
    return {
      handlers: billingHandlers({ db, cursors, billing }),
      existence: billingExistence({ db, billing }),
      api: billing,
      async recover() {
        await stripe.begin()
        await billing.recover()
      },
      async close() {
        await billing.close()
        await stripe.close()
      },
      chores: [billing.callbacks.chore, stripe.chore],
      attention: billing.attention,
    }
  },
})
