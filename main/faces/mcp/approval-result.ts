import type { Approval } from '../../capabilities/approvals/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import { errorResult, toolResult, type ToolResult } from './result.ts'
import type { Tool } from './tools.ts'

/** The tool result for a call that needs a person's approval. */
export function approvalResult(tool: Tool, approval: Approval, requestId: string): ToolResult {
  const { id, state, result, expiresAtMs, sentence } = approval
  const explain = (message: string) => errorResult(new ApiError('invalid_state', message), requestId)
  switch (state) {
    case 'pending':
      return explain(
        `Approval pending: ${id}. Nothing was done yet. A person must approve this in the Switchboard window by ` +
          `${isoTime(expiresAtMs)}: ${sentence} Tell them. Once they have decided, repeat the call with ` +
          `approval_id: "${id}" to get the result.`,
      )
    case 'approved':
      return explain(
        `Approval ${id} was granted and the call is running. Repeat it with approval_id: "${id}" to get the result.`,
      )
    case 'refused':
      return explain(`A person refused approval ${id}, so nothing was done. Do not ask again unless they want you to.`)
    case 'expired':
      return explain(
        `Approval ${id} expired before anyone decided, so nothing was done. Repeat the call without approval_id to ask again.`,
      )
    case 'executed':
      return toolResult(tool, { status: result?.status ?? 200, headers: {}, body: result?.body })
  }
}
