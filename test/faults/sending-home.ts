import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { SCOPES } from '../../main/contract/scopes.ts'
import { askRunningService, controlAddress } from '../../main/faces/control.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { pause, testHome, until, type RunningService, type TestHome } from '../support/service-process.ts'
import type { Landing } from './landing.ts'

const OURS = '12025550100'
const CUSTOMER = '12025551001'
const PATIENCE_MS = 60_000
/** Homes may be many at once; looking more often would cost more than it tells. */
const LOOK_EVERY_MS = 200

/** A home with a connected number, and a webhook that leads out of it. No service runs in it. */
export interface SendingHome {
  readonly home: TestHome
  readonly database: string
  readonly key: string
  /** Where messages are posted, and to whom. */
  readonly messages: string
  readonly customer: string
  readonly webhook: { readonly id: string; readonly secret: string }
}

/** @param start of a service in the home, however it is to be started. */
export async function sendingHome(
  landing: Landing,
  maxInFlight: number,
  start: (home: TestHome) => Promise<RunningService>,
): Promise<SendingHome> {
  const home = testHome()
  home.write({
    send_timeout_ms: 500,
    'sandbox.timeline_ms': [0, 2, 4, 6],
    'egress.trusted_ranges': ['127.0.0.1/32'],
    'storage.reserve_mb': 0,
  })
  const service = await start(home)
  const key = await newKey(home.dir)
  const api = service.api(key)
  const instance = await pairedInstance(api, OURS)
  const wish = { url: landing.url, events: ['*'], max_in_flight: maxInFlight }
  const hook = await api('POST', '/v1/webhooks', wish)
  expect(hook.status).toBe(201)
  expect(await service.end('SIGTERM')).toBe(0)
  return {
    ...{ home, key, customer: CUSTOMER },
    database: join(home.dir, 'switchboard.db'),
    messages: `/v1/instances/${instance}/messages`,
    webhook: { id: hook.body.id, secret: hook.body.secret },
  }
}

/** Resolves when no delivery, signal or message waits any more. */
export async function settled(database: string): Promise<void> {
  const raw = new Database(database, { readonly: true })
  const waiting = raw.prepare(
    `SELECT (SELECT COUNT(*) FROM deliveries WHERE next_attempt_at IS NOT NULL)
          + (SELECT COUNT(*) FROM sandbox_timeline WHERE held = 0)
          + (SELECT COUNT(*) FROM messages WHERE status = 'queued')`,
  )
  try {
    const look = async () => waiting.pluck().get() === 0 || pause(LOOK_EVERY_MS).then(() => false)
    await until('everything is settled', look, PATIENCE_MS)
  } finally {
    raw.close()
  }
}

/** Asked of the running service: a command of its own would be one more process to start. */
async function newKey(dir: string): Promise<string> {
  const input = { name: 'Faults', scopes: SCOPES, allowed_instance_ids: null }
  const made = await askRunningService(controlAddress(dir, process.platform), { command: 'keys.create', input })
  return (made?.result as { key: string }).key
}
