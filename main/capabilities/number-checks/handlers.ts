import { Readable } from 'node:stream'
import { Answer, answerOfCreated, type Handlers } from '../handler.ts'
import type { numberChecksContract } from './contract.ts'
import type { NumberChecks } from './index.ts'

export function numberChecksHandlers(checks: NumberChecks): Handlers<typeof numberChecksContract> {
  return {
    async startNumberCheck({ instance, body, rawBody, idempotencyKey }) {
      const started = await checks.start(instance, { numbers: body.numbers, rawBody, idempotencyKey })
      return answerOfCreated(started, 202)
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
