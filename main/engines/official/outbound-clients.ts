import type { Clock } from '../../kernel/clock.ts'
import { createOutbound, type Dial, type Outbound, type Resolve } from '../../outbound/outbound.ts'
import { MEDIA_ZONES } from './graph-client.ts'

export interface OutboundClients {
  /** Reaches only Graph and Meta's file hosts: every request carries a token. */
  readonly graph: Outbound
  /** Reaches this service through its public URL; null without one. */
  readonly mirror: Outbound | null
  readonly isSimulated: boolean
  close(): Promise<void>
}

interface WaysOutNeeds {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly dial?: Dial | undefined
  /** Known only once a simulator listens. */
  readonly graphBaseUrl: () => string
  /** Whether Graph is a simulator on this machine, which calls back over loopback. */
  readonly isSimulated: boolean
  readonly publicBaseUrl: string | null
}

/**
 * Two guards of their own beside the one for URLs that callers choose: the token of this engine must reach only Meta,
 * and loopback, which only a simulator needs, must not become reachable for webhooks.
 */
export function createOutboundClients(needs: WaysOutNeeds): OutboundClients {
  const { clock, resolve, dial, graphBaseUrl, publicBaseUrl, isSimulated } = needs
  const zones = isSimulated ? [] : MEDIA_ZONES
  const graph = createOutbound({
    ...{ clock, resolve },
    // The simulator's own address is used without a lookup.
    dial: isSimulated ? undefined : dial,
    trustedRanges: isSimulated ? ['127.0.0.0/8', '::1/128'] : [],
    only: () => [new URL(graphBaseUrl()).origin, ...zones],
  })
  // Does not refuse this machine's own networks: on a server the public address is one of them.
  const mirror =
    publicBaseUrl === null
      ? null
      : createOutbound({
          ...{ clock, resolve, dial },
          trustedRanges: [],
          only: () => [new URL(publicBaseUrl).origin],
          interfaces: () => ({}),
        })
  return {
    graph,
    mirror,
    isSimulated,
    async close() {
      await Promise.all([graph.close(), mirror?.close()])
    },
  }
}
