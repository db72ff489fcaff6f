import type { Cursors } from '../../kernel/page.ts'
import { room } from '../room.ts'
import { auditContract } from './contract.ts'
import { auditHandlers } from './handlers.ts'
import { createAudit, type AuditDeps } from './index.ts'

export function auditRoom(deps: AuditDeps & { readonly cursors: Cursors }) {
  const audit = createAudit(deps)
  return room({
    name: 'audit',
    contract: auditContract,
    handlers: auditHandlers(audit, deps.cursors),
    api: audit,
    chores: [audit.retention],
  })
}
