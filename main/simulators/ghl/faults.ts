import type { GhlFault } from '../../contract/sandbox-ghl.ts'
import type { AccountId } from '../../kernel/ids.ts'

export type GhlFaults = ReturnType<typeof createGhlFaults>

/** Requested faults, by account. They end with the process. */
export function createGhlFaults() {
  const armed = new Map<string, number>()
  const keyOf = (accountId: AccountId, kind: GhlFault) => `${accountId} ${kind}`

  return {
    arm: (accountId: AccountId, kind: GhlFault, times: number): void => void armed.set(keyOf(accountId, kind), times),
    /** Uses one if any are left. */
    strikes(accountId: AccountId, kind: GhlFault): boolean {
      const key = keyOf(accountId, kind)
      const left = armed.get(key) ?? 0
      if (left <= 0) return false
      if (left === 1) armed.delete(key)
      else armed.set(key, left - 1)
      return true
    },
  }
}
