import type { HighLevel } from '@gohighlevel/api-client'
import type { AccountId } from '../../../kernel/ids.ts'
import type { Secret } from '../../../kernel/secret.ts'
import { createHttpAdapter, type OnHeaders } from './http.ts'
import type { GhlSide } from './sides.ts'

/** The official client, one per token. It renews no tokens and makes no retries; this room does both. */
export interface Sdk {
  /** For a token of a location or a company. */
  withToken(side: GhlSide, accountId: AccountId, token: Secret, onHeaders?: OnHeaders): Promise<HighLevel>
  /** For the token endpoint. */
  withApp(side: GhlSide, accountId: AccountId): Promise<HighLevel>
}

type Client = typeof HighLevel

const CLIENTS_KEPT = 64

export function createSdk(): Sdk {
  // Loaded on first use: it takes a tenth of an idle service's memory.
  let loading: Promise<Client> | undefined
  const load = () => (loading ??= import('@gohighlevel/api-client').then((library) => library.HighLevel))
  const clients = new Map<string, HighLevel>()

  async function direct(
    client: HighLevel,
    side: GhlSide,
    accountId: AccountId,
    onHeaders?: OnHeaders,
  ): Promise<HighLevel> {
    const { defaults } = client.getHttpClient()
    defaults.baseURL = await side.apiUrl()
    // Requests of axios fit; its types contain more than the adapter needs.
    defaults.adapter = createHttpAdapter(side.outbound, accountId, onHeaders) as never
    return client
  }

  return {
    async withToken(side, accountId, token, onHeaders) {
      const key = `${side.side} ${token.open()}`
      const known = clients.get(key)
      if (known !== undefined) return known
      const Client = await load()
      const client = new Client({ privateIntegrationToken: token.open(), logLevel: 'none' })
      if (clients.size >= CLIENTS_KEPT) clients.clear()
      clients.set(key, client)
      return direct(client, side, accountId, onHeaders)
    },
    async withApp(side, accountId) {
      const Client = await load()
      const { clientId, clientSecret } = side.app()
      const client = new Client({ clientId, clientSecret: clientSecret.open(), logLevel: 'none' })
      return direct(client, side, accountId)
    },
  }
}
