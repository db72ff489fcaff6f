import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBudgetWarnings } from '../../../main/capabilities/costs/budget-warnings.ts'
import { createCosts, type Costs } from '../../../main/capabilities/costs/index.ts'
import { putRate } from '../../../main/capabilities/costs/store.ts'
import type { Budget } from '../../../main/contract/costs.ts'
import type { Tx } from '../../../main/kernel/db.ts'
import type { AccountId, InstanceId } from '../../../main/kernel/ids.ts'
import { silentLog } from '../../../main/kernel/log.ts'
import { fakeClock, type FakeClock } from '../../support/clock.ts'
import { testDatabase, type TestDatabase } from '../../support/database.ts'

const INSTANCE = 'ins-1' as InstanceId
const ACCOUNT = 'acc-1' as AccountId
const [US, IN, FR] = ['12025550123', '919812345678', '33612345678'] as const
const COUNTRY = { [US]: 'US', [IN]: 'IN', [FR]: 'FR' } as const
/** 2027-01-31, an hour before the month ends. */
const EVENING = Date.UTC(2027, 0, 31, 23)
const HOUR = 3_600_000

let data: TestDatabase
let clock: FakeClock
let costs: Costs
beforeAll(async () => {
  clock = fakeClock(EVENING)
  data = await testDatabase(undefined, { clock })
})
afterAll(() => data.close())
beforeEach(async () => {
  clock.set(EVENING)
  await reset()
})

async function reset(): Promise<void> {
  data.raw.exec(`DELETE FROM message_prices; DELETE FROM price_counts; DELETE FROM price_sums; DELETE FROM price_holds;
    DELETE FROM message_budgets; DELETE FROM message_rates`)
  costs = createCosts({ db: data.db, clock })
  await data.db.commit((tx) =>
    tx.run(putRate, {
      country: 'IN',
      category: 'utility',
      validFrom: '2026-10-01',
      currency: 'usd',
      micros: 1_500,
      source: 'x',
    }),
  )
}

const usd = (amount: number, warn = 80): Budget => ({ amount_micros: amount, currency: 'usd', warn_percent: warn })
const kindOf = (to: keyof typeof COUNTRY, category: string | null = 'utility') => ({ country: COUNTRY[to], category })
const limits = (campaignId: string, budget: Budget | null = null) =>
  costs.budgets.limitsOf({ one: data.db.readOne, all: data.db.read }, { accountId: ACCOUNT, campaignId, budget })
const hold = (sendKey: string, campaignId: string, to: keyof typeof COUNTRY, category: string | null = 'utility') =>
  data.db.commit((tx) => costs.holds.hold(tx, { sendKey, accountId: ACCOUNT, campaignId, ...kindOf(to, category) }))

/** The network reports that they were delivered. */
const deliverAll = (
  sendKeys: readonly string[],
  campaignId: string | null,
  to: string,
  category = 'utility',
  type = 'regular',
) =>
  data.db.commit(async (tx) => {
    for (const sendKey of sendKeys)
      await costs.reported(tx, {
        ...{ messageId: `msg_${sendKey}`, instanceId: INSTANCE, status: 'delivered', atMs: clock.now() },
        message: { accountId: ACCOUNT, chat: to, campaignId, idempotencyKey: sendKey },
        billing: {
          ...{ numberId: '1', businessId: '2', recipient: null },
          price: { category, type, model: 'PMP', billable: type === 'regular' },
        },
      })
  })
const deliver = (sendKey: string, ...rest: [campaignId: string | null, to: string, category?: string, type?: string]) =>
  deliverAll([sendKey], ...rest)
const keys = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`)

describe('the budget of a campaign', () => {
  test('covers messages up to the exact amount, including undelivered ones', async () => {
    await hold('a', 'cmp_1', US)
    await deliver('a', 'cmp_1', US)
    await hold('b', 'cmp_1', US)
    const refused = { by: 'campaign', needsMicros: 3_400 }
    expect((await limits('cmp_1', usd(10_200))).refusalOf(kindOf(US))).toBeNull()
    expect((await limits('cmp_1', usd(10_199))).refusalOf(kindOf(US))).toEqual(refused)
    expect((await limits('cmp_2', usd(3_400))).refusalOf(kindOf(US))).toBeNull()
    const now = await limits('cmp_1', usd(10_200))
    now.take(kindOf(US))
    expect(now.refusalOf(kindOf(US))).toEqual(refused)
    expect(now.campaign).toEqual({ spent_micros: 3_400, held_micros: 6_800, unknown_messages: 0, state: 'reached' })
  })

  test('releases the reserved cost of messages that failed or were free', async () => {
    await hold('a', 'cmp_1', US)
    await hold('b', 'cmp_1', US)
    expect((await limits('cmp_1', usd(6_800))).refusalOf(kindOf(US))).not.toBeNull()
    await data.db.commit((tx) => costs.holds.release(tx, 'a'))
    await data.db.commit((tx) => costs.holds.release(tx, 'a'))
    await deliver('b', 'cmp_1', US, 'utility', 'free_entry_point')
    expect((await limits('cmp_1', usd(6_800))).campaign).toEqual({
      ...{ spent_micros: 0, held_micros: 0, unknown_messages: 0, state: 'below' },
    })
  })

  test('releases the reserved cost of an unconfirmed message after 30 days', async () => {
    await hold('a', 'cmp_1', US)
    clock.set(EVENING + 30 * 24 * HOUR)
    expect((await limits('cmp_1', usd(3_400))).campaign?.held_micros).toBe(3_400)
    expect(await costs.holds.expire(10)).toBe(0)
    clock.set(EVENING + 31 * 24 * HOUR)
    expect((await limits('cmp_1', usd(3_400))).campaign?.held_micros).toBe(0)
    expect(await costs.holds.expire(10)).toBe(1)
    expect(data.raw.prepare('SELECT SUM(messages) AS messages FROM price_sums').get()).toEqual({ messages: 0 })
  })

  test.each([
    ['a country without a price', FR, 'utility'],
    ['a template of an unknown category', US, null],
  ] as const)(
    '%s has an unknown cost, not a cost of 0, and does not count against the budget',
    async (_what, to, category) => {
      await hold('a', 'cmp_1', to, category)
      const { campaign, refusalOf } = await limits('cmp_1', usd(3_400))
      expect(campaign).toEqual({ spent_micros: 0, held_micros: 0, unknown_messages: 1, state: 'below' })
      expect(refusalOf(kindOf(to, category))).toBeNull()
      await hold('b', 'cmp_1', US)
      expect((await limits('cmp_1', usd(3_400))).refusalOf(kindOf(to, category))).toEqual({
        ...{ by: 'campaign', needsMicros: null },
      })
    },
  )

  test('counts the cost in another currency as unknown', async () => {
    await hold('a', 'cmp_1', US)
    expect((await limits('cmp_1', { ...usd(1), currency: 'eur' })).campaign).toMatchObject({ unknown_messages: 1 })
  })

  test.each([
    [79, 'below'],
    [80, 'warning'],
    [99, 'warning'],
    [100, 'reached'],
  ])('at %i percent is %s', async (messages, state) => {
    await deliverAll(keys(messages), 'cmp_1', US)
    expect((await limits('cmp_1', usd(340_000))).campaign?.state).toBe(state)
  })
})

describe('the budget of an account for a month', () => {
  test('counts the messages and replies of all its campaigns, and starts again each month', async () => {
    await costs.budgets.setOfAccount(ACCOUNT, usd(10_200))
    await deliver('a', 'cmp_1', US)
    await deliver('b', null, US)
    await hold('c', 'cmp_2', US)
    const refused = { by: 'client', needsMicros: 3_400 }
    expect((await limits('cmp_3')).refusalOf(kindOf(US))).toEqual(refused)
    expect((await limits('cmp_3')).covers({ by: 'client', needsMicros: 3_400 })).toBe(false)
    clock.set(EVENING + HOUR)
    // What is not delivered yet counts for the new month.
    expect((await costs.budgets.ofAccount(ACCOUNT))?.spending).toMatchObject({ spent_micros: 0, held_micros: 3_400 })
    expect((await limits('cmp_3')).covers({ by: 'client', needsMicros: 3_400 })).toBe(true)
  })

  test('counts service messages within the allowance of their number as free', async () => {
    await costs.budgets.setOfAccount(ACCOUNT, usd(6_800))
    await deliverAll(keys(1_001), null, US, 'service')
    expect((await costs.budgets.ofAccount(ACCOUNT))?.spending).toMatchObject({ spent_micros: 3_400, state: 'below' })
    const { totals } = await costs.report(
      { accountIds: [ACCOUNT], from: '2027-01-01', to: '2027-01-31', instanceIds: null },
      'account',
    )
    expect(totals.costs).toEqual([{ currency: 'usd', amount_micros: 3_400 }])
  })

  test('no longer stops messages once it is removed', async () => {
    await costs.budgets.setOfAccount(ACCOUNT, usd(1))
    expect((await limits('cmp_1')).refusalOf(kindOf(US))).not.toBeNull()
    await costs.budgets.removeOfAccount(ACCOUNT)
    expect((await limits('cmp_1')).refusalOf(kindOf(US))).toBeNull()
  })
})

describe('an account whose budget is nearly used up', () => {
  const line = { role: 'operator', network: null } as const
  const warnings = () =>
    createBudgetWarnings({
      db: data.db,
      clock,
      live: { publish: (id) => void told.push(id) },
      log: silentLog,
      budgets: costs.budgets,
    })
  const told: (string | null)[] = []

  test('is reported once a month, to the account and its agency', async () => {
    data.raw.exec(`INSERT INTO accounts (id, name, change_at, created_at) VALUES ('agency', 'Agency', 1, 1);
      INSERT INTO accounts (id, name, parent_account_id, change_at, created_at) VALUES ('${ACCOUNT}', 'Luz', 'agency', 1, 1)`)
    await costs.budgets.setOfAccount(ACCOUNT, usd(34_000))
    const { look, attention } = warnings()
    await deliverAll(keys(7), null, US)
    await look()
    expect(told).toEqual([])
    await deliver('m7', null, US)
    for (let times = 0; times < 3; times++) await look()
    expect(told).toEqual([ACCOUNT])
    expect(await attention({ ...line, accountId: ACCOUNT })).toMatchObject([{ code: 'budget', severity: 'warning' }])
    const agency = { ...line, accountId: 'agency' as AccountId }
    expect(await attention(agency)).toMatchObject([{ code: 'client', subject: { id: ACCOUNT, name: 'Luz' } }])
    expect(await attention({ ...agency, role: 'member' })).toEqual([])
    await costs.budgets.setOfAccount(ACCOUNT, usd(68_000))
    await look()
    expect(await attention(agency)).toEqual([])
    await costs.budgets.setOfAccount(ACCOUNT, usd(30_000))
    await look()
    expect(told).toEqual([ACCOUNT, ACCOUNT])
    clock.set(EVENING + HOUR)
    expect(await attention(agency)).toEqual([])
    await look()
    expect(told).toHaveLength(2)
  })
})

const PRICES: Readonly<Record<string, number>> = { [US]: 3_400, [IN]: 1_500 }
const step = fc.oneof(
  fc.record({
    kind: fc.constant('send' as const),
    campaign: fc.constantFrom('cmp_1', 'cmp_2'),
    to: fc.constantFrom(US, IN),
    isCut: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('deliver' as const, 'fail' as const, 'free' as const),
    at: fc.nat(),
    isCut: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('raise' as const),
    campaign: fc.constantFrom('cmp_1', 'cmp_2', 'client'),
    by: fc.integer({ min: 1, max: 9_000 }),
  }),
)

test('no campaign costs more than its budgets in any random sequence of failures, late deliveries and changed budgets', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      await reset()
      const budgets: Record<string, number> = { cmp_1: 9_000, cmp_2: 9_000, client: 12_000 }
      await costs.budgets.setOfAccount(ACCOUNT, usd(12_000))
      // Written by hand: what could still be charged, and what was.
      const open = new Map<string, { campaign: string; to: keyof typeof COUNTRY }>()
      const charged: Record<string, number> = { cmp_1: 0, cmp_2: 0 }
      let sends = 0
      for (const one of steps) {
        if (one.kind === 'raise') {
          budgets[one.campaign] = (budgets[one.campaign] ?? 0) + one.by
          if (one.campaign === 'client') await costs.budgets.setOfAccount(ACCOUNT, usd(budgets['client'] ?? 0))
          continue
        }
        const committed = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
          const cut = async (tx: Tx) => {
            await work(tx)
            throw new Error('the process ends before the commit')
          }
          if (one.isCut) await expect(data.db.commit(cut)).rejects.toThrow('the process ends')
          return data.db.commit(work)
        }
        if (one.kind === 'send') {
          const { campaign, to } = one
          const key = `s${sends++}`
          const isSent = await committed(async (tx) => {
            const allowed = await costs.budgets.limitsOf(tx, {
              ...{ accountId: ACCOUNT, campaignId: campaign, budget: usd(budgets[campaign] ?? 0) },
            })
            if (allowed.refusalOf(kindOf(to)) !== null) return false
            await costs.holds.hold(tx, { sendKey: key, accountId: ACCOUNT, campaignId: campaign, ...kindOf(to) })
            return true
          })
          const sum = (of: string) =>
            [...open.values()].reduce(
              (total, each) => total + (of === 'client' || each.campaign === of ? (PRICES[each.to] ?? 0) : 0),
              0,
            )
          const used = (charged[campaign] ?? 0) + sum(campaign) + (PRICES[to] ?? 0)
          const usedByAll = (charged['cmp_1'] ?? 0) + (charged['cmp_2'] ?? 0) + sum('client') + (PRICES[to] ?? 0)
          expect(isSent).toBe(used <= (budgets[campaign] ?? 0) && usedByAll <= (budgets['client'] ?? 0))
          if (isSent) open.set(key, { campaign, to })
          continue
        }
        const key = [...open.keys()][one.at % Math.max(1, open.size)]
        const sent = key === undefined ? undefined : open.get(key)
        if (key === undefined || sent === undefined) continue
        open.delete(key)
        if (one.kind === 'fail') await committed((tx) => costs.holds.release(tx, key))
        else {
          await deliver(key, sent.campaign, sent.to, 'utility', one.kind === 'free' ? 'free_entry_point' : 'regular')
          await deliver(key, sent.campaign, sent.to, 'utility', one.kind === 'free' ? 'free_entry_point' : 'regular')
        }
        if (one.kind === 'deliver') charged[sent.campaign] = (charged[sent.campaign] ?? 0) + (PRICES[sent.to] ?? 0)
      }
      for (const campaign of ['cmp_1', 'cmp_2']) {
        const { spent_micros: spent } = await costs.budgets.ofCampaign(campaign, usd(1))
        expect(spent).toBe(charged[campaign])
        expect(spent).toBeLessThanOrEqual(budgets[campaign] ?? 0)
      }
      expect((charged['cmp_1'] ?? 0) + (charged['cmp_2'] ?? 0)).toBeLessThanOrEqual(budgets['client'] ?? 0)
    }),
    { numRuns: 60 },
  )
})
