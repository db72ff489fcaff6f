import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Entitlements } from './index.ts'

interface Suspensions {
  readonly isSuspended: (accountId: AccountId) => boolean
  readonly onSuspensionChanged: (listener: () => void) => void
}

export interface Refusals {
  /** Why the account may not message people; null: it may. */
  readonly refusalOf: (accountId: AccountId) => Promise<AccountRefusal | null>
  /** Called after a commit that may have changed the answer for an account. */
  readonly onRefusalChanged: (listener: () => void) => void
}

/**
 * Applies the account checks of API calls to work without an API call: agents, campaigns, scheduled and running
 * calls.
 */
export function createRefusals(
  { isSuspended, onSuspensionChanged }: Suspensions,
  entitlements: Pick<Entitlements, 'of' | 'onChanged'>,
): Refusals {
  return {
    async refusalOf(accountId) {
      if (isSuspended(accountId)) return 'account_suspended'
      return (await entitlements.of(accountId)).frozen ? 'account_frozen' : null
    },
    onRefusalChanged(listener) {
      onSuspensionChanged(listener)
      entitlements.onChanged(listener)
    },
  }
}
