import { isIP } from 'node:net'
import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { createOutbound, type Outbound, type Resolve } from '../../outbound/outbound.ts'
import { createAddressPolicy } from '../../outbound/public-address.ts'

/** The name of the simulated model, in addresses that outlive a restart. */
export const MODEL_HOST = 'model.sandbox'

/** The way to a provider: the address that is asked, and the guard that asks. */
export interface Way {
  readonly baseUrl: string
  readonly outbound: Outbound
}

interface WaysDeps {
  readonly clock: Clock
  readonly outbound: Outbound
  readonly resolve: Resolve
  /** The simulated model; null if it does not run. */
  readonly modelSimulator: SimulatedModel | null
}

/** The simulated model as this room sees it. */
export interface SimulatedModel {
  /** Its base address, which ends with `/v1`; empty while it does not listen. */
  url(): string
  /** The key with which an account is let in. */
  keyOf(accountId: AccountId): string
}

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * Ways to providers. An address that a key of the API chose must be public https. One of this computer is reached only if
 * it was chosen in the console, through a guard that reaches nothing else.
 */
export function createWays({ clock, outbound, resolve, modelSimulator }: WaysDeps) {
  const simulatorUrl = () => (modelSimulator?.url() ?? '').replace(/\/v1$/, '')
  const localOrigins = new Set<string>()
  const local = createOutbound({ clock, resolve, trustedRanges: LOOPBACK, only: () => [...localOrigins] })
  const publicOnly = createAddressPolicy({ clock, trustedRanges: [] })

  const localWay = (baseUrl: string): Way => {
    localOrigins.add(new URL(baseUrl).origin)
    return { baseUrl, outbound: local }
  }

  return {
    /** @param isLocal it was checked as an address of this computer when it was stored. */
    to(baseUrl: string, isLocal: boolean): Way {
      const url = new URL(baseUrl)
      if (url.hostname !== MODEL_HOST) return isLocal ? localWay(baseUrl) : { baseUrl, outbound }
      const simulator = simulatorUrl()
      // Asked all the same: its host is unknown then, which is an answer.
      return simulator === '' ? { baseUrl, outbound } : localWay(simulator + url.pathname.replace(/\/$/, ''))
    },

    /**
     * Checks an address before it is stored.
     * @param mayBeLocal it was typed in the console, for a server of one's own.
     * @throws ApiError invalid_url
     */
    async check(text: string, mayBeLocal: boolean): Promise<{ baseUrl: string; isLocal: boolean }> {
      const typed = URL.parse(text.trim())
      if (typed !== null && mayBeLocal && isLoopback(typed)) {
        if (!/^https?:$/.test(typed.protocol) || typed.username !== '' || typed.search !== '' || typed.hash !== '')
          throw invalid('must be an address such as http://127.0.0.1:11434/v1.')
        // The guard refuses names of this machine: they may resolve to anything.
        if (typed.hostname.endsWith('localhost')) typed.hostname = '127.0.0.1'
        return { baseUrl: trimmed(typed), isLocal: true }
      }
      if (typed?.hostname === MODEL_HOST && simulatorUrl() !== '') return { baseUrl: trimmed(typed), isLocal: false }
      const url = await outbound.checkUrl(text, { schemes: ['https', 'http'], field: 'base_url' })
      if (url.search !== '') throw invalid('must not have a query.')
      if (url.protocol === 'http:' && !isPrivateLiteral(url))
        throw invalid('must begin with https://. Only an address in egress.trusted_ranges may begin with http://.')
      return { baseUrl: trimmed(url), isLocal: false }
    },

    localWay,
    hasSimulator: () => simulatorUrl() !== '',
    /** For an address of the simulated model that was stored without a key. */
    simulatorKey: (baseUrl: string, accountId: AccountId): string | undefined =>
      isSimulated(baseUrl) ? modelSimulator?.keyOf(accountId) : undefined,
    close: () => local.close(),
  }

  /** The guard has let it pass, so its range is trusted. */
  function isPrivateLiteral({ hostname }: URL): boolean {
    const host = hostname.replaceAll(/^\[|\]$/g, '')
    return isIP(host) !== 0 && !publicOnly.permits(host)
  }
}

export type Ways = ReturnType<typeof createWays>

export const isSimulated = (baseUrl: string | null): boolean =>
  baseUrl !== null && URL.parse(baseUrl)?.hostname === MODEL_HOST

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const trimmed = (url: URL): string => url.href.replace(/(?<!\/)\/+$/, '')

const invalid = (rule: string) => new ApiError('invalid_url', `base_url ${rule}`)
