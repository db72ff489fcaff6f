import { FEATURES } from '../../../main/contract/features.ts'
import { createDoor } from '../../../main/faces/http.ts'
import { createRequestTimes } from '../../../main/faces/request-times.ts'
import { addMcpRoute } from '../../../main/faces/mcp-route.ts'
import { createMcpTransport } from '../../../main/faces/mcp.ts'
import type { Principal } from '../../../main/kernel/access.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { createApiActivity } from '../../../main/kernel/api-activity.ts'
import { createIds, systemRandom, type AccountId, type KeyId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { SCOPES } from '../../../main/contract/scopes.ts'
import { createOpenBodies } from '../../../main/faces/open-bodies.ts'
import { fixtureServer } from './fixture.ts'

const principal: Principal = {
  kind: 'key',
  role: null,
  accountId: 'account' as AccountId,
  accountName: 'My agency',
  key: { id: 'key' as KeyId, name: 'judge', last4: 'dge', expiresAtMs: null, approval: 'none' },
  scopes: SCOPES,
  allowedInstanceIds: null,
  ratePerMinute: 1_000_000,
  source: 'api',
}

/** The product's door and MCP transport, as the service puts them together, with the fixture in the product's place. */
export async function openFixture(key: string): Promise<{ url: string; close(): Promise<void> }> {
  const mcp = createMcpTransport({
    factory: () => fixtureServer,
    onClient: () => {},
    isKeyUsable: async () => true,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
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
    times: createRequestTimes(systemClock),
    apiActivity: createApiActivity(systemClock),
    operations: [],
    clock: systemClock,
    ids: createIds(systemClock, systemRandom),
    log: silentLog,
    allowedHosts: [],
    publicBaseUrl: null,
    trustedProxies: [],
    anonymousRatePerMinute: () => 1_000_000,
    findSession: async () => undefined,
    publish: () => {},
    authenticate: async (token) => (token === key ? principal : undefined),
    subject: async () => undefined,
    rawRoutes: (app) =>
      addMcpRoute(
        app,
        async () => mcp,
        async () => FEATURES,
      ),
  })
  const url = `http://127.0.0.1:${await door.listen('127.0.0.1', 0)}`
  return {
    url,
    async close() {
      await mcp.close()
      await door.close()
    },
  }
}
