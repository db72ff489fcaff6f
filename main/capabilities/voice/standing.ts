import { accountFrozen, accountSuspended } from '../../contract/account-refusals.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { VoiceDeps } from './deps.ts'

export type Standing = ReturnType<typeof createStanding>

/** Whether an account may call at all, whatever its instances are set to. */
export function createStanding({ isSuspended, isFrozen }: Pick<VoiceDeps, 'isSuspended' | 'isFrozen'>) {
  /** Why the account may not call anybody; null: it may. */
  async function refusal(accountId: AccountId): Promise<'account_suspended' | 'account_frozen' | null> {
    if (isSuspended(accountId)) return 'account_suspended'
    return (await isFrozen(accountId)) ? 'account_frozen' : null
  }

  return {
    refusal,
    /** An account that owes money is still called. */
    mayAnswer: (accountId: AccountId): boolean => !isSuspended(accountId),
    /** @throws ApiError account_suspended, invalid_state */
    async require(accountId: AccountId): Promise<void> {
      const reason = await refusal(accountId)
      if (reason === 'account_suspended') throw accountSuspended('no call is made')
      if (reason === 'account_frozen')
        throw accountFrozen(
          'no call is made',
          'Calls are still answered. Pay the open invoice in Billing, then call again.',
        )
    },
  }
}
