/** Each download may hold a hundred megabytes. */
const TOTAL = 6
/** One number with many or slow files leaves slots for the others. */
const PER_INSTANCE = 2

/** Limits concurrent downloads, and shares them out between numbers in turn. */
export function createDownloadSlots() {
  const active = new Map<string, number>()
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>()
  let total = 0

  const activeOf = (instanceId: string) => active.get(instanceId) ?? 0
  const canStart = (instanceId: string) => total < TOTAL && activeOf(instanceId) < PER_INSTANCE

  function take(instanceId: string): void {
    total++
    active.set(instanceId, activeOf(instanceId) + 1)
  }

  function release(instanceId: string): void {
    total--
    const left = activeOf(instanceId) - 1
    if (left === 0) active.delete(instanceId)
    else active.set(instanceId, left)
    startNext()
  }

  function startNext(): void {
    for (const [instanceId, queue] of waiting) {
      if (!canStart(instanceId)) continue
      const start = queue.shift()
      // Moves to the end of the turns, or out of them.
      waiting.delete(instanceId)
      if (queue.length > 0) waiting.set(instanceId, queue)
      take(instanceId)
      start?.()
      return
    }
  }

  return async function withSlot<T>(instanceId: string, act: () => Promise<T>): Promise<T> {
    if (canStart(instanceId)) take(instanceId)
    else await new Promise<void>((resolve) => waiting.set(instanceId, [...(waiting.get(instanceId) ?? []), resolve]))
    try {
      return await act()
    } finally {
      release(instanceId)
    }
  }
}
