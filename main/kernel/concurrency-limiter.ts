import { mayTake } from './fair-share.ts'
import type { AccountId, InstanceId } from './ids.ts'

/** Work in progress. Releasing it twice is harmless. */
export interface Slot {
  /** Corrects how many bytes it holds, once they are counted. */
  setBytes(bytes: number): void
  release(): void
}

export interface ConcurrencyLimits {
  readonly inAll: number
  /** At most; less where others need them (`fair-share.ts`). */
  readonly perAccount: number
  /** Absent: an instance may use what its account may. */
  readonly perInstance?: number
  /**
   * What all of it may hold on disk or in memory. One account may hold half of it, and a quarter is left to accounts
   * that hold nothing. Absent: it holds next to nothing.
   */
  readonly bytes?: number
}

interface Owner {
  /** null: work of nobody in particular, which is limited as one account is. */
  readonly accountId: AccountId | null
  readonly id?: InstanceId
}

export interface ConcurrencyLimiter {
  /** @param bytes the most it will hold. @returns undefined when there is no room. */
  acquire(owner: Owner, bytes?: number): Slot | undefined
}

/**
 * Bounds work in progress: in all, for each account so that none can use up what the others need, and for each
 * instance.
 */
export function createConcurrencyLimiter(limits: ConcurrencyLimits): ConcurrencyLimiter {
  const { inAll, perAccount, perInstance = perAccount, bytes: bytesInAll = Infinity } = limits
  const total = createUse()
  const accounts = createUses()
  const instances = createUses()

  return {
    acquire({ accountId, id = null }, bytes = 0) {
      const account = accounts.of(accountId)
      const instance = instances.of(id)
      const hasRoom =
        mayTake({ inAll, used: total.count, held: account.count }) &&
        account.count < perAccount &&
        (id === null || instance.count < perInstance) &&
        total.bytes + bytes <= (account.bytes > 0 ? bytesInAll * 0.75 : bytesInAll) &&
        account.bytes + bytes <= bytesInAll / 2
      if (!hasRoom) return undefined
      const uses = id === null ? [total, account] : [total, account, instance]
      let held = 0
      let isReleased = false
      const setBytes = (actual: number) => {
        for (const use of uses) use.bytes += actual - held
        held = actual
      }
      for (const use of uses) use.count++
      setBytes(bytes)
      accounts.keep(accountId, account)
      if (id !== null) instances.keep(id, instance)
      return {
        setBytes,
        release() {
          if (isReleased) return
          isReleased = true
          setBytes(0)
          for (const use of uses) use.count--
          accounts.forget(accountId, account)
          instances.forget(id, instance)
        },
      }
    },
  }
}

interface Use {
  count: number
  bytes: number
}

const createUse = (): Use => ({ count: 0, bytes: 0 })

/** Entries are removed when they are no longer used, since there is no bound on the number of owners. */
function createUses() {
  const uses = new Map<string | null, Use>()
  return {
    of: (key: string | null): Use => uses.get(key) ?? createUse(),
    keep: (key: string | null, use: Use) => void uses.set(key, use),
    forget(key: string | null, use: Use): void {
      if (use.count === 0) uses.delete(key)
    },
  }
}
