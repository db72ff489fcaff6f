import { accountFrozen, accountSuspended } from '../../contract/account-refusals.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { VoiceDeps } from './deps.ts'

export type Standing = ReturnType<typeof createStanding>

/** Whether an account may call at all, whatever its instances are set to. */
export function createStanding({ isSuspended, refusalOf }: Pick<VoiceDeps, 'isSuspended' | 'refusalOf'>) {
  return {
    refusal: refusalOf,
    /** An account that owes money is still called. */
    mayAnswer: (accountId: AccountId): boolean => !isSuspended(accountId),
    /** @throws ApiError account_suspended, invalid_state */
    async require(accountId: AccountId): Promise<void> {
      const reason = await refusalOf(accountId)
      if (reason === 'account_suspended') throw accountSuspended('no call is made')
      if (reason === 'account_frozen')
        throw accountFrozen(
          'no call is made',
          'Calls are still answered. Pay the open invoice in Billing, then call again.',
        )
    },
  }
}
