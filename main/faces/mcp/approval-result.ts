import type { Approval } from '../../capabilities/approvals/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import { errorResult, toolResult, type ToolResult } from './result.ts'
import type { Tool } from './tools.ts'

/** What the assistant is told about a call of its that a person decides about. */
export function approvalResult(tool: Tool, approval: Approval, requestId: string): ToolResult {
  const { id, state, result, expiresAtMs, sentence } = approval
  const told = (words: string) => errorResult(new ApiError('invalid_state', words), requestId)
  switch (state) {
    case 'pending':
      return told(
        `Approval pending: ${id}. Nothing was done yet. A person must agree in the Switchboard window until ` +
          `${isoTime(expiresAtMs)}: ${sentence} Tell them, and after they decided repeat the call with ` +
          `approval_id: "${id}" to get the result.`,
      )
    case 'approved':
      return told(`Approval ${id} was given, and the call is being carried out. Repeat it with approval_id: "${id}".`)
    case 'refused':
      return told(`Approval ${id} was refused by a person: nothing was done. Do not ask again unless they want it.`)
    case 'expired':
      return told(
        `Approval ${id} has expired: nobody decided in time, and nothing was done. Repeat the call without approval_id to ask again.`,
      )
    case 'executed':
      return toolResult(tool, { status: result?.status ?? 200, headers: {}, body: result?.body })
  }
}
