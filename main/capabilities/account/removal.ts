import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { removeSessionsOfAccount, removeSessionsOfMember, sessionsOf, sessionsOfMember } from './session-store.ts'
import { keysOfAccount, revokeAll, setAllowedInstances, toKey } from './store.ts'

export interface Removal {
  /** Keys that were limited to the instance lose it; one that has no other reaches nothing, and never everything. */
  readonly dropFromKeys: (tx: Tx, accountId: AccountId, instanceId: string) => Promise<void>
  /** Every key of the account stops working, and everybody is signed out. */
  readonly lockOut: (tx: Tx, accountId: AccountId, nowMs: number) => Promise<void>
  readonly signOutMember: (tx: Tx, memberId: string, keepId?: string | null) => Promise<void>
}

interface Deps {
  readonly onKeysChanged: () => void
  readonly onSessionEnded: (id: string) => void
}

export function createRemoval({ onKeysChanged, onSessionEnded }: Deps): Removal {
  const ended = (tx: Tx, rows: readonly { readonly hash: Uint8Array }[]) =>
    tx.afterCommit(() => rows.forEach(({ hash }) => onSessionEnded(Buffer.from(hash).toString('hex'))))
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
      await tx.run(revokeAll, { accountId, now })
      ended(tx, await tx.all(sessionsOf, { accountId }))
      await tx.run(removeSessionsOfAccount, { accountId })
      tx.afterCommit(onKeysChanged)
    },
    async signOutMember(tx, memberId, keepId = null) {
      const kept = keepId === null ? new Uint8Array() : Buffer.from(keepId, 'hex')
      const rows = await tx.all(sessionsOfMember, { memberId })
      ended(
        tx,
        rows.filter(({ hash }) => !Buffer.from(hash).equals(kept)),
      )
      await tx.run(removeSessionsOfMember, { memberId, kept })
    },
  }
}
