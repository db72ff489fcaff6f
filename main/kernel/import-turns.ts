import type { AccountId, InstanceId } from './ids.ts'
import { createSlotQueue } from './slot-queue.ts'

/**
 * Writes the rows of imports a portion at a time: all requests wait for the thread that writes, and one account may have
 * many imports under way. Accounts take turns.
 */
export function createImportTurns() {
  const queue = createSlotQueue({ inAll: 1, perAccount: 1 })
  /**
   * @param ended the access of whoever imports: nothing is written for them after it.
   * @throws its reason
   */
  return <T>(accountId: AccountId, ended: AbortSignal, write: () => Promise<T>): Promise<T> =>
    // All imports of an account are one owner.
    queue.within({ accountId, id: String(accountId) as InstanceId }, () => {
      ended.throwIfAborted()
      return write()
    })
}
