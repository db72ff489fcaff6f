import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createClaims } from '../../main/capabilities/webhooks/claim.ts'
import type { Keyring } from '../../main/capabilities/webhooks/keyring.ts'
import { createWebhookQueues } from '../../main/capabilities/webhooks/webhook-queues.ts'
import { systemClock as clock } from '../../main/kernel/clock.ts'
import { createIds, systemRandom } from '../../main/kernel/ids.ts'
import { silentLog as log } from '../../main/kernel/log.ts'
import { createSeal } from '../../main/kernel/seal.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { sql } from '../../main/kernel/sql.ts'
import { MIGRATIONS } from '../../main/storage/migrations/index.ts'
import { openStorage, type Storage } from '../../main/storage/sqlite.ts'
import { quantile } from '../support/latency.ts'
import { SIZES } from './lib/full-home.ts'
import { largeHome } from './lib/large-home.ts'
import { goal, type Report } from './lib/report.ts'
import { median } from './lib/table.ts'

/**
 * Claims of 64 due deliveries in a large home, each with its own commit and synchronous=FULL. They are compared with
 * the least work that a claim can do on the same rows: one UPDATE that takes a lease, and its commit. Claimed rows
 * are delivered before the next claim, as in the service, where only rows that are being delivered are leased. The
 * two take turns in blocks, because two connections that write to one file invalidate each other's cache.
 */
const CLAIMS = Number(process.env['CLAIMS'] ?? 200)
const AT_ONCE = Number(process.env['CLAIMED'] ?? 64)
const BLOCK = 25
const GOAL_MS = 2

export async function claims(): Promise<Report[]> {
  const { home } = largeHome()
  const file = join(home, 'switchboard.db')
  const raw = new Database(file)
  raw.pragma('synchronous = FULL')
  raw.prepare("UPDATE webhooks SET state = 'active', max_in_flight = ?").run(AT_ONCE)
  const due = raw
    .prepare('SELECT COUNT(*) FROM deliveries WHERE lane >= 0 AND webhook_seq > 0 AND next_attempt_at <= ?')
    .pluck()
  const many = Number(due.get(clock.now()))
  const db = await openStorage({ file, migrations: MIGRATIONS, ids: createIds(clock, systemRandom), clock, log })
  try {
    const [ours, least] = await timed(productClaim(db), leastClaim(raw))
    return [reportOf(ours, least, many)]
  } finally {
    await db.close()
    raw.prepare("UPDATE webhooks SET state = 'paused'").run()
    raw.close()
  }
}

interface Claimer {
  /** @returns how many deliveries it claimed. */
  claim(): Promise<number>
  /** The time of this step is not measured. */
  deliver(): Promise<unknown>
}

const delivered = sql(`UPDATE deliveries SET status = 'delivered', delivered_at = updated_at, next_attempt_at = NULL,
  lease = NULL WHERE lease IS NOT NULL`)

/** The claim of the webhooks room, with receivers that have shown that they accept 64 requests in parallel. */
function productClaim(db: Storage): Claimer {
  const queues = createWebhookQueues({ clock })
  const keyring: Keyring = {
    open: () => ({ current: new Secret('whsec_bench'), previous: null, previousUntilMs: 0, version: 1 }),
    forget() {},
  }
  const room = createClaims({
    ...{ db, clock, keyring, queues, log },
    seal: createSeal({ masterKey: { key: () => Buffer.alloc(32) }, random: systemRandom }),
    networkHealth: { allowance: () => 'all', probeStarted() {} },
    isInside: () => false,
  })
  let isLooked = false
  return {
    async claim() {
      if (!isLooked) await room.look()
      isLooked = true
      const attempts = await room.claim(AT_ONCE)
      for (const { target } of attempts) queues.release(target.webhookSeq, 'grow')
      return attempts.length
    },
    deliver: () => db.commit((tx) => tx.run(delivered, {})),
  }
}

function leastClaim(raw: Database.Database): Claimer {
  const take = raw.prepare(`UPDATE deliveries SET lease = 'bench', attempts = attempts + 1 WHERE seq IN (
    SELECT seq FROM deliveries WHERE webhook_seq = 1 AND lane = 0 AND next_attempt_at IS NOT NULL AND next_attempt_at <= ?
       AND lease IS NULL ORDER BY seq DESC LIMIT ${AT_ONCE}) RETURNING seq`)
  const deliver = raw.prepare(delivered.text)
  return { claim: async () => take.all(clock.now()).length, deliver: async () => deliver.run() }
}

/** Runs the claimers in turns, and counts only claims of the full size. */
async function timed(...claimers: readonly Claimer[]): Promise<number[][]> {
  const times = claimers.map((): number[] => [])
  for (let round = 0; times.some((all) => all.length < CLAIMS); round++) {
    if (round > CLAIMS * 10) throw new Error('there is not enough to claim: ask for more ROWS or fewer CLAIMS')
    for (const [i, { claim, deliver }] of claimers.entries()) {
      for (let n = 0; n < BLOCK; n++) {
        const begun = performance.now()
        if ((await claim()) === AT_ONCE) times[i]?.push(performance.now() - begun)
        await deliver()
      }
    }
  }
  return times
}

function reportOf(ours: readonly number[] = [], least: readonly number[] = [], due: number): Report {
  const row = (claim: string, times: readonly number[]) => {
    return {
      claim,
      'p50 ms': median(times),
      'p99 ms': quantile([...times], 0.99),
      'of the least': median(times) / median(least),
    }
  }
  return {
    title: `Claims of ${AT_ONCE} among ${SIZES.deliveries.toLocaleString('en-US')} deliveries, of which ${due.toLocaleString('en-US')} are due; ${CLAIMS} each, in turn, durable`,
    rows: [
      row('Switchboard: attempt number, attempt row and event of each', ours),
      row('one UPDATE that takes a lease', least),
    ],
    goals: [goal('a claim, at the median', median(ours), 'below', GOAL_MS, 'ms')],
  }
}
