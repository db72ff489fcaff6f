import { expect, test } from 'vitest'
import { createCosts } from '../../../main/capabilities/costs/index.ts'
import { systemClock } from '../../../main/kernel/clock.ts'
import { testDatabase } from '../../support/database.ts'

const DAYS = 365
const NUMBERS = 60
const CAMPAIGNS = 8
const COUNTRIES = ['US', 'IN', 'GB', 'CL', 'BR', 'FR']
const LIMIT_MS = 15_000

test(
  'a report over a year with a million counts is exact, and one month is read fast',
  { timeout: 600_000 },
  async () => {
    const data = await testDatabase(undefined, { clock: systemClock })
    const costs = createCosts({ db: data.db, clock: systemClock })
    const put = data.raw.prepare('INSERT INTO price_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    let charged = 0
    data.raw.transaction(() => {
      for (let day = 0; day < DAYS; day++) {
        const date = new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10)
        for (let number = 0; number < NUMBERS; number++)
          for (let campaign = 0; campaign < CAMPAIGNS; campaign++)
            for (const country of COUNTRIES) {
              const category = campaign === 0 ? 'service' : 'utility'
              const place = [`cmp_${campaign}`, `n${number}`, 'biz', country, category, 'charged']
              put.run('acc', date, `ins-${number}`, ...place, 10)
              if (country === 'US') charged += 10
            }
      }
    })()
    const span = { accountIds: ['acc'], from: '2027-01-01', to: '2027-12-31', instanceIds: null }
    const began = performance.now()
    const { totals } = await costs.report(span, 'instance')
    const yearMs = performance.now() - began
    // Of each number and month 1,000 service messages are free.
    expect(totals).toMatchObject({ messages: DAYS * NUMBERS * CAMPAIGNS * COUNTRIES.length * 10, allowance: 720_000 })
    expect(charged).toBe(DAYS * NUMBERS * CAMPAIGNS * 10)
    const monthBegan = performance.now()
    await costs.report({ ...span, from: '2027-12-01' }, 'campaign')
    const monthMs = performance.now() - monthBegan
    const oneBegan = performance.now()
    await costs.report({ ...span, campaignId: 'cmp_1' }, 'campaign')
    const oneMs = performance.now() - oneBegan
    expect(oneMs).toBeLessThan(LIMIT_MS)
    expect(monthMs).toBeLessThan(LIMIT_MS)
    expect(yearMs).toBeLessThan(4 * LIMIT_MS)
    await data.close()
  },
)
