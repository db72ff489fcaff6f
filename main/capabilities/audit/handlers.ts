import { Readable } from 'node:stream'
import { LIMITS } from '../../contract/limits.ts'
import type { Cursors } from '../../kernel/page.ts'
import { Answer, type Handlers } from '../handler.ts'
import type { auditContract } from './contract.ts'
import type { Audit } from './index.ts'

export function auditHandlers(audit: Audit, cursors: Cursors): Handlers<typeof auditContract> {
  return {
    async listAuditLog({ principal: { accountId }, query, wantsCsv }) {
      const { limit = LIMITS.pageSizeDefault, cursor, actor = null } = query
      if (wantsCsv)
        return new Answer({
          stream: Readable.from(audit.csv(accountId, actor), { objectMode: false }),
          headers: {
            'Content-Type': 'text/csv; charset=utf-8',
            'Content-Disposition': 'attachment; filename="activity.csv"',
          },
        })
      const list = JSON.stringify(['audit-log', accountId, actor])
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursors.decode(list, cursor)[0])
      const found = await audit.page(accountId, actor, before, limit + 1)
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      return {
        data: shown,
        next_cursor: last === undefined ? null : cursors.encode(list, [Number(last.id)]),
        has_more: last !== undefined,
      }
    },
  }
}
