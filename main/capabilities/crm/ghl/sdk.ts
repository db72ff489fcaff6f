import type { HighLevel } from '@gohighlevel/api-client'
import type { AccountId } from '../../../kernel/ids.ts'
import type { Secret } from '../../../kernel/secret.ts'
import { createHttpAdapter, type OnHeaders } from './http.ts'
import type { GhlSide } from './sides.ts'

/** The official client, once for each token: it renews nothing and repeats nothing, which this room does itself. */
export interface Sdk {
  /** With a token of a location or a company. */
  withToken(side: GhlSide, accountId: AccountId, token: Secret, onHeaders?: OnHeaders): Promise<HighLevel>
  /** For the token endpoint. */
  withApp(side: GhlSide, accountId: AccountId): Promise<HighLevel>
}

type Client = typeof HighLevel

const CLIENTS_KEPT = 64

export function createSdk(): Sdk {
  // Loaded when it is first needed: it is a tenth of an idle service's memory.
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
    // Axios and this have the same idea of a request; its types know more than the adapter needs.
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
