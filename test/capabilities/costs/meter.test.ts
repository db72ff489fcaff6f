import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCosts, type Costs } from '../../../main/capabilities/costs/index.ts'
import type { Price } from '../../../main/engines/price.ts'
import type { InstanceId } from '../../../main/kernel/ids.ts'
import { sql } from '../../../main/kernel/sql.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'

const MIDNIGHT = Date.UTC(2026, 10, 2)
const INSTANCE = 'ins-1' as InstanceId

let data: TestDatabase
let costs: Costs
beforeAll(async () => {
  data = await testDatabase()
  costs = createCosts({ db: data.db, clock: fakeClock() })
})
afterAll(() => data.close())

const everyCount = sql<
  Record<never, never>,
  {
    accountId: string
    day: string
    campaignId: string
    country: string
    category: string
    kind: string
    messages: number
  }
>(
  `SELECT account_id AS accountId, day, campaign_id AS campaignId, country, category, kind, messages FROM price_counts
   WHERE messages <> 0`,
)
const everySum = sql<Record<never, never>, { place: string; messages: number }>(
  `SELECT account_id || ' ' || day || ' ' || campaign_id || ' ' || country || ' ' || category || ' ' || kind AS place, messages
   FROM price_sums WHERE messages <> 0`,
)
const clear = ['message_prices', 'price_counts', 'price_sums'].map((table) => sql(`DELETE FROM ${table}`))

const STATUSES = ['sent', 'delivered', 'read'] as const
type Status = (typeof STATUSES)[number]

const price = fc.option(
  fc.record({
    category: fc.constantFrom('service', 'utility', 'marketing', null),
    type: fc.constantFrom('regular', 'free_entry_point', 'free_customer_service', 'volume_2027', null),
    model: fc.constant('PMP'),
    billable: fc.constantFrom(true, false, null),
  }),
  { nil: null },
)

/** A message, and what the network says of it with each status. */
const message = fc.record({
  account: fc.constantFrom('acc-1', 'acc-2'),
  campaign: fc.constantFrom('cmp_1', null),
  to: fc.constantFrom('12025550123', '5511912345678', 'US.900000000000001'),
  statuses: fc.record({
    sent: fc.option(fc.record({ price, atMs: fc.integer({ min: -5_000, max: 5_000 }) }), { nil: null }),
    delivered: fc.option(fc.record({ price, atMs: fc.integer({ min: -5_000, max: 5_000 }) }), { nil: null }),
    read: fc.option(fc.record({ price, atMs: fc.integer({ min: -5_000, max: 5_000 }) }), { nil: null }),
  }),
})
type Message = typeof message extends fc.Arbitrary<infer M> ? M : never

/** Written by hand: of each message the price that counts, and where it is counted. */
function ledgerOf(messages: readonly Message[]): Map<string, number> {
  const ledger = new Map<string, number>()
  for (const { account, campaign, to, statuses } of messages) {
    const { sent, delivered, read } = statuses
    const times = [delivered, read].flatMap((one) => (one === null ? [] : [one.atMs]))
    const paid: Price | null = delivered?.price ?? read?.price ?? sent?.price ?? null
    if (times.length === 0 || paid === null) continue
    const day = Math.min(...times) < 0 ? '2026-11-01' : '2026-11-02'
    const country = to.startsWith('55') ? 'BR' : 'US'
    const isFree = paid.type?.startsWith('free_') ?? false
    const byFlag = paid.billable === null ? 'unknown' : paid.billable ? 'charged' : 'free'
    const kind = paid.type === 'regular' ? 'charged' : isFree ? 'free' : byFlag
    const place = [account, day, campaign ?? '', country, paid.category ?? '', kind].join(' ')
    ledger.set(place, (ledger.get(place) ?? 0) + 1)
  }
  return ledger
}

test('the counts match an independent ledger, whatever the order, repeats, crashes and lost messages', async () => {
  const reports = fc.array(message, { minLength: 1, maxLength: 12 }).chain((messages) => {
    const all = messages.flatMap(({ statuses }, at) =>
      STATUSES.flatMap((status) => (statuses[status] === null ? [] : [{ at, status }])),
    )
    const order = fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2, maxLength: all.length * 2 })
    return fc.record({ messages: fc.constant(messages), order, crashes: fc.infiniteStream(fc.boolean()) })
  })
  await fc.assert(
    fc.asyncProperty(reports, async ({ messages, order, crashes }) => {
      await data.db.commit(async (tx) => {
        for (const statement of clear) await tx.run(statement, {})
      })
      const seen = new Set<number>()
      for (const { at, status } of order) {
        const isLost = seen.has(at) && (crashes.next().value ?? false)
        const work = (isCut: boolean) =>
          data.db.commit(async (tx) => {
            await costs.reported(tx, reportOf(messages, at, status, isLost))
            if (isCut) throw new Error('the process ends before the commit')
          })
        if (crashes.next().value === true) await expect(work(true)).rejects.toThrow('the process ends')
        await work(false)
        seen.add(at)
      }
      const found = await data.db.read(everyCount, {})
      const counted = found.map((row) => [
        [row.accountId, row.day, row.campaignId, row.country, row.category, row.kind].join(' '),
        row.messages,
      ])
      const ledger = ledgerOf(messages)
      expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(ledger))
      const summed = (await data.db.read(everySum, {})).map(({ place, messages: number }) => [place, number])
      expect(Object.fromEntries(summed)).toEqual(
        Object.fromEntries([...ledger].filter(([place]) => !place.endsWith(' free'))),
      )
    }),
    { numRuns: 150 },
  )
})

function reportOf(messages: readonly Message[], at: number, status: Status, isLost: boolean) {
  const { account, campaign, to, statuses } = messages[at]!
  const { price: reported, atMs } = statuses[status]!
  return {
    ...{ messageId: `msg_${at}`, instanceId: INSTANCE, status, atMs: MIDNIGHT + atMs },
    message: isLost ? undefined : { accountId: account, chat: to, campaignId: campaign, idempotencyKey: null },
    billing: { numberId: '1', businessId: '2', recipient: null, price: reported },
  }
}

test('a message missing after a restore is counted for the account of its number, and not counted without a number', async () => {
  await data.db.commit(async (tx) => {
    await tx.run(sql(`INSERT INTO accounts (id, name, change_at, created_at) VALUES ('acc-9', 'A', 1, 1)`), {})
    await tx.run(
      sql(`INSERT INTO instances (id, account_id, name, instance_name, engine, network, status, status_at, created_at,
        updated_at) VALUES ('ins-9', 'acc-9', 'I', 'i', 'official', 'live', 'connected', 1, 1, 1)`),
      {},
    )
    for (const instanceId of ['ins-9', 'ins-0'] as InstanceId[])
      await costs.reported(tx, {
        ...{ messageId: `msg_${instanceId}`, instanceId, message: undefined, status: 'delivered', atMs: MIDNIGHT },
        billing: {
          ...{ numberId: '1', businessId: '2', recipient: '12025550123' },
          price: { category: 'service', type: 'regular', model: 'PMP', billable: true },
        },
      })
  })
  const found = (await data.db.read(everyCount, {})).filter(({ accountId }) => accountId === 'acc-9')
  expect(found).toMatchObject([{ campaignId: '', country: 'US', category: 'service', kind: 'charged', messages: 1 }])
})
