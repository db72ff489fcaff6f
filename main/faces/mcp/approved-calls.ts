import type { ApprovedCalls } from '../../capabilities/approvals/index.ts'
import { isDestructive } from '../../contract/effects.ts'
import { ApiError } from '../../contract/errors.ts'
import type { ToolCallDeps } from './tool-calls.ts'
import { withoutFields } from './output.ts'
import type { Toolbox } from './tools.ts'

/** Describes approved calls, and makes them as requests with the key that requested them. */
export function createApprovedCalls({ toolbox, call, describer }: ApprovedCallsDeps): ApprovedCalls {
  return {
    async describe({ tool: name, given, principal }) {
      const tool = toolbox.find(name)
      return tool && describer.describeCall(tool.operation, given, principal)
    },
    async execute({ approvalId, tool: name, given, principal }) {
      const tool = toolbox.find(name)
      if (tool === undefined) throw new ApiError('not_found', `This version has no tool ${name}, so nothing was done.`)
      const request = tool.toRequest(isDestructive(tool.operation, given) ? { ...given, confirm: true } : given)
      // With its own idempotency key, an interrupted call can be repeated and still takes effect once.
      const key = tool.operation.idempotencyKey === true ? { 'idempotency-key': approvalId } : {}
      const headers = { ...key, ...request.headers, 'x-request-id': approvalId }
      const answer = await call({ ...principal, source: 'mcp' }, { ...request, headers })
      const body = withoutFields(answer.body, tool.redact)
      // The call was made, so a failure to name its objects is ignored.
      const names = await describer.nameIds(body, given, principal).catch(() => [])
      return { status: answer.status, body, names }
    },
  }
}

interface ApprovedCallsDeps extends Pick<ToolCallDeps, 'call' | 'describer'> {
  readonly toolbox: Toolbox
}
