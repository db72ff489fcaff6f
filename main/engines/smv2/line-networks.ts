import type { Agent } from 'node:https'
import type { Clock } from '../../kernel/clock.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Proxy } from '../../outbound/proxy.ts'
import { DEFAULT_LINE, type LineSettings, type ReadLineSettings } from '../line-settings.ts'
import { CONNECT_MS } from './connection-times.ts'
import { createMediaTransfer, type MediaTransfer } from './media-transfer.ts'

/** How a line reaches WhatsApp. */
export interface LineNetwork {
  readonly transfer: MediaTransfer
  /** For the WebSocket; undefined: it connects directly. */
  readonly agent: Agent | undefined
}

export interface LineNetworks {
  /** Reads the settings of a line. Called before each connection. @throws ApiError sealed */
  refresh(id: InstanceId): Promise<LineSettings>
  /** The settings as they were last read. */
  settings(id: InstanceId): LineSettings
  network(id: InstanceId): LineNetwork
  /** Why the proxy of a line let nothing through when it was last used. */
  proxyFailure(id: InstanceId): { readonly message: string; readonly sinceMs: number } | null
  /** @throws ConnectFailure */
  check(proxy: Proxy): Promise<void>
  forget(id: InstanceId): void
  close(): Promise<void>
}

interface LineNetworksDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly readSettings: ReadLineSettings
  readonly outbound: Outbound
  /** As `outbound`, through a proxy. */
  readonly throughProxy: (proxy: Proxy) => Outbound
}

interface Proxied extends LineNetwork {
  readonly outbound: Outbound
  failure: { readonly message: string; readonly sinceMs: number } | null
}

const ORIGIN = 'https://web.whatsapp.com'
/** Shorter than the time that the caller waits. */
const CHECK_MS = 10_000

/**
 * What is set for each line, and the network of those that have a proxy. Lines without settings of their own cost nothing.
 */
export function createLineNetworks({ clock, readSettings, outbound, throughProxy }: LineNetworksDeps): LineNetworks {
  const direct: LineNetwork = { transfer: createMediaTransfer(outbound), agent: undefined }
  const known = new Map<InstanceId, LineSettings>()
  const proxied = new Map<InstanceId, Proxied>()

  function open(proxy: Proxy): Proxied {
    const through = throughProxy(proxy)
    const made: Proxied = {
      outbound: through,
      transfer: createMediaTransfer(through),
      agent: through.agent(CONNECT_MS, (error) => {
        if (error === null) made.failure = null
        else made.failure = { message: error.message, sinceMs: made.failure?.sinceMs ?? clock.now() }
      }),
      failure: null,
    }
    return made
  }

  function close(id: InstanceId): void {
    const before = proxied.get(id)
    proxied.delete(id)
    void before?.outbound.close()
  }

  return {
    async refresh(id) {
      const now = await readSettings(id)
      const before = known.get(id) ?? DEFAULT_LINE
      if (now === DEFAULT_LINE) known.delete(id)
      else known.set(id, now)
      if (isSameProxy(before.proxy, now.proxy)) return now
      close(id)
      if (now.proxy) proxied.set(id, open(now.proxy))
      return now
    },
    settings: (id) => known.get(id) ?? DEFAULT_LINE,
    network: (id) => proxied.get(id) ?? direct,
    proxyFailure: (id) => proxied.get(id)?.failure ?? null,
    async check(proxy) {
      const through = throughProxy(proxy)
      try {
        await through.probe(ORIGIN, CHECK_MS)
      } finally {
        await through.close()
      }
    },
    forget(id) {
      known.delete(id)
      close(id)
    },
    async close() {
      await Promise.all([...proxied.values()].map((one) => one.outbound.close()))
      proxied.clear()
    },
  }
}

export function isSameProxy(a: Proxy | null, b: Proxy | null): boolean {
  if (a === null || b === null) return a === b
  const isSamePlace = a.type === b.type && a.host === b.host && a.port === b.port
  if (!isSamePlace || a.credentials === null || b.credentials === null)
    return isSamePlace && a.credentials === b.credentials
  const { username, password } = b.credentials
  return a.credentials.username.equals(username.open()) && a.credentials.password.equals(password.open())
}
