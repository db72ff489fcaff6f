import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { EndedAccesses } from './ended-access.ts'
import type { Sessions } from './sessions.ts'
import { keysOfAccount, revokeAll, setAllowedInstances, toKey } from './store.ts'

export interface Removal {
  /** Keys restricted to the instance lose it. A key that has no other instance can access nothing. */
  readonly dropFromKeys: (tx: Tx, accountId: AccountId, instanceId: string) => Promise<void>
  /** Revokes every key of the account and signs everybody out. */
  readonly lockOut: (tx: Tx, accountId: AccountId, nowMs: number) => Promise<void>
}

interface Deps {
  readonly endAccess: EndedAccesses['endAccess']
  readonly onKeysChanged: () => void
  readonly endSessionsOf: Sessions['endSessionsOf']
}

export function createRemoval({ endAccess, onKeysChanged, endSessionsOf }: Deps): Removal {
  return {
    async dropFromKeys(tx, accountId, instanceId) {
      for (const { id, allowedInstanceIds } of (await tx.all(keysOfAccount, { accountId })).map(toKey)) {
        if (allowedInstanceIds?.includes(instanceId) !== true) continue
        const left = allowedInstanceIds.filter((one) => one !== instanceId)
        await tx.run(setAllowedInstances, { id, allowedInstanceIds: JSON.stringify(left) })
      }
      tx.afterCommit(onKeysChanged)
    },
    async lockOut(tx, accountId, now) {
      for (const { id } of await tx.all(revokeAll, { accountId, now }))
        await endAccess(tx, { who: `key:${id}`, accountId, endsLinks: true })
      await endSessionsOf(tx, { accountId })
      tx.afterCommit(onKeysChanged)
    },
  }
}
