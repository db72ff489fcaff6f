import type { BillingFault } from '../../contract/billing-words.ts'

/** Faults that were asked for; they are forgotten at a restart. */
export interface FaultSwitches {
  set(customer: string, kind: BillingFault, times: number): void
  /** Whether it strikes now; counts it down. @param customer null: of a request that names none. */
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
