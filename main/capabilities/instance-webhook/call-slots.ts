/** Calls under way at once, over all instances and for each. */
const CALLS_AT_ONCE = 64
export const CALLS_PER_INSTANCE = 4

interface InstanceQueue {
  inFlight: number
  /** Something may be due. Only a claim that found nothing takes it back. */
  isWaiting: boolean
  /** Raised with every reason to look, so that a claim that began before it cannot take the reason back. */
  dueRevision: number
}

/** Slots reserved for the calls of one instance. Every share must be settled. */
export interface Share {
  readonly instanceId: string
  readonly slots: number
  readonly dueRevision: number
}

/** Owns the slot accounting: an instance whose receiver hangs blocks only its own slots. */
export function createCallSlots() {
  const queues = new Map<string, InstanceQueue>()
  let inFlight = 0

  function release(instanceId: string, slots: number): void {
    const queue = queues.get(instanceId)
    if (!queue) return
    queue.inFlight -= slots
    inFlight -= slots
    if (queue.inFlight === 0 && !queue.isWaiting) queues.delete(instanceId)
  }

  return {
    /** Something of this instance is due. */
    markDue(instanceId: string): void {
      const queue = queues.get(instanceId) ?? { inFlight: 0, isWaiting: false, dueRevision: 0 }
      queue.isWaiting = true
      queue.dueRevision++
      queues.set(instanceId, queue)
    },
    /** Decides whose calls start next and reserves their slots, round robin. */
    plan(most: number): Share[] {
      const shares: Share[] = []
      let left = Math.min(most, CALLS_AT_ONCE - inFlight)
      for (const [instanceId, queue] of [...queues]) {
        if (left <= 0) break
        const slots = Math.min(left, CALLS_PER_INSTANCE - queue.inFlight)
        if (!queue.isWaiting || slots <= 0) continue
        queue.inFlight += slots
        inFlight += slots
        left -= slots
        shares.push({ instanceId, slots, dueRevision: queue.dueRevision })
        queues.delete(instanceId)
        queues.set(instanceId, queue)
      }
      return shares
    },
    /** Gives back the slots no call was obtained for. Fewer calls than slots: nothing more is due. */
    settle({ instanceId, slots, dueRevision }: Share, obtained: number): void {
      const queue = queues.get(instanceId)
      if (queue && obtained < slots && queue.dueRevision === dueRevision) queue.isWaiting = false
      release(instanceId, slots - obtained)
    },
    /** A call ended. */
    release: (instanceId: string) => release(instanceId, 1),
  }
}

export type CallSlots = ReturnType<typeof createCallSlots>
