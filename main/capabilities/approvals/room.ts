import type { Cursors } from '../../kernel/page.ts'
import { room } from '../room.ts'
import { approvalsContract } from './contract.ts'
import { approvalsHandlers } from './handlers.ts'
import { createApprovals, type ApprovalsDeps, type ApprovedCalls } from './index.ts'

export interface ApprovalsRoomDeps extends ApprovalsDeps {
  readonly cursors: Cursors
  readonly approvedCalls: ApprovedCalls
}

export function approvalsRoom(deps: ApprovalsRoomDeps) {
  const approvals = createApprovals(deps)
  return room({
    name: 'approvals',
    contract: approvalsContract,
    handlers: approvalsHandlers(approvals, deps.cursors),
    api: approvals,
    start: () => approvals.start(deps.approvedCalls),
    close: approvals.close,
    async attention({ accountId }) {
      const { pending: count } = await approvals.countPending(accountId)
      if (count === 0) return []
      return [{ code: 'waiting', severity: 'warning', count, subject: null, sinceMs: null, text: null }]
    },
  })
}
