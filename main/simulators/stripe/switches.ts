import type { BillingFault } from '../../contract/billing-words.ts'

/** Requested faults; a restart clears them. */
export interface FaultSwitches {
  set(customer: string, kind: BillingFault, times: number): void
  /** Whether the fault occurs now; decrements its count. @param customer null: the request names none. */
  strikes(customer: string | null, kind: BillingFault): boolean
}

export function createFaultSwitches(): FaultSwitches {
  const left = new Map<string, number>()
  const keyOf = (customer: string, kind: BillingFault) => `${customer} ${kind}`
  return {
    set: (customer, kind, times) => void left.set(keyOf(customer, kind), times),
    strikes(customer, kind) {
      if (customer === null) return false
      const key = keyOf(customer, kind)
      const times = left.get(key) ?? 0
      if (times === 0) return false
      left.set(key, times - 1)
      return true
    },
  }
}
