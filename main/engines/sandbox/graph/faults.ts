import type { GraphFault } from '../../../contract/sandbox.ts'

/** Faults that occur later, on a certain request. A connection that breaks during an upload is for tests only. */
export type GraphFaultKind = Exclude<GraphFault, 'token_dead'> | 'upload_interrupted'

export type GraphFaults = ReturnType<typeof createGraphFaults>

/** Kept in memory: a restart ends every fault. */
export function createGraphFaults() {
  const left = new Map<string, number>()
  const nameOf = (phoneNumberId: string, kind: GraphFaultKind) => `${phoneNumberId} ${kind}`
  return {
    /** @param times how often the fault occurs; for held callbacks, how many are held. */
    arm(phoneNumberId: string, kind: GraphFaultKind, times: number): void {
      left.set(nameOf(phoneNumberId, kind), times)
    },
    strikes(phoneNumberId: string, kind: GraphFaultKind): boolean {
      const name = nameOf(phoneNumberId, kind)
      const times = left.get(name) ?? 0
      if (times > 1) left.set(name, times - 1)
      else left.delete(name)
      return times > 0
    },
    count: (phoneNumberId: string, kind: GraphFaultKind): number => left.get(nameOf(phoneNumberId, kind)) ?? 0,
    end(phoneNumberId: string, kind: GraphFaultKind): void {
      left.delete(nameOf(phoneNumberId, kind))
    },
  }
}
