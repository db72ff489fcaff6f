import { LIMITS } from '../../contract/limits.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import type { Cursors } from '../../kernel/page.ts'
import type { Handlers } from '../handler.ts'
import type { ApprovalRecord, approvalsContract } from './contract.ts'
import type { Approval, Approvals } from './index.ts'

export function approvalsHandlers(approvals: Approvals, cursors: Cursors): Handlers<typeof approvalsContract> {
  return {
    async listApprovals({ principal: { accountId }, query: { state, limit = LIMITS.pageSizeDefault, cursor } }) {
      const list = `approvals:${accountId}:${state ?? ''}`
      const beforeId = cursor === undefined ? undefined : String(cursors.decode(list, cursor)[0])
      const { shown, hasMore } = await approvals.page(accountId, { state, beforeId, limit })
      const last = hasMore ? shown.at(-1) : undefined
      return {
        data: shown.map(toRecord),
        next_cursor: last === undefined ? null : cursors.encode(list, [last.id]),
        has_more: last !== undefined,
      }
    },
    getApproval: async ({ principal, params }) => toRecord(await approvals.get(principal.accountId, params.id)),
    approveCall: async ({ principal, params }) => toRecord(await approvals.approve(principal.accountId, params.id)),
    refuseCall: async ({ principal, params }) => toRecord(await approvals.refuse(principal.accountId, params.id)),
  }
}

const toRecord = (approval: Approval): ApprovalRecord => ({
  id: approval.id,
  state: approval.state,
  sentence: approval.sentence,
  parts: approval.parts?.map((part) => ({ ...part, values: [...part.values] })) ?? null,
  tool: approval.tool,
  operation: approval.operation,
  arguments: { ...approval.shown },
  key: { id: approval.keyId, name: approval.keyName },
  created_at: isoTime(approval.createdAtMs),
  expires_at: isoTime(approval.expiresAtMs),
  decided_at: isoTimeOrNull(approval.decidedAtMs),
  executed_at: isoTimeOrNull(approval.executedAtMs),
  result: approval.result && { status: approval.result.status, body: approval.result.body ?? null },
})
