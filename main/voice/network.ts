import type { Clock } from '../kernel/clock.ts'
import { createOutbound, type Dial, type Outbound, type Resolve } from '../outbound/outbound.ts'

/** Addresses that a call may reach besides public ones. */
export interface NetworkScope {
  /** CIDR ranges. */
  readonly trustedRanges: readonly string[]
  /** A certificate authority in addition to the system's; PEM. */
  readonly ca?: string
}

export const PUBLIC_ONLY: NetworkScope = { trustedRanges: [] }

/** The network guard for addresses of speech services, trunks and session descriptions. */
export interface VoiceNetwork {
  within(scope: NetworkScope): Outbound
  close(): Promise<void>
}

interface VoiceNetworkDeps {
  readonly clock: Clock
  readonly resolve: Resolve
  /** Replaces the connection to a checked address; default: connects directly. */
  readonly dial?: Dial
}

export function createVoiceNetwork(deps: VoiceNetworkDeps): VoiceNetwork {
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
