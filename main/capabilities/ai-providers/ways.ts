import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { createOutbound, type Outbound, type Resolve } from '../../outbound/outbound.ts'
import { checkServiceUrl, type Guards } from '../../outbound/service-address.ts'

/** Host name of the simulated model in stored addresses, which must stay valid after a restart. */
export const MODEL_HOST = 'model.sandbox'

/** How to reach a provider: the address, and the guard for its requests. */
export interface Way {
  readonly baseUrl: string
  readonly outbound: Outbound
}

interface WaysDeps extends Guards {
  readonly clock: Clock
  readonly resolve: Resolve
  /** null if the simulated model is not running. */
  readonly modelSimulator: SimulatedModel | null
}

/** The simulated model as used by this room. */
export interface SimulatedModel {
  /** Its base URL, which ends with `/v1`; empty while it does not listen. */
  url(): string
  /** The API key of an account at the simulated model. */
  keyOf(accountId: AccountId): string
}

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** The principal that chose an address. */
interface ChosenBy {
  readonly byOperator: boolean
}

/**
 * Addresses of providers. Only the operator may choose an address that is not public: one in a trusted range, or a
 * model server on this computer, for which a separate guard allows nothing else.
 */
export function createWays({ clock, outbound, publicOutbound, resolve, modelSimulator }: WaysDeps) {
  const simulatorUrl = () => (modelSimulator?.url() ?? '').replace(/\/v1$/, '')
  const localOrigins = new Set<string>()
  const local = createOutbound({ clock, resolve, trustedRanges: LOOPBACK, only: () => [...localOrigins] })

  const localWay = (baseUrl: string): Way => {
    localOrigins.add(new URL(baseUrl).origin)
    return { baseUrl, outbound: local }
  }

  return {
    to(baseUrl: string, { byOperator }: ChosenBy): Way {
      const url = new URL(baseUrl)
      const simulator = simulatorUrl()
      if (url.hostname === MODEL_HOST && simulator !== '') return localWay(simulator + url.pathname.replace(/\/$/, ''))
      if (!byOperator) return { baseUrl, outbound: publicOutbound }
      return isLoopback(url) ? localWay(baseUrl) : { baseUrl, outbound }
    },

    /**
     * Checks an address before it is stored.
     * @param mayBeLocal a server of models on this computer, if the operator chooses it.
     * @throws ApiError invalid_url
     */
    async check(
      text: string,
      { byOperator, mayBeLocal }: ChosenBy & { readonly mayBeLocal: boolean },
    ): Promise<string> {
      const typed = URL.parse(text)
      if (typed !== null && byOperator && mayBeLocal && isLoopback(typed)) {
        if (!/^https?:$/.test(typed.protocol) || typed.username !== '' || typed.search !== '' || typed.hash !== '')
          throw invalid('must be an address such as http://127.0.0.1:11434/v1.').because('url_local_shape')
        // The guard refuses names such as localhost, because they may resolve to any address.
        if (typed.hostname.endsWith('localhost')) typed.hostname = '127.0.0.1'
        return trimmed(typed)
      }
      if (typed?.hostname === MODEL_HOST && simulatorUrl() !== '') return trimmed(typed)
      const guards = { outbound, publicOutbound }
      const url = await checkServiceUrl(guards, text, { field: 'base_url', kind: 'http', byOperator })
      if (url.search !== '') throw invalid('must not have a query.').because('url_query', { field: 'base_url' })
      return trimmed(url)
    },

    localWay,
    hasSimulator: () => simulatorUrl() !== '',
    /** The key for an address of the simulated model that was stored without one. */
    simulatorKey: (baseUrl: string, accountId: AccountId): string | undefined =>
      isSimulated(baseUrl) ? modelSimulator?.keyOf(accountId) : undefined,
    close: () => local.close(),
  }
}

export type Ways = ReturnType<typeof createWays>

export const isSimulated = (baseUrl: string | null): boolean =>
  baseUrl !== null && URL.parse(baseUrl)?.hostname === MODEL_HOST

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

const trimmed = (url: URL): string => url.href.replace(/(?<!\/)\/+$/, '')

const invalid = (rule: string) => new ApiError('invalid_url', `base_url ${rule}`)
