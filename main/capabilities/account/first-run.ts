import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { insertMeta, readMeta } from '../../kernel/meta.ts'
import { instancesMade, parentAccount } from './store.ts'

export interface FirstRun {
  /** Whether the welcome was neither finished nor skipped, and no instance was ever created. */
  readonly isFirstRun: (accountId: AccountId) => Promise<boolean>
  readonly endFirstRun: (accountId: AccountId) => Promise<void>
}

const nameOf = (accountId: AccountId) => `first_run_over:${accountId}`

/** Whether to show the welcome. Stored in the service, so that every window knows it. */
export function createFirstRun(db: Db): FirstRun {
  return {
    async isFirstRun(accountId) {
      if ((await readMeta(db, nameOf(accountId))) !== undefined) return false
      // The agency has already named this account.
      if ((await db.readOne(parentAccount, { id: accountId }))?.parentId) return false
      return ((await db.readOne(instancesMade, { id: accountId }))?.made ?? 0) === 0
    },
    async endFirstRun(accountId) {
      await db.commit((tx) => insertMeta(tx, nameOf(accountId), 'yes'))
    },
  }
}
