import type { Clock } from '../../kernel/clock.ts'
import { createOutbound, type Dial, type Outbound, type Resolve } from '../../outbound/outbound.ts'
import { MEDIA_ZONES } from './graph-client.ts'

export interface OutboundClients {
  /** To Graph and to where it keeps files, and nowhere else: every request carries a token. */
  readonly graph: Outbound
  /** To ourselves, as the outside sees us; null where there is no public address. */
  readonly mirror: Outbound | null
  readonly isSimulated: boolean
  close(): Promise<void>
}

interface WaysOutNeeds {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly dial?: Dial | undefined
  /** Known once a simulator listens. */
  readonly graphBaseUrl: () => string
  /** Graph is a simulator on this machine, which reaches us here as well. */
  readonly isSimulated: boolean
  readonly publicBaseUrl: string | null
}

/**
 * Two guards of their own beside the one for addresses that callers choose: this engine's token must reach nobody but
 * Meta, and loopback, which only a simulator has any use for, must not become reachable for webhooks by it.
 */
export function createOutboundClients(needs: WaysOutNeeds): OutboundClients {
  const { clock, resolve, dial, graphBaseUrl, publicBaseUrl, isSimulated } = needs
  const zones = isSimulated ? [] : MEDIA_ZONES
  const graph = createOutbound({
    ...{ clock, resolve },
    // A simulator is dialled where it says it is.
    dial: isSimulated ? undefined : dial,
    trustedRanges: isSimulated ? ['127.0.0.0/8', '::1/128'] : [],
    only: () => [new URL(graphBaseUrl()).origin, ...zones],
  })
  // Without a look at this machine's own networks: on a server the public address is one of them.
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
