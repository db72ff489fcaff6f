import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBilling, type Billing } from '../../../main/capabilities/billing/index.ts'
import { SANDBOX_KEY } from '../../../main/capabilities/billing/providers.ts'
import { createEntitlements } from '../../../main/capabilities/entitlements/index.ts'
import { noUse } from '../../../main/contract/usage.ts'
import type { Db } from '../../../main/kernel/db.ts'
import { createIdempotency } from '../../../main/kernel/idempotency.ts'
import { createIds, type AccountId } from '../../../main/kernel/ids.ts'
import { createJobs, type Jobs } from '../../../main/kernel/jobs.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { createCursors } from '../../../main/kernel/page.ts'
import { createSeal } from '../../../main/kernel/seal.ts'
import { createStripeSimulator } from '../../../main/simulators/stripe/index.ts'
import { fakeClock, settle } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'
import { seededRandom } from '../../support/random.ts'

export const ACCOUNT = '0197f0c2-0000-7c51-9d2b-5f8e1a7c4b60' as AccountId

/** Where a process ends: at this commit, before it is written or after. */
export interface Kill {
  readonly atCommit: number
  readonly isWritten: boolean
}

interface Process {
  readonly billing: Billing
  readonly jobs: Jobs
  isDead(): boolean
  /** From now on its commits count. */
  arm(): void
  /** Ends it between two commits. */
  kill(): void
  /** Never resolves before the process is killed. */
  readonly death: Promise<undefined>
}

/** The billing room on a real database, with a payment provider that lives on when the process is killed. */
export async function billingBench() {
  const clock = fakeClock()
  const random = seededRandom(9)
  const { db, raw, close } = await testDatabase(undefined, { clock })
  raw
    .prepare(`INSERT INTO accounts (id, name, change_at, created_at) VALUES (?, 'Agency', 0, ?)`)
    .run(ACCOUNT, clock.now())
  let current: Process | undefined
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const to = current
      if (to === undefined || to.isDead()) return void request.socket.destroy()
      const taken = to.billing.callbacks
        .take(Buffer.concat(parts), String(request.headers['stripe-signature']))
        .then(() => 200)
        .catch(() => 500)
      const status = await Promise.race([taken, to.death])
      if (status === undefined) return void request.socket.destroy()
      response.writeHead(status).end()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const localUrl = () => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const resolve = () => Promise.resolve(['127.0.0.1'])
  const outside = createJobs({
    ...{ db, clock, log: silentLog, apiActivity: { isRecent: () => false } },
    nodes: { id: db.boot, aliveSinceMs: () => 0 },
  })
  const simulator = createStripeSimulator({
    ...{ db, clock, random, log: silentLog, jobs: outside, resolve, localUrl },
    pagesUrl: () => `${localUrl()}/sandbox/stripe`,
  })
  await simulator.begin()
  outside.start()

  function boot(number: number, kill?: Kill): Process {
    let commits = 0
    let isDead = false
    let isArmed = false
    const { promise: death, resolve: die } = Promise.withResolvers<undefined>()
    const never = () => new Promise<never>(() => {})
    const own: Db = {
      ...db,
      read: (statement, params) => (isDead ? never() : db.read(statement, params)),
      readOne: (statement, params) => (isDead ? never() : db.readOne(statement, params)),
      boot: `boot_${String(number)}` as Db['boot'],
      async commit(work) {
        if (isDead) return never()
        const isLast = isArmed && kill !== undefined && ++commits >= kill.atCommit
        if (isLast) {
          isDead = true
          die(undefined)
        }
        if (isLast && !kill.isWritten) return never()
        const result = await db.commit(work)
        return isLast || isDead ? never() : result
      },
    }
    const nodes = { id: `node_${String(number)}` as Db['boot'], aliveSinceMs: () => Number.MAX_SAFE_INTEGER }
    const jobs = createJobs({ ...{ db: own, clock, log: silentLog, nodes }, apiActivity: { isRecent: () => false } })
    const ids = createIds(clock, seededRandom(number))
    const billing = createBilling({
      ...{ db: own, clock, random, ids, jobs, simulator, resolve, localUrl, log: silentLog },
      seal: createSeal({ masterKey: { key: () => Buffer.alloc(32, 1) }, random }),
      cursors: createCursors(Buffer.alloc(32, 7)),
      idempotency: createIdempotency({ clock }),
      live: { publish() {} },
      entitlements: createEntitlements({ db: own, clock, config: { slots: 10 } }),
      usage: { totals: async () => noUse(), today: async () => '2026-01-05' },
      costs: { report: () => Promise.reject(new Error('no client is billed here')) },
      publicBaseUrl: null,
    })
    const end = () => {
      isDead = true
      die(undefined)
    }
    return { billing, jobs, death, isDead: () => isDead, kill: end, arm: () => void (isArmed = true) }
  }

  let number = 0
  const made = {
    clock,
    simulator,
    process: () => {
      if (current === undefined) throw new Error('no process runs')
      return current
    },
    /** Ends the process, and starts another one on the same database. */
    async restart(kill?: Kill): Promise<Process> {
      current?.kill()
      current = boot(++number, kill)
      await current.jobs.recover()
      await current.billing.recover()
      current.jobs.start()
      current.arm()
      return current
    },
    async pass(ms: number): Promise<void> {
      await clock.advance(ms)
      for (let i = 0; i < 6; i++) {
        await new Promise((done) => setImmediate(done))
        await settle(1)
      }
    },
    rows: <R>(text: string): R[] => raw.prepare(text).all() as R[],
    customerId: () => (raw.prepare('SELECT customer_id AS id FROM billing_customers').get() as { id: string }).id,
    saveCard: (customer: string, cardNumber: string) =>
      simulator.saveCard(SANDBOX_KEY, customer, { number: cardNumber, expMonth: 12, expYear: 2034 }),
    /** Less what was refunded. */
    charged: () =>
      (raw.prepare(`SELECT body FROM sandbox_stripe_objects WHERE kind = 'charge'`).all() as { body: string }[])
        .map(({ body }) => JSON.parse(body) as { amount_captured: number; amount_refunded: number })
        .reduce((sum, one) => sum + one.amount_captured - one.amount_refunded, 0),
    async close() {
      current?.kill()
      await Promise.all([outside.stop(0), clock.advance(10)])
      await simulator.close()
      await new Promise((done) => server.close(done))
      await close()
    },
  }
  return made
}
