import { Readable } from 'node:stream'
import { listPage } from '../../kernel/list-page.ts'
import type { Cursors } from '../../kernel/page.ts'
import { Answer, type Handlers } from '../handler.ts'
import type { auditContract } from './contract.ts'
import type { Audit } from './index.ts'

export function auditHandlers(audit: Audit, cursors: Cursors): Handlers<typeof auditContract> {
  return {
    async listAuditLog({ principal: { accountId }, query, wantsCsv }) {
      const { actor = null } = query
      if (wantsCsv)
        return new Answer({
          stream: Readable.from(audit.csv(accountId, actor), { objectMode: false }),
          headers: {
            'Content-Type': 'text/csv; charset=utf-8',
            'Content-Disposition': 'attachment; filename="activity.csv"',
          },
        })
      const list = JSON.stringify(['audit-log', accountId, actor])
      return listPage(cursors, list, query, {
        read: ({ after: [before = Number.MAX_SAFE_INTEGER] = [], rows }) =>
          audit.page(accountId, actor, Number(before), rows),
        at: ({ id }) => [Number(id)],
        show: (entries) => entries,
      })
    },
  }
}
