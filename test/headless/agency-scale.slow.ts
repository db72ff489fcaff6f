import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccounts } from '../../main/capabilities/account/index.ts'
import { createEntitlements } from '../../main/capabilities/entitlements/index.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemClock } from '../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../main/kernel/ids.ts'
import { createKeyDerivation } from '../../main/kernel/key-derivation.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { pause, testHome, type RunningService, type TestHome } from '../support/service-process.ts'
import { slowness } from '../support/loop-stretch.ts'
import { openTestStorage } from '../support/database.ts'

const CLIENTS = 500
const INSTANCES = 5_000
const LIST_MS = 500
const SWITCH_MS = 300
const IDLE_MIB = 250

let home: TestHome
let service: RunningService
const ids: string[] = []
let cookie = ''

beforeAll(async () => {
  home = testHome()
  await home.key('Agency')
  const file = join(home.dir, 'switchboard.db')
  const clock = systemClock
  const made = createIds(clock, systemRandom)
  const db = await openTestStorage({ file, migrations: MIGRATIONS, ids: made, log: silentLog, clock })
  const accounts = createAccounts({
    keyDerivation: createKeyDerivation(),
    ...{ db, clock, ids: made, random: systemRandom, ratePerMinute: 600, knownInstances: async () => new Set() },
  })
  const { id: parent } = await accounts.ensureOperatorAccount()
  const entitlements = createEntitlements({ db, clock, config: { slots: 10_000 } })
  const raw = new Database(file)
  const account = raw.prepare(
    `INSERT INTO accounts (id, name, parent_account_id, change_at, instances_made, instances_live, created_at)
     VALUES (?, ?, ?, ?, 10, 10, ?)`,
  )
  const instance = raw.prepare(
    `INSERT INTO instances (id, account_id, name, instance_name, engine, network, status, status_at, last_connected_at,
       created_at, updated_at) VALUES (?, ?, ?, ?, 'smv2', 'sandbox', ?, ?, ?, ?, ?)`,
  )
  const use = raw.prepare(
    `INSERT INTO usage_daily (account_id, day, instance_id, sent, received, failed, campaign_sends, calls, call_seconds,
       ai_tokens, media_bytes) VALUES (?, ?, ?, 5, 5, 0, 0, 0, 0, 0, 0)`,
  )
  const now = clock.now()
  const days = Array.from({ length: 30 }, (_, n) => new Date(now - n * 86_400_000).toISOString().slice(0, 10))
  raw.transaction(() => {
    for (let n = 0; n < CLIENTS; n++) {
      const id = made.account()
      ids.push(id)
      account.run(id, `Client ${n}`, parent, now + 10, now)
      for (let m = 0; m < INSTANCES / CLIENTS; m++) {
        const line = made.instance()
        const status = m % 3 === 0 ? 'disconnected' : 'created'
        instance.run(line, id, `Line ${m}`, `line-${m}`, status, now, status === 'created' ? null : now, now, now + m)
        for (const day of days) use.run(id, day, line)
      }
    }
  })()
  raw.close()
  for (const id of ids)
    await db.commit((tx) =>
      entitlements.grant(tx, {
        ...{ accountId: id as Parameters<typeof entitlements.of>[0], source: 'agency', sourceKey: id, slots: 12 },
        features: ['campaigns', 'mcp'],
      }),
    )
  await accounts.close()
  await db.close()
  service = await home.start()
  const { out } = await home.command('console')
  const code = /#code=([\w-]+)/.exec(out)?.[1] ?? ''
  const answer = await fetch(`${service.url}/panel/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ code }),
  })
  cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
})
afterAll(() => home.remove())

const ask = async (path: string) => {
  const begun = performance.now()
  const answer = await fetch(`${service.url}${path}`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const body: any = await answer.json()
  return { status: answer.status, body, ms: performance.now() - begun }
}

const residentMiB = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024

test('with 500 clients and 5,000 instances the client list, switching accounts and idle memory stay within limits', async () => {
  await pause(3_000)
  const idle = residentMiB()
  const listed: number[] = []
  for (let n = 0; n < 5; n++) {
    const { status, body, ms } = await ask('/panel/v1/agency/clients?limit=200')
    expect([status, body.data.length, body.has_more]).toEqual([200, 200, true])
    expect(body.data[0]).toMatchObject({
      slots_used: 10,
      slots_allocated: 12,
      sends_today: 50,
      trouble: { offline: 4 },
    })
    listed.push(ms)
  }
  const switched: number[] = []
  for (const id of ids.slice(0, 5)) {
    const { status, body, ms } = await ask(`/panel/accounts/${id}/v1/instances?limit=50`)
    expect([status, body.data.length]).toEqual([200, 10])
    switched.push(ms)
  }
  const usage = await ask('/panel/v1/agency/usage')
  expect(usage.body.totals.sent).toBe(INSTANCES * 30 * 5)
  const rounded = (all: number[]) => all.map(Math.round).join(', ')
  const report = `list ${rounded(listed)} ms, switch ${rounded(switched)} ms, usage of 30 days ${Math.round(usage.ms)} ms, idle ${Math.round(idle)} MiB`
  process.stdout.write(`${report}\n`)
  const median = (all: number[]) => all.toSorted((a, b) => a - b)[2] ?? 0
  expect(median(listed) / slowness(), report).toBeLessThan(LIST_MS)
  expect(median(switched) / slowness(), report).toBeLessThan(SWITCH_MS)
  if (process.platform === 'linux') expect(idle, report).toBeLessThan(IDLE_MIB)
})
