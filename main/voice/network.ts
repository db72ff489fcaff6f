import type { Clock } from '../kernel/clock.ts'
import { createOutbound, type Outbound, type Resolve } from '../outbound/outbound.ts'

/** What a call may reach besides public addresses. */
export interface NetworkScope {
  /** CIDR ranges. */
  readonly trustedRanges: readonly string[]
  /** A certificate authority besides those of the system; PEM. */
  readonly ca?: string
}

export const PUBLIC_ONLY: NetworkScope = { trustedRanges: [] }

/** The network guard for the addresses that speech, trunks and session descriptions name. */
export interface VoiceNetwork {
  within(scope: NetworkScope): Outbound
  close(): Promise<void>
}

export function createVoiceNetwork(deps: { readonly clock: Clock; readonly resolve: Resolve }): VoiceNetwork {
  const guards = new Map<string, Outbound>()
  return {
    within({ trustedRanges, ca }) {
      const key = JSON.stringify([trustedRanges, ca])
      const known = guards.get(key) ?? createOutbound({ ...deps, trustedRanges, ...(ca && { authorities: [ca] }) })
      guards.set(key, known)
      return known
    },
    async close() {
      await Promise.all([...guards.values()].map((guard) => guard.close()))
    },
  }
}
