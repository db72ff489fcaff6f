import { expect } from 'vitest'
import { until } from './service-process.ts'
import type { World } from './world.ts'

export interface OfficialNumber {
  readonly id: string
  readonly portfolioId: string
  readonly phoneNumberId: string
  /** Makes the simulated Meta refuse, or fail, the next sends. */
  readonly cause: (kind: string, times?: number) => Promise<void>
}

/** A number of the simulated Meta, connected through its page. The world has `graphBaseUrl: 'sandbox'` and a real clock. */
export async function officialNumber(w: World, number: string, wish: object = {}): Promise<OfficialNumber> {
  const { id, onboarding_url: url } = (await w.api('POST', '/v1/instances', { engine: 'official', name: number })).body
  const known = (await w.api('POST', '/v1/sandbox/graph/numbers', { number, ...wish })).body
  await w.wire('POST', new URL(url).pathname, new URLSearchParams(known).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await until('connected', async () => (await w.api('GET', `/v1/instances/${id}`)).body.status === 'connected')
  return {
    id,
    portfolioId: known.portfolio_id,
    phoneNumberId: known.phone_number_id,
    async cause(kind, times = 1_000) {
      const path = `/v1/sandbox/graph/numbers/${known.phone_number_id}/faults`
      expect((await w.api('POST', path, { kind, times })).status).toBe(200)
    },
  }
}
