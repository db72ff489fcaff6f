import { FEATURES } from '../../main/contract/features.ts'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ServedOperation } from '../../main/capabilities/handler.ts'
import type { RoomContract } from '../../main/contract/operation.ts'
import type { AcceptedScope } from '../../main/contract/scopes.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import { createDoor } from '../../main/faces/http.ts'
import { createRequestTimes } from '../../main/faces/request-times.ts'
import { addMcpRoute } from '../../main/faces/mcp-route.ts'
import { createMcp } from '../../main/faces/mcp.ts'
import type { Principal } from '../../main/kernel/access.ts'
import { createApiActivity } from '../../main/kernel/api-activity.ts'
import { createIds, systemRandom, type AccountId, type InstanceId, type KeyId } from '../../main/kernel/ids.ts'
import { systemClock } from '../../main/kernel/clock.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { createOpenBodies } from '../../main/faces/open-bodies.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'
import { INSTANCE_ID, OTHER_ID, SAMPLE_ROOMS, sampleHandlers, type Asked } from './sample.ts'

/** Whoever sits in front of the client. */
export type Person = (message: string) => { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }

export interface House {
  readonly url: string
  readonly asked: Asked[]
  readonly clock: FakeClock
  /** A key, and what a client sends to use it. */
  key(options?: { scopes?: readonly AcceptedScope[]; instances?: readonly string[]; account?: string }): string
  /** @param person answers what the client is asked; without one it does not say that it can ask. */
  revoke(key: string): void
  connect(key: string, era: 'modern' | 'legacy', person?: Person): Promise<Client>
  post(key: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

const nobodyAsks = async (): Promise<never> => {
  throw new Error('no key of this house asks in the window')
}

/** The real door with a sample product behind it, listening, and MCP mounted the way the service mounts it. */
export async function openHouse(rooms: readonly RoomContract[] = SAMPLE_ROOMS): Promise<House> {
  const asked: Asked[] = []
  const clock = fakeClock()
  const ids = createIds(systemClock, systemRandom)
  const principals = new Map<string, Principal>()
  const clients: Client[] = []
  const handlers: Record<string, unknown> = { ...sampleHandlers(asked) }
  const operations = rooms
    .flatMap((room) => Object.values(room.operations))
    .map((operation) => ({ operation, handler: handlers[operation.id] }) as ServedOperation)

  const mcp = createMcp({
    contracts: rooms,
    call: (principal, request) => door.call(principal, request),
    rehearse: (principal, request) => door.rehearse(principal, request),
    // No key of this house asks in the window.
    approvals: { findSame: nobodyAsks, ask: nobodyAsks, getOwn: nobodyAsks },
    clock,
    random: systemRandom,
    isKeyUsable: async (id) => [...principals.values()].some(({ key }) => key?.id === id),
    onToolCall: () => {},
    onClient: () => {},
    log: silentLog,
    version: '0.1.0',
  })
  const door = createDoor({
    featuresOf: async () => FEATURES,
    featureOf: () => undefined,
    isSuspended: () => false,
    isFrozen: async () => false,
    openBodies: createOpenBodies(),
    requireAccess: async () => {},
    onDone: async () => {},
    writeGate: { check() {} },
    times: createRequestTimes(clock),
    apiActivity: createApiActivity(clock),
    operations,
    clock,
    ids,
    log: silentLog,
    allowedHosts: [],
    publicBaseUrl: null,
    trustedProxies: [],
    anonymousRatePerMinute: () => 600,
    findSession: async () => undefined,
    publish: () => {},
    authenticate: async (token) => principals.get(token),
    subject: async (_account, id) =>
      [INSTANCE_ID, OTHER_ID].includes(id)
        ? {
            id: id as InstanceId,
            accountId: 'account' as AccountId,
            engine: 'smv2',
            network: 'sandbox',
            connected: true,
            deleted: false,
          }
        : undefined,
    rawRoutes: (app) =>
      addMcpRoute(
        app,
        async () => mcp,
        async () => FEATURES,
      ),
  })
  const port = await door.listen('127.0.0.1', 0)
  const url = `http://127.0.0.1:${port}/mcp`

  return {
    url,
    asked,
    clock,
    key({ scopes = SCOPES, instances, account = 'account' } = {}) {
      const token = `key-${principals.size}`
      principals.set(token, {
        kind: 'key',
        role: null,
        accountId: account as AccountId,
        accountName: 'My agency',
        key: { id: `id-${principals.size}` as KeyId, name: 'test', last4: 'test', expiresAtMs: null, approval: 'none' },
        scopes,
        allowedInstanceIds: instances ?? null,
        ratePerMinute: 6_000,
        source: 'api',
      })
      return token
    },
    revoke: (key) => void principals.delete(key),
    async connect(key, era, person) {
      const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
      const capabilities = person === undefined ? {} : { elicitation: {} }
      const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
      if (person) client.setRequestHandler('elicitation/create', ({ params }) => person(params.message))
      const headers = { authorization: `Bearer ${key}` }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
      clients.push(client)
      return client
    },
    post: (key, body, headers = {}) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close() {
      for (const client of clients) await client.close()
      await mcp.close()
      await door.close()
    },
  }
}
