import { createConcurrencyLimiter, type ConcurrencyLimits, type Slot } from './concurrency-limiter.ts'
import type { AccountId, InstanceId } from './ids.ts'

interface Owner {
  readonly accountId: AccountId
  readonly id: InstanceId
}

type Start = (slot: Slot) => void

/** What waits of an account, by instance. Both in the order of their turns. */
type Waiting = Map<AccountId, Map<InstanceId, Start[]>>

export interface SlotQueue {
  /** Waits for a slot: accounts take turns, and so do the instances of each. */
  acquire(owner: Owner): Promise<Slot>
  /** Runs the work in a slot. */
  within<T>(owner: Owner, act: () => Promise<T>): Promise<T>
}

/** Bounds work in progress as a limiter does, and lets what finds no slot wait. */
export function createSlotQueue(limits: ConcurrencyLimits): SlotQueue {
  const limiter = createConcurrencyLimiter(limits)
  const waiting: Waiting = new Map()

  function wait({ accountId, id }: Owner): Promise<Slot> {
    const { promise, resolve } = Promise.withResolvers<Slot>()
    const ofAccount = waiting.get(accountId) ?? new Map<InstanceId, Start[]>()
    waiting.set(accountId, ofAccount)
    const starts = ofAccount.get(id)
    if (starts === undefined) ofAccount.set(id, [resolve])
    else starts.push(resolve)
    return promise
  }

  /** @returns whether work has started. */
  function startNext(): boolean {
    for (const [accountId, ofAccount] of waiting)
      for (const [id, starts] of ofAccount) {
        const slot = limiter.acquire({ accountId, id })
        if (slot === undefined && limits.perInstance === undefined) break
        if (slot === undefined) continue
        const start = starts.shift()
        // To the end of the turns, or out of them.
        ofAccount.delete(id)
        waiting.delete(accountId)
        if (starts.length > 0) ofAccount.set(id, starts)
        if (ofAccount.size > 0) waiting.set(accountId, ofAccount)
        start?.(withNext(slot))
        return true
      }
    return false
  }

  const withNext = (slot: Slot): Slot => {
    let isReleased = false
    return {
      setBytes: slot.setBytes,
      release() {
        if (isReleased) return
        isReleased = true
        slot.release()
        while (startNext());
      },
    }
  }

  async function acquire(owner: Owner): Promise<Slot> {
    const slot = limiter.acquire(owner)
    return slot === undefined ? wait(owner) : withNext(slot)
  }

  return {
    acquire,
    async within(owner, act) {
      const slot = await acquire(owner)
      try {
        return await act()
      } finally {
        slot.release()
      }
    },
  }
}
