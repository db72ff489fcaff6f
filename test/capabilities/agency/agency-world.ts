import { expect } from 'vitest'
import { SCOPES } from '../../../main/contract/scopes.ts'
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
