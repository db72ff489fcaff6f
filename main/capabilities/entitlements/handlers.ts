import type { AccountId } from '../../kernel/ids.ts'
import type { Handlers } from '../handler.ts'
import type { entitlementsContract } from './contract.ts'
import type { Entitlements } from './index.ts'

export function entitlementsHandlers(
  entitlements: Entitlements,
  isSuspended: (accountId: AccountId) => boolean,
): Handlers<typeof entitlementsContract> {
  return {
    async getEntitlements({ principal: { accountId } }) {
      const { features, voicePackages, frozen } = await entitlements.of(accountId)
      const slots = await entitlements.slots(accountId)
      const client = await entitlements.isClient(accountId)
      const suspended = isSuspended(accountId)
      return { slots, features: [...features], voice_packages: voicePackages, frozen, suspended, client }
    },
  }
}
