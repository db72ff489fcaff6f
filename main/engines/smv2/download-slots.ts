import { createConcurrencyLimiter, type Slot } from '../../kernel/concurrency-limiter.ts'
import type { EngineInstance } from '../engine.ts'

/** Each download may hold a hundred megabytes. Numbers and accounts with many or slow files leave slots for the others. */
const SLOTS = { inAll: 6, perAccount: 4, perInstance: 2 }

type Owner = Pick<EngineInstance, 'id' | 'accountId'>

interface Waiting {
  readonly owner: Owner
  readonly starts: ((slot: Slot) => void)[]
}

/** Limits concurrent downloads, and shares them out between numbers in turn. */
export function createDownloadSlots() {
  const limiter = createConcurrencyLimiter(SLOTS)
  /** In the order of their turns. */
  const waiting = new Map<string, Waiting>()

  function wait(owner: Owner): Promise<Slot> {
    const { promise, resolve } = Promise.withResolvers<Slot>()
    const starts = waiting.get(owner.id)?.starts ?? []
    waiting.set(owner.id, { owner, starts: [...starts, resolve] })
    return promise
  }

  function startNext(): void {
    for (const [id, { owner, starts }] of waiting) {
      const slot = limiter.acquire(owner)
      if (slot === undefined) continue
      const [start, ...rest] = starts
      // Moves to the end of the turns, or out of them.
      waiting.delete(id)
      if (rest.length > 0) waiting.set(id, { owner, starts: rest })
      start?.(slot)
      return
    }
  }

  return async function withSlot<T>(owner: Owner, act: () => Promise<T>): Promise<T> {
    const slot = limiter.acquire(owner) ?? (await wait(owner))
    try {
      return await act()
    } finally {
      slot.release()
      startNext()
    }
  }
}
