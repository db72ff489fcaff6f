import type { ExecuteCall } from '../../capabilities/approvals/index.ts'
import { ApiError } from '../../contract/errors.ts'
import { isDestructive, type ToolCallDeps } from './tool-calls.ts'
import { withoutFields } from './output.ts'
import type { Toolbox } from './tools.ts'

/** Makes a call that a person approved, through the door, as the key that asked for it. */
export function createApprovedCallRunner(
  deps: Pick<ToolCallDeps, 'call'> & { readonly toolbox: Toolbox },
): ExecuteCall {
  return async ({ approvalId, tool: name, given, principal }) => {
    const tool = deps.toolbox.find(name)
    if (tool === undefined) throw new ApiError('not_found', `This version has no tool ${name}; nothing was done.`)
    const request = tool.toRequest(isDestructive(tool.operation) ? { ...given, confirm: true } : given)
    // With a key of its own, a call that was cut off can be begun again and still acts once.
    const key = tool.operation.idempotencyKey === true ? { 'idempotency-key': approvalId } : {}
    const headers = { ...key, ...request.headers, 'x-request-id': approvalId }
    const { status, body } = await deps.call({ ...principal, source: 'mcp' }, { ...request, headers })
    return { status, body: withoutFields(body, tool.redact) }
  }
}
