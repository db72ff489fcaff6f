import { mayTake } from '../../kernel/fair-share.ts'
import type { AccountId } from '../../kernel/ids.ts'

/** Limits of concurrent calls: in total, and per instance. */
export const CALLS_AT_ONCE = 64
export const CALLS_PER_INSTANCE = 4

interface InstanceQueue {
  accountId: AccountId
  inFlight: number
  /** Whether something may be due. Only a claim that finds nothing resets it. */
  isWaiting: boolean
  /** Incremented with each new reason, so that a claim that began earlier cannot reset the flag. */
  dueRevision: number
}

/** Slots reserved for the calls of one instance. Every share must be settled. */
export interface Share {
  readonly instanceId: string
  readonly slots: number
  readonly dueRevision: number
}

/** Accounts for the slots, so that hanging receivers block only the slots of their own instance or account. */
export function createCallSlots() {
  const queues = new Map<string, InstanceQueue>()
  let inFlight = 0

  const inFlightOf = (accountId: AccountId) =>
    [...queues.values()].reduce((total, queue) => total + (queue.accountId === accountId ? queue.inFlight : 0), 0)

  function release(instanceId: string, slots: number): void {
    const queue = queues.get(instanceId)
    if (!queue) return
    queue.inFlight -= slots
    inFlight -= slots
    if (queue.inFlight === 0 && !queue.isWaiting) queues.delete(instanceId)
  }

  /** @returns how many of the slots it got. */
  function reserve(queue: InstanceQueue, most: number): number {
    const held = inFlightOf(queue.accountId)
    let slots = 0
    while (slots < most && mayTake({ inAll: CALLS_AT_ONCE, used: inFlight, held: held + slots })) {
      slots++
      inFlight++
    }
    queue.inFlight += slots
    return slots
  }

  return {
    /** A call of this instance is due. */
    markDue({ instanceId, accountId }: { instanceId: string; accountId: AccountId }): void {
      const queue = queues.get(instanceId) ?? { accountId, inFlight: 0, isWaiting: false, dueRevision: 0 }
      queue.accountId = accountId
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
        if (!queue.isWaiting) continue
        const slots = reserve(queue, Math.min(left, CALLS_PER_INSTANCE - queue.inFlight))
        if (slots === 0) continue
        left -= slots
        shares.push({ instanceId, slots, dueRevision: queue.dueRevision })
        queues.delete(instanceId)
        queues.set(instanceId, queue)
      }
      return shares
    },
    /** Returns the slots for which no call was found. Fewer calls than slots means that nothing more is due. */
    settle({ instanceId, slots, dueRevision }: Share, obtained: number): void {
      const queue = queues.get(instanceId)
      if (queue && obtained < slots && queue.dueRevision === dueRevision) queue.isWaiting = false
      release(instanceId, slots - obtained)
    },
    release: (instanceId: string) => release(instanceId, 1),
  }
}

export type CallSlots = ReturnType<typeof createCallSlots>
