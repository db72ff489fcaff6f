import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { insertMeta, readMeta } from '../../kernel/meta.ts'
import { instancesMade, parentAccount } from './store.ts'

export interface FirstRun {
  /** Nobody has finished or skipped the welcome, and no instance was ever made. */
  readonly isFirstRun: (accountId: AccountId) => Promise<boolean>
  readonly endFirstRun: (accountId: AccountId) => Promise<void>
}

const nameOf = (accountId: AccountId) => `first_run_over:${accountId}`

/** Whether the account is still to be welcomed: known here, so that every window knows it. */
export function createFirstRun(db: Db): FirstRun {
  return {
    async isFirstRun(accountId) {
      if ((await readMeta(db, nameOf(accountId))) !== undefined) return false
      // The agency has named it.
      if ((await db.readOne(parentAccount, { id: accountId }))?.parentId) return false
      return ((await db.readOne(instancesMade, { id: accountId }))?.made ?? 0) === 0
    },
    async endFirstRun(accountId) {
      await db.commit((tx) => insertMeta(tx, nameOf(accountId), 'yes'))
    },
  }
}
