import { accountFrozen, accountSuspended, type AccountRefusal } from '../../contract/account-refusals.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { StoredCall } from './call-store.ts'
import type { VoiceDeps } from './deps.ts'

export type Standing = ReturnType<typeof createStanding>

/** Whether an account may call at all. Its instances' settings are checked separately. */
export function createStanding({ isSuspended, refusalOf }: Pick<VoiceDeps, 'isSuspended' | 'refusalOf'>) {
  return {
    refusal: refusalOf,
    /** An account that owes money still receives calls. */
    mayAnswer: (accountId: AccountId): boolean => !isSuspended(accountId),
    /** Why a running call must end: the same reasons that prevent a call from starting. null: it may continue. */
    async endReason({
      accountId,
      direction,
    }: Pick<StoredCall, 'accountId' | 'direction'>): Promise<AccountRefusal | null> {
      const refusal = await refusalOf(accountId)
      return refusal === 'account_frozen' && direction === 'inbound' ? null : refusal
    },
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
