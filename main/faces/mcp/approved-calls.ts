import type { ExecuteCall } from '../../capabilities/approvals/index.ts'
import { isDestructive } from '../../contract/effects.ts'
import { ApiError } from '../../contract/errors.ts'
import type { ToolCallDeps } from './tool-calls.ts'
import { withoutFields } from './output.ts'
import type { Toolbox } from './tools.ts'

/** Makes an approved call through the door, with the key that requested it. */
export function createApprovedCallRunner(
  deps: Pick<ToolCallDeps, 'call'> & { readonly toolbox: Toolbox },
): ExecuteCall {
  return async ({ approvalId, tool: name, given, principal }) => {
    const tool = deps.toolbox.find(name)
    if (tool === undefined) throw new ApiError('not_found', `This version has no tool ${name}, so nothing was done.`)
    const request = tool.toRequest(isDestructive(tool.operation, given) ? { ...given, confirm: true } : given)
    // With its own idempotency key, an interrupted call can be repeated and still takes effect once.
    const key = tool.operation.idempotencyKey === true ? { 'idempotency-key': approvalId } : {}
    const headers = { ...key, ...request.headers, 'x-request-id': approvalId }
    const { status, body } = await deps.call({ ...principal, source: 'mcp' }, { ...request, headers })
    return { status, body: withoutFields(body, tool.redact) }
  }
}
