import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Entitlements } from './index.ts'

/** Asks what the door asks of each call, for work that no call starts: agents, campaigns, calls that are due. */
export function createRefusalOf(
  isSuspended: (accountId: AccountId) => boolean,
  entitlements: Pick<Entitlements, 'of'>,
): (accountId: AccountId) => Promise<AccountRefusal | null> {
  return async (accountId) => {
    if (isSuspended(accountId)) return 'account_suspended'
    return (await entitlements.of(accountId)).frozen ? 'account_frozen' : null
  }
}
