/** A send that waits for its engine. Leaving twice is harmless. */
export interface Slot {
  /** Corrects how many bytes of media it holds, once they are counted. */
  setBytes(bytes: number): void
  release(): void
}

export interface ConcurrencyLimiter {
  /** @param bytes the most it will hold. @returns undefined when there is no room. */
  acquire(instanceId: string, bytes: number): Slot | undefined
}

/** Bounds what waits for engines: in all, for each instance, and in memory. */
export function createConcurrencyLimiter(most: {
  inAll: number
  perInstance: number
  bytes: number
}): ConcurrencyLimiter {
  const waiting = new Map<string, number>()
  let inAll = 0
  let heldBytes = 0
  return {
    acquire(instanceId, bytes) {
      const here = waiting.get(instanceId) ?? 0
      if (inAll >= most.inAll || here >= most.perInstance || heldBytes + bytes > most.bytes) return undefined
      waiting.set(instanceId, here + 1)
      inAll++
      heldBytes += bytes
      let mine = bytes
      let hasLeft = false
      const setBytes = (actual: number) => {
        heldBytes += actual - mine
        mine = actual
      }
      return {
        setBytes,
        release() {
          if (hasLeft) return
          hasLeft = true
          setBytes(0)
          inAll--
          const left = (waiting.get(instanceId) ?? 1) - 1
          if (left > 0) waiting.set(instanceId, left)
          else waiting.delete(instanceId)
        },
      }
    },
  }
}
