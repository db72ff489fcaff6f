import type { AccountId } from '../../kernel/ids.ts'
import { room } from '../room.ts'
import { entitlementsContract } from './contract.ts'
import { entitlementsHandlers } from './handlers.ts'
import { createEntitlements, type EntitlementsDeps } from './index.ts'

interface RoomDeps extends EntitlementsDeps {
  readonly isSuspended: (accountId: AccountId) => boolean
}

export function entitlementsRoom(deps: RoomDeps) {
  const entitlements = createEntitlements(deps)
  return room({
    name: 'entitlements',
    contract: entitlementsContract,
    handlers: entitlementsHandlers(entitlements, deps.isSuspended),
    api: entitlements,
  })
}
