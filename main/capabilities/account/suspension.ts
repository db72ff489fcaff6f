import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { setStatus, suspendedAccounts } from './store.ts'

export interface Suspension {
  /** Checked for each send, so it is cached. */
  readonly isSuspended: (accountId: AccountId) => boolean
  /** Takes effect once the commit is durable. Accepted messages are not canceled. */
  readonly setSuspended: (tx: Tx, accountId: AccountId, isSuspended: boolean) => Promise<void>
  /** Called after the commit that suspends or activates an account. */
  readonly onSuspensionChanged: (listener: () => void) => void
  /** Called before the service listens. */
  readonly loadSuspended: () => Promise<void>
}

export function createSuspension(db: Pick<Db, 'read'>): Suspension {
  const suspended = new Set<AccountId>()
  const listeners: (() => void)[] = []
  return {
    isSuspended: (accountId) => suspended.has(accountId),
    async setSuspended(tx, accountId, isSuspended) {
      await tx.run(setStatus, { accountId, status: isSuspended ? 'suspended' : 'active' })
      tx.afterCommit(() => {
        if (isSuspended) suspended.add(accountId)
        else suspended.delete(accountId)
        for (const listener of listeners) listener()
      })
    },
    onSuspensionChanged: (listener) => void listeners.push(listener),
    async loadSuspended() {
      for (const { id } of await db.read(suspendedAccounts, {})) suspended.add(id)
    },
  }
}
