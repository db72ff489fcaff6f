import { Readable } from 'node:stream'
import { Answer, type Handlers } from '../handler.ts'
import type { NumberCheckView, numberChecksContract } from './contract.ts'
import type { NumberChecks } from './index.ts'

export function numberChecksHandlers(checks: NumberChecks): Handlers<typeof numberChecksContract> {
  return {
    async startNumberCheck({ instance, body, rawBody, idempotencyKey }) {
      const { bytes, replayed } = await checks.start(instance, { numbers: body.numbers, rawBody, idempotencyKey })
      return new Answer<NumberCheckView>({
        ...{ status: 202, bytes },
        headers: replayed ? { 'Idempotent-Replayed': 'true' } : {},
      })
    },
    listNumberChecks: ({ instance, query }) => checks.list(instance, query),
    getNumberCheck: ({ instance, params }) => checks.read(instance, params.check_id),
    async listCheckedNumbers({ instance, principal, params, query, wantsCsv }) {
      if (!wantsCsv) return checks.numbers(instance, params.check_id, query)
      const lines = await checks.csv(instance, params.check_id, principal.kind === 'console')
      return new Answer({
        stream: Readable.from(lines, { objectMode: false }),
        headers: {
          'Content-Type': 'text/csv; charset=utf-8',
          'Content-Disposition': `attachment; filename="${params.check_id}.csv"`,
        },
      })
    },
    updateNumberCheck: ({ instance, params, body }) => checks.update(instance, params.check_id, body),
  }
}
