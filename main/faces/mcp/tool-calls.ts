import {
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
} from '@modelcontextprotocol/server'
import type { Approval, ApprovalRequests } from '../../capabilities/approvals/index.ts'
import { isDestructive, needsApproval } from '../../contract/effects.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { requireAccessLevel, requireScope, type Principal } from '../../kernel/access.ts'
import { argumentsHash, type Confirmations } from './confirmations.ts'
import type { ToolRequest } from './input.ts'
import { errorResult, toolResult, type DoorAnswer, type ToolResult } from './result.ts'
import { approvalResult } from './approval-result.ts'
import { redactSecrets, type CallDescriber } from './call-description.ts'
import type { Caller } from './caller.ts'
import type { Tool } from './tools.ts'

/** Whether the client can ask a person, and what it returned from doing so. */
interface Elicitation {
  readonly canBeAsked: boolean
  /** Not verified yet. */
  readonly state: string | undefined
  readonly responses: Readonly<Record<string, unknown>> | undefined
}

export interface ToolCallDeps {
  /** The request pipeline (`faces/http.ts`), called in-process. A tool has no other way to act. */
  readonly call: (principal: Principal, request: ToolRequest) => Promise<DoorAnswer>
  /** Runs all checks of a request, but not its operation. */
  readonly rehearse: (principal: Principal, request: ToolRequest) => Promise<DoorAnswer>
  readonly confirmations: Confirmations
  /** Where calls wait for a person. */
  readonly approvals: ApprovalRequests
  readonly describer: CallDescriber
}

export interface ToolCall {
  readonly tool: Tool
  readonly given: Readonly<Record<string, unknown>>
  readonly caller: Caller
  readonly person: Elicitation
  /** Called with the approval that the call waits for. */
  readonly onApprovalFound?: (approval: Approval) => void
}

const QUESTION = 'confirm'

/**
 * Runs a tool as an in-process request. Destructive tools run only after a person agreed: the client asks during the
 * call if it can, otherwise the model asks and passes `confirm: true`.
 * @throws ApiError for invalid arguments; ProtocolError for a confirmation that belongs to another call.
 */
export function createToolCaller(deps: ToolCallDeps): (call: ToolCall) => Promise<ToolResult | InputRequiredResult> {
  const { confirmations, describer, approvals } = deps

  const callDoor = (send: ToolCallDeps['call'], { tool, given, caller }: ToolCall): Promise<DoorAnswer> => {
    const request = tool.toRequest(given)
    const headers = { ...request.headers, 'x-request-id': caller.requestId }
    return send({ ...caller.principal, source: 'mcp' }, { ...request, headers })
  }
  const confirmed = (call: ToolCall): ToolCall => ({ ...call, given: { ...call.given, confirm: true } })
  const execute = async (call: ToolCall) => toolResult(call.tool, await callDoor(deps.call, call))

  const ask = async ({ tool, given, caller }: ToolCall): Promise<InputRequiredResult> => {
    const { sentence } = await describer.describeCall(tool.operation, given, caller.principal)
    const requestedSchema = {
      type: 'object' as const,
      properties: { [QUESTION]: { type: 'boolean' as const, title: `Yes: ${tool.definition.title.toLowerCase()}` } },
      required: [QUESTION],
    }
    const message = tool.operation.confirm === undefined ? sentence : `${sentence} This cannot be undone.`
    return inputRequired({
      inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema }) },
      requestState: confirmations.issue(boundCall({ tool, given, caller })),
    })
  }

  const askThroughClient = async (call: ToolCall): Promise<ToolResult | InputRequiredResult> => {
    const { tool, caller, person } = call
    // Without our state, the client could have made up the answer.
    if (person.state === undefined) return ask(call)
    if (!confirmations.redeem(person.state, boundCall(call))) throw notOurs()
    const response = inputResponse(person.responses, QUESTION)
    if (response.kind === 'missing') return ask(call)
    const isYes = response.kind === 'elicit' && response.action === 'accept' && response.content?.[QUESTION] === true
    return isYes ? execute(confirmed(call)) : errorResult(declined(tool.operation), caller.requestId)
  }

  /**
   * Calls without confirmation. @returns undefined if confirmation is required; otherwise the call is done or
   * refused.
   */
  const unconfirmedAnswer = async (call: ToolCall): Promise<DoorAnswer | undefined> => {
    const answer = await callDoor(deps.call, { ...call, given: { ...call.given, confirm: false } })
    return codeOf(answer) === 'confirmation_required' ? undefined : answer
  }

  /** For keys that require approval: only a person in the window can decide, not the client or the model. */
  const askInWindow = async (call: ToolCall): Promise<ToolResult> => {
    const { tool, caller } = call
    const { principal, requestId } = caller
    const { approval_id: id, confirm: _confirm, ...given } = call.given
    const fingerprint = callHash(tool, given)
    const report = (approval: Approval) => {
      call.onApprovalFound?.(approval)
      return approvalResult(tool, approval, requestId)
    }
    if (id !== undefined) {
      if (typeof id !== 'string') throw new ApiError('validation_error', 'approval_id must be a string.')
      const isAlone = Object.keys(given).length === 0
      return report(await approvals.getOwn(principal, id, isAlone ? undefined : fingerprint))
    }
    const same = await approvals.findSame(principal, fingerprint)
    if (same !== undefined) return report(same)
    const request = { ...call, given }
    tool.toRequest(given)
    const rehearsed = await callDoor(deps.rehearse, isDestructive(tool.operation, given) ? confirmed(request) : request)
    if (rehearsed.status >= 400) return toolResult(tool, rehearsed)
    const { operation } = tool
    const asked = await approvals.ask(principal, {
      tool: tool.definition.name,
      operation: `${operation.method} ${operation.path}`,
      given,
      shown: redactSecrets(given),
      ...(await describer.describeCall(operation, given, principal)),
      fingerprint,
      repeatable: operation.idempotencyKey === true || tool.definition.annotations.idempotentHint,
    })
    return report(asked)
  }

  return async (call) => {
    const { tool, given, caller, person } = call
    // The request pipeline checks this too, but only after the arguments are mapped to a request.
    requireScope(caller.principal, tool.operation.scope)
    requireAccessLevel(caller.principal, tool.operation.reach)
    const policy = caller.principal.key?.approval ?? 'none'
    // With an approval_id the arguments may be omitted, so the policy is checked without them.
    const policyArgs = given['approval_id'] === undefined ? given : undefined
    if (needsApproval(policy, tool.operation, policyArgs)) return askInWindow(call)
    if (!isDestructive(tool.operation, given)) return execute(call)
    // Check the arguments as given; after this we set `confirm` ourselves.
    tool.toRequest(given)
    if (tool.operation.confirm === 'by-body') {
      // Without confirmation, the request pipeline executes what can be undone and refuses the rest.
      const answer = await unconfirmedAnswer(call)
      if (answer !== undefined) return toolResult(tool, answer)
    }
    // Do not ask a person about a call that would fail anyway.
    const rehearsed = await callDoor(deps.rehearse, confirmed(call))
    if (rehearsed.status >= 400) return toolResult(tool, rehearsed)
    if (person.canBeAsked) return askThroughClient(call)
    if (given['confirm'] === true) return execute(call)
    return errorResult(unconfirmed(tool.operation), caller.requestId)
  }
}

/** Identifies a call, to match a repeated call with its approval. */
const callHash = (tool: Tool, given: ToolCall['given']): Buffer => argumentsHash({ tool: tool.definition.name, given })

const boundCall = ({ tool, given, caller }: Pick<ToolCall, 'tool' | 'given' | 'caller'>) => ({
  owner: caller.principal.key?.id ?? 'console',
  tool: tool.definition.name,
  given,
})

function codeOf({ body }: DoorAnswer): unknown {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined
  const { error } = body
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

const unconfirmed = ({ summary }: Operation) =>
  new ApiError(
    'confirmation_required',
    `${summary}: nothing was done. Ask the person first. If they agree, repeat the call with confirm: true.`,
  )

const declined = ({ summary }: Operation) =>
  new ApiError(
    'confirmation_required',
    `${summary}: the person declined, so nothing was done. Do not repeat the call unless they ask for it.`,
  )

/** The same error as the SDK's. */
const notOurs = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  })
