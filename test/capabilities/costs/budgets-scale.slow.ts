import { expect, test } from 'vitest'
import { createCosts } from '../../../main/capabilities/costs/index.ts'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'

const DAYS = 365
const NUMBERS = 60
const CAMPAIGNS = 8
const CLIENTS = 300
const COUNTRIES = ['US', 'IN', 'GB', 'CL', 'BR', 'FR']
const PREPARED_MS = 1_500
const TURN_MS = 100
const CLIENTS_MS = 15_000

test(
  'checking a budget among a million counts, and listing the budgets of 300 clients, are fast',
  { timeout: 600_000 },
  async () => {
    const clock = fakeClock(Date.UTC(2027, 11, 31, 12))
    const data = await testDatabase(undefined, { clock })
    const costs = createCosts({ db: data.db, clock })
    const put = data.raw.prepare('INSERT INTO price_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    data.raw.transaction(() => {
      for (let day = 0; day < DAYS; day++) {
        const date = new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10)
        for (let number = 0; number < NUMBERS; number++)
          for (let campaign = 0; campaign < CAMPAIGNS; campaign++)
            for (const country of COUNTRIES) {
              const category = campaign === 0 ? 'service' : 'utility'
              put.run(
                'acc',
                date,
                `ins-${number}`,
                `cmp_${campaign}`,
                `n${number}`,
                'biz',
                country,
                category,
                'charged',
                10,
              )
            }
      }
      for (let client = 0; client < CLIENTS; client++)
        for (let day = 1; day <= 31; day++)
          for (const category of ['service', 'utility'])
            put.run(
              `client-${client}`,
              `2027-12-${String(day).padStart(2, '0')}`,
              `c${client}`,
              '',
              `m${client}`,
              'biz',
              'US',
              category,
              'charged',
              40,
            )
      data.raw.exec(`INSERT INTO price_sums (account_id, day, campaign_id, country, category, kind, messages)
      SELECT account_id, day, campaign_id, country, category, kind, SUM(messages) FROM price_counts
      GROUP BY account_id, day, campaign_id, country, category, kind`)
    })()
    const budget = { amount_micros: 1_000_000_000_000, currency: 'usd', warn_percent: 80 }
    const accountId = 'acc' as AccountId
    await costs.budgets.setOfAccount(accountId, budget)
    for (let client = 0; client < CLIENTS; client++)
      await costs.budgets.setOfAccount(`client-${client}` as AccountId, budget)

    const preparing = performance.now()
    await costs.budgets.prepare(accountId)
    const preparedMs = performance.now() - preparing
    const began = performance.now()
    const turns = 50
    for (let turn = 0; turn < turns; turn++)
      await data.db.commit((tx) => costs.budgets.limitsOf(tx, { accountId, campaignId: 'cmp_1', budget }))
    const turnMs = (performance.now() - began) / turns

    const listing = performance.now()
    for (let client = 0; client < CLIENTS; client++) {
      const found = await costs.budgets.ofAccount(`client-${client}` as AccountId)
      // 1,240 of each category; of the service messages 1,000 are free.
      expect(found?.spending.spent_micros).toBe((1_240 + 240) * 3_400)
    }
    const clientsMs = performance.now() - listing
    const { totals } = await costs.report(
      { accountIds: ['acc'], from: '2027-12-01', to: '2027-12-31', instanceIds: null },
      'day',
    )
    const { spending } = (await costs.budgets.ofAccount(accountId)) ?? {}
    expect(spending?.spent_micros).toBe(totals.costs.find(({ currency }) => currency === 'usd')?.amount_micros)
    expect(preparedMs).toBeLessThan(PREPARED_MS)
    expect(turnMs).toBeLessThan(TURN_MS)
    expect(clientsMs).toBeLessThan(CLIENTS_MS)
    await data.close()
  },
)
