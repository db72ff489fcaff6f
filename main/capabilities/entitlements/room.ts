import type { Notice } from '../../contract/notice.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { accountRoom } from '../account/room.ts'
import { defineRoom } from '../room.ts'
import { entitlementsContract } from './contract.ts'
import { entitlementsHandlers } from './handlers.ts'
import { createEntitlements, type EntitlementsDeps } from './index.ts'
import { createRefusals } from './refusal.ts'

interface Deps extends EntitlementsDeps {
  readonly live: Pick<NoticeBus<Notice>, 'publish'>
}

export const entitlementsRoom = defineRoom({
  name: 'entitlements',
  contract: entitlementsContract,
  uses: { account: accountRoom },
  build(deps: Deps, { account }) {
    const entitlements = createEntitlements(deps)
    entitlements.onFrozenChanged((accountIds) => {
      for (const id of accountIds) deps.live.publish(id, { topic: 'account' })
    })
    return {
      handlers: entitlementsHandlers(entitlements, account.isSuspended),
      api: { ...entitlements, ...createRefusals(account, entitlements) },
    }
  },
})
