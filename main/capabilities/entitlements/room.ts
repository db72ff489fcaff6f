import { room } from '../room.ts'
import { entitlementsContract } from './contract.ts'
import { entitlementsHandlers } from './handlers.ts'
import { createEntitlements, type EntitlementsDeps } from './index.ts'

export function entitlementsRoom(deps: EntitlementsDeps) {
  const entitlements = createEntitlements(deps)
  return room({
    name: 'entitlements',
    contract: entitlementsContract,
    handlers: entitlementsHandlers(entitlements),
    api: entitlements,
  })
}
