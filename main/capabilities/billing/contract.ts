import type { Contract } from '../../contract/operation.ts'
import { purchasesContract } from './contract/purchases.ts'
import { subscriptionContract } from './contract/subscription.ts'
import { providerContract } from './contract/provider.ts'
import { clientsContract } from './contract/clients.ts'
import { sandboxContract } from './contract/sandbox.ts'

declare module '../../contract/notice.ts' {
  interface Topics {
    billing: true
  }
}

export const billingContract = {
  ...purchasesContract,
  ...subscriptionContract,
  ...providerContract,
  ...clientsContract,
  ...sandboxContract,
} as const satisfies Contract
