import { Type } from 'typebox'
import { operation, type Contract } from '../../contract/operation.ts'
import { UsageQuery, UsageRow, UsageTotals, USAGE_COLUMNS } from '../../contract/usage.ts'

export const USAGE_EXAMPLE = {
  ...{ sent: 412, received: 380, failed: 3, campaign_sends: 250, calls: 6, call_seconds: 540 },
  ...{ ai_tokens: 91_204, media_bytes: 18_220_345 },
} as const

export const usageContract = {
  getUsage: operation({
    id: 'getUsage',
    effects: [],
    method: 'GET',
    path: '/v1/usage',
    summary: 'Read what the account used',
    description:
      'One row for each day and instance that used anything, and the totals. With `Accept: text/csv`, the rows as CSV. ' +
      'What an instance used before it was transferred stays with the account that had it.',
    scope: null,
    reach: 'account',
    origin: 'ours',
    audience: 'console',
    role: 'member',
    query: UsageQuery,
    reply: {
      status: 200,
      description: 'Rows by day, and the totals.',
      schema: Type.Object({ data: Type.Array(UsageRow), totals: UsageTotals }),
      csv: { example: USAGE_COLUMNS.join(',') },
    },
    errors: [],
    examples: {
      reply: {
        data: [
          {
            account_id: '019b8d3e-7a10-7c3f-9b1e-2f6d5c4b3a21',
            instance_id: '019b8d40-3c1e-7a52-8f63-1d2c3b4a5968',
            day: '2026-03-01',
            ...USAGE_EXAMPLE,
          },
        ],
        totals: USAGE_EXAMPLE,
      },
    },
    tool: null,
  }),
} as const satisfies Contract
