import type { Cursors } from '../../kernel/page.ts'
import { defineRoom } from '../room.ts'
import { auditContract } from './contract.ts'
import { auditHandlers } from './handlers.ts'
import { createAudit, type AuditDeps } from './index.ts'

export const auditRoom = defineRoom({
  name: 'audit',
  contract: auditContract,
  uses: {},
  build(deps: AuditDeps & { readonly cursors: Cursors }) {
    const audit = createAudit(deps)
    return { handlers: auditHandlers(audit, deps.cursors), api: audit, chores: [audit.retention] }
  },
})
