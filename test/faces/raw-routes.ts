import type { FastifyInstance } from 'fastify'
import type { World } from '../support/world.ts'

/** Values of path parameters that lead somewhere. */
export type Parameters = Readonly<Record<string, readonly string[]>>

/** Makes something behind each parameter of the routes that are no operations. */
export async function parametersOf(w: World): Promise<Parameters> {
  const line = await w.pair()
  const official = await w.instance({ engine: 'official' })
  const { url } = (await w.api('POST', `/v1/instances/${line.id}/access-links`, {})).body
  await w.api('POST', `/v1/instances/${line.id}/voice/enable`)
  const wish = { name: 'Page', allowed_origins: ['https://www.example.com'] }
  const widget = (await w.api('POST', `/v1/instances/${line.id}/voice/widgets`, wish)).body
  await w.api('POST', `/v1/instances/${line.id}/ghl/connect`, { mode: 'token', token: 'pit-1', location_id: 'loc_1' })
  const ghl = (await w.api('GET', `/v1/instances/${line.id}/ghl`)).body
  const checkout = (await w.api('POST', '/v1/billing/checkouts', { product: 'setup' })).body
  const last = (address: unknown) => new URL(String(address), 'http://none').pathname.split('/')
  return {
    token: [last(url).at(-1)!, last(official.onboarding_url).at(-1)!, last(ghl.inbox_url).at(3) ?? ''],
    instance: [line.id, official.id],
    key: [widget.public_key],
    id: [last(checkout.checkout_url).at(-1)!],
  }
}

export interface Route {
  readonly path: string
  readonly methods: readonly string[]
}

/** Every route of the service, from the tree that the framework prints. */
export function routesOf(app: FastifyInstance): Route[] {
  const prefixes: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const found = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line)
      if (found === null) return []
      const [, indent = '', label = '', methods] = found
      const level = indent.length / 4
      prefixes.length = level
      prefixes[level] = label
      return methods === undefined ? [] : [{ path: prefixes.join(''), methods: methods.split(', ') }]
    })
}
