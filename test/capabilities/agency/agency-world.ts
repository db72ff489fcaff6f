import { expect } from 'vitest'
import { createEntitlements } from '../../../main/capabilities/entitlements/index.ts'
import { SCOPES } from '../../../main/contract/scopes.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import type { Reply, World } from '../../support/world.ts'

export interface Client {
  readonly id: string
  /** A key with every scope. */
  readonly key: string
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

/** A sub-account of the world's own account, with a key that may do everything in it. */
export async function clientOf(w: World, wish: object = {}): Promise<Client> {
  const made = await w.api('POST', '/v1/agency/accounts', { name: 'Client', slots_allocated: 10, ...wish })
  expect(made.status, made.text).toBe(201)
  const { id } = made.body
  const { key } = (await w.api('POST', `/v1/agency/accounts/${id}/keys`, { name: 'All', scopes: SCOPES })).body
  return { id, key, api: (method, path, body, headers = {}) => w.api(method, path, body, { key, headers }) }
}

/** An smv2 instance of the client whose phone has scanned the code. */
export async function pairedIn(w: World, client: Client, number: string, body: object = {}): Promise<any> {
  const { id } = (await client.api('POST', '/v1/instances', body)).body
  const { pairing_code } = (await client.api('GET', `/v1/instances/${id}/qr`)).body
  await client.api('POST', `/v1/sandbox/phones/${number}/scan`, { pairing_code })
  await w.quiet()
  const record = (await client.api('GET', `/v1/instances/${id}`)).body
  expect(record.status).toBe('connected')
  return record
}

/** Types of the events that an account got, oldest first. */
export async function typesOf(w: World, accountId: string): Promise<string[]> {
  return (await w.events()).filter((event) => event.account_id === accountId).map(({ type }) => type)
}

/** As billing does it when a grace period has passed. */
export async function freeze(w: World, { id }: Pick<Client, 'id'>): Promise<void> {
  const { db, clock } = { db: w.service.db, clock: w.clock }
  const { grant } = createEntitlements({ db, clock, config: { slots: 10 } })
  await db.commit((tx) =>
    grant(tx, { accountId: id as AccountId, source: 'billing', sourceKey: 'sub_1', frozen: true }),
  )
  // The service looks again when something was granted through it.
  const changed = await w.api('PUT', `/v1/agency/accounts/${id}/slots`, { slots_allocated: 9 })
  expect(changed.status, changed.text).toBe(200)
}
