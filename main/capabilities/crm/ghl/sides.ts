import { ApiError } from '../../../contract/errors.ts'
import type { Network } from '../../../contract/shapes.ts'
import { createOutbound, type Outbound } from '../../../outbound/outbound.ts'
import { Secret } from '../../../kernel/secret.ts'
import type { CrmDeps } from '../deps.ts'

/** The real GoHighLevel or the simulator. They differ only in addresses and credentials. */
export interface GhlSide {
  readonly side: Network
  /** Without a trailing slash. */
  apiUrl(): Promise<string>
  /** URL of the consent page, without the query. @param accountId account whose pages the simulator shows. */
  consentUrl(accountId: Parameters<CrmDeps['simulator']['pagePath']>[0]): Promise<string>
  /** @throws ApiError invalid_state that names the missing settings. */
  app(): { readonly clientId: string; readonly clientSecret: Secret }
  readonly providerId: string | null
  /** PEM or base64 of the key that signs deliveries; null: none is accepted. */
  publicKey(): Promise<string | null>
  readonly outbound: Outbound
}

type SidesDeps = Pick<CrmDeps, 'config' | 'simulator' | 'clock' | 'resolve' | 'dial' | 'localUrl'>

export type Sides = ReturnType<typeof createSides>

/** A separate guard for each: tokens reach only GoHighLevel, and only the simulator may use loopback. */
export function createSides({ config, simulator, clock, resolve, dial, localUrl }: SidesDeps) {
  const { ghlBaseUrl, ghlClientId, ghlClientSecret } = config
  const isSimulated = ghlBaseUrl === 'sandbox'
  let simulatorUrl = 'http://127.0.0.1:1'
  const base = () => config.publicBaseUrl ?? localUrl()

  const sandbox: GhlSide = {
    side: 'sandbox',
    apiUrl: async () => (simulatorUrl = await simulator.apiUrl()),
    consentUrl: async (accountId) => `${base()}${await simulator.pagePath(accountId)}/oauth/chooselocation`,
    app: () => ({ clientId: simulator.app.clientId, clientSecret: new Secret(simulator.app.clientSecret) }),
    providerId: simulator.app.providerId,
    publicKey: simulator.publicKey,
    outbound: createOutbound({
      ...{ clock, resolve, trustedRanges: ['127.0.0.0/8', '::1/128'] },
      only: () => [new URL(simulatorUrl).origin],
    }),
  }
  const live: GhlSide = {
    side: 'live',
    apiUrl: () => Promise.resolve(ghlBaseUrl),
    consentUrl: () => Promise.resolve(`${config.ghlMarketplaceUrl}/oauth/chooselocation`),
    app() {
      if (ghlClientId !== null && ghlClientSecret !== null)
        return { clientId: ghlClientId, clientSecret: ghlClientSecret }
      const missing = [ghlClientId === null && 'ghl.client_id', ghlClientSecret === null && 'ghl.client_secret']
      throw new ApiError(
        'invalid_state',
        `This needs your app in the HighLevel marketplace. Set ${missing.filter((name) => name !== false).join(' and ')}, restart the service, and connect again. Without an app, use mode token.`,
      ).because('ghl_app_missing', { settings: missing.filter((name) => name !== false).join(', ') })
    },
    providerId: config.ghlProviderId,
    publicKey: () => Promise.resolve(config.ghlPublicKey),
    outbound: createOutbound({
      ...{ clock, resolve, dial, trustedRanges: [] },
      only: () => [new URL(ghlBaseUrl).origin],
    }),
  }

  return {
    /** The one for instances of this network. */
    of: (network: Network): GhlSide => (network === 'sandbox' || isSimulated ? sandbox : live),
    get: (side: Network): GhlSide => (side === 'sandbox' ? sandbox : live),
    all: isSimulated ? [sandbox] : [sandbox, live],
    base,
    async close(): Promise<void> {
      await Promise.all([sandbox.outbound.close(), live.outbound.close()])
    },
  }
}
