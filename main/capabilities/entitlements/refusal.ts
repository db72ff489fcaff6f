import type { AccountRefusal } from '../../contract/account-refusals.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { Entitlements } from './index.ts'

interface Suspensions {
  readonly isSuspended: (accountId: AccountId) => boolean
  readonly onSuspensionChanged: (listener: () => void) => void
}

export interface Refusals {
  /** Why the account may not reach people; null: it may. */
  readonly refusalOf: (accountId: AccountId) => Promise<AccountRefusal | null>
  /** Called when the answer for any account may have changed, after the commit. */
  readonly onRefusalChanged: (listener: () => void) => void
}

/** Asks what the door asks of each call, for work that no call starts: agents, campaigns, calls that are due or run. */
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
