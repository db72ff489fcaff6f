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

/** The one place that counts slots: an instance whose receiver hangs holds its own few and nobody else's. */
export function createCallSlots() {
  const lines = new Map<string, InstanceQueue>()
  let inFlight = 0

  function release(instanceId: string, slots: number): void {
    const line = lines.get(instanceId)
    if (!line) return
    line.inFlight -= slots
    inFlight -= slots
    if (line.inFlight === 0 && !line.isWaiting) lines.delete(instanceId)
  }

  return {
    /** Something of this instance is due. */
    stir(instanceId: string): void {
      const line = lines.get(instanceId) ?? { inFlight: 0, isWaiting: false, dueRevision: 0 }
      line.isWaiting = true
      line.dueRevision++
      lines.set(instanceId, line)
    },
    /** Decides whose calls start next and reserves their slots; whoever is served goes to the end of the row. */
    plan(most: number): Share[] {
      const shares: Share[] = []
      let left = Math.min(most, CALLS_AT_ONCE - inFlight)
      for (const [instanceId, line] of [...lines]) {
        if (left <= 0) break
        const slots = Math.min(left, CALLS_PER_INSTANCE - line.inFlight)
        if (!line.isWaiting || slots <= 0) continue
        line.inFlight += slots
        inFlight += slots
        left -= slots
        shares.push({ instanceId, slots, dueRevision: line.dueRevision })
        lines.delete(instanceId)
        lines.set(instanceId, line)
      }
      return shares
    },
    /** Gives back the slots no call was obtained for. Fewer calls than slots: nothing more is due. */
    settle({ instanceId, slots, dueRevision }: Share, obtained: number): void {
      const line = lines.get(instanceId)
      if (line && obtained < slots && line.dueRevision === dueRevision) line.isWaiting = false
      release(instanceId, slots - obtained)
    },
    /** A call ended. */
    freed: (instanceId: string) => release(instanceId, 1),
  }
}

export type CallSlots = ReturnType<typeof createCallSlots>
