import type { KeyId } from '../../kernel/ids.ts'
import type { Cursors } from '../../kernel/page.ts'
import { accountRoom } from '../account/room.ts'
import { defineRoom } from '../room.ts'
import { approvalsContract } from './contract.ts'
import { approvalsHandlers } from './handlers.ts'
import { createApprovals, type ApprovalsDeps, type ApprovedCalls } from './index.ts'

interface Deps extends Omit<ApprovalsDeps, 'principalOf'> {
  readonly cursors: Cursors
  readonly approvedCalls: ApprovedCalls
}

export const approvalsRoom = defineRoom({
  name: 'approvals',
  contract: approvalsContract,
  uses: { account: accountRoom },
  build(deps: Deps, { account }) {
    const approvals = createApprovals({ ...deps, principalOf: account.principalOf })
    account.whenAccessEnds(async (tx, { who }) => {
      if (who.startsWith('key:')) await approvals.keyRevoked(tx, who.slice('key:'.length) as KeyId)
    })
    return {
      handlers: approvalsHandlers(approvals, deps.cursors),
      api: approvals,
      start: () => approvals.start(deps.approvedCalls),
      close: approvals.close,
      async attention({ accountId }) {
        const { pending: count } = await approvals.countPending(accountId)
        if (count === 0) return []
        return [{ code: 'waiting', severity: 'warning', count, subject: null, sinceMs: null, text: null }]
      },
    }
  },
})
