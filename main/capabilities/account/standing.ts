import { ApiError } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import { accountById, standingKey, standingMember } from './store.ts'

export interface Standing {
  /**
   * Call it in the commit after a request to another server. During the request, the key may have been revoked, the
   * member removed or the account deleted.
   * @throws ApiError unauthorized
   */
  readonly requireStanding: (tx: Pick<Tx, 'one'>, caller: Caller) => Promise<void>
}

type Caller = Pick<Principal, 'accountId' | 'key' | 'member'>

export const requireStanding: Standing['requireStanding'] = async (tx, caller) => {
  const account = await accountOf(tx, caller)
  if (account === undefined || (await tx.one(accountById, { id: account.accountId })) === undefined) throw accessEnded()
}

/** The account that the caller belongs to, undefined if the key was revoked or the member removed. */
async function accountOf(
  tx: Pick<Tx, 'one'>,
  { accountId, key, member }: Caller,
): Promise<{ readonly accountId: string } | undefined> {
  if (key !== null) return tx.one(standingKey, { id: key.id })
  if (member !== undefined) return tx.one(standingMember, { id: member.id, accountId })
  return { accountId }
}

const accessEnded = () =>
  new ApiError('unauthorized', 'Your access ended while this call was being carried out. Nothing was changed.', {
    'www-authenticate': 'Bearer',
  })
