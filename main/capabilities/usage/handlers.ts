import type { Handlers } from '../handler.ts'
import type { usageContract } from './contract.ts'
import type { Usage } from './index.ts'
import { usageReport } from './report.ts'

export function usageHandlers(usage: Usage): Handlers<typeof usageContract> {
  return {
    getUsage: async ({ principal: { accountId }, query, wantsCsv }) =>
      usageReport(usage, {
        ...{ accountIds: [accountId], query, wantsCsv, forSpreadsheets: true },
        today: await usage.today(accountId),
      }),
  }
}
