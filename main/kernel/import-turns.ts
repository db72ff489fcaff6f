import type { AccountId, InstanceId } from './ids.ts'
import { createSlotQueue } from './slot-queue.ts'

/**
 * Writes the rows of imports a portion at a time: all requests wait for the thread that writes, and one account may have
 * many imports under way. Accounts take turns.
 */
export function createImportTurns() {
  const queue = createSlotQueue({ inAll: 1, perAccount: 1 })
  // All imports of an account are one owner.
  return <T>(accountId: AccountId, write: () => Promise<T>): Promise<T> =>
    queue.within({ accountId, id: String(accountId) as InstanceId }, write)
}
