import type { Notice } from '../../contract/notice.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { room } from '../room.ts'
import { entitlementsContract } from './contract.ts'
import { entitlementsHandlers } from './handlers.ts'
import { createEntitlements, type EntitlementsDeps } from './index.ts'

interface RoomDeps extends EntitlementsDeps {
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
  readonly isSuspended: (accountId: AccountId) => boolean
}

export function entitlementsRoom(deps: RoomDeps) {
  const entitlements = createEntitlements(deps)
  entitlements.onFrozenChanged((accountIds) => {
    for (const id of accountIds) deps.live.publish(id, { topic: 'account' })
  })
  return room({
    name: 'entitlements',
    contract: entitlementsContract,
    handlers: entitlementsHandlers(entitlements, deps.isSuspended),
    api: entitlements,
  })
}
