import {
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
} from '@modelcontextprotocol/server'
import type { Approval, ApprovalRequests } from '../../capabilities/approvals/index.ts'
import { needsApproval } from '../../contract/approval.ts'
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

/** What the client brought beside the arguments, and whether a person sits behind it whom it can ask. */
interface Elicitation {
  readonly canBeAsked: boolean
  /** As it came: nobody has checked it. */
  readonly state: string | undefined
  readonly responses: Readonly<Record<string, unknown>> | undefined
}

export interface ToolCallDeps {
  /** The door, in-process: the only way a tool acts. */
  readonly call: (principal: Principal, request: ToolRequest) => Promise<DoorAnswer>
  /** Every check of the door, and nothing done. */
  readonly rehearse: (principal: Principal, request: ToolRequest) => Promise<DoorAnswer>
  readonly confirmations: Confirmations
  /** Where calls wait for a person. */
  readonly approvals: ApprovalRequests
  readonly sentences: CallDescriber
}

export interface ToolCall {
  readonly tool: Tool
  readonly given: Readonly<Record<string, unknown>>
  readonly caller: Caller
  readonly person: Elicitation
  /** Told of the approval that stands between the call and its result. */
  readonly onApprovalFound?: (approval: Approval) => void
}

const QUESTION = 'confirm'

/**
 * Runs a tool through the door. What removes or ends something runs only after a person agreed: asked by the client in
 * the middle of the call where it can ask, else by the model, which says so with `confirm: true`.
 * @throws ApiError for what is wrong with the arguments; ProtocolError for a confirmation that does not belong here.
 */
export function createToolCaller(deps: ToolCallDeps): (call: ToolCall) => Promise<ToolResult | InputRequiredResult> {
  const { confirmations, sentences, approvals } = deps

  const callDoor = (way: ToolCallDeps['call'], { tool, given, caller }: ToolCall): Promise<DoorAnswer> => {
    const request = tool.toRequest(given)
    const headers = { ...request.headers, 'x-request-id': caller.requestId }
    return way({ ...caller.principal, source: 'mcp' }, { ...request, headers })
  }
  const confirmed = (call: ToolCall): ToolCall => ({ ...call, given: { ...call.given, confirm: true } })
  const execute = async (call: ToolCall) => toolResult(call.tool, await callDoor(deps.call, call))

  const ask = async ({ tool, given, caller }: ToolCall): Promise<InputRequiredResult> => {
    const sentence = await sentences.describeCall(tool.operation, given, caller.principal)
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
    // An answer that nobody asked for, a client could have made up itself.
    if (person.state === undefined) return ask(call)
    if (!confirmations.redeem(person.state, boundCall(call))) throw notOurs()
    const response = inputResponse(person.responses, QUESTION)
    if (response.kind === 'missing') return ask(call)
    const isYes = response.kind === 'elicit' && response.action === 'accept' && response.content?.[QUESTION] === true
    return isYes ? execute(confirmed(call)) : errorResult(declined(tool.operation), caller.requestId)
  }

  /** What the body alone decides: undefined where the door asks for confirmation, else it was done or refused. */
  const unconfirmedAnswer = async (call: ToolCall): Promise<DoorAnswer | undefined> => {
    const answer = await callDoor(deps.call, { ...call, given: { ...call.given, confirm: false } })
    return codeOf(answer) === 'confirmation_required' ? undefined : answer
  }

  /** The key asks in the window: a person there decides, and neither the client nor the model can. */
  const askInWindow = async (call: ToolCall): Promise<ToolResult> => {
    const { tool, caller } = call
    const { principal, requestId } = caller
    const { approval_id: id, confirm: _confirm, ...given } = call.given
    const fingerprint = callHash(tool, given)
    const told = (approval: Approval) => {
      call.onApprovalFound?.(approval)
      return approvalResult(tool, approval, requestId)
    }
    if (id !== undefined) {
      if (typeof id !== 'string') throw new ApiError('validation_error', 'approval_id must be a text.')
      const isAlone = Object.keys(given).length === 0
      return told(await approvals.getOwn(principal, id, isAlone ? undefined : fingerprint))
    }
    const same = await approvals.findSame(principal, fingerprint)
    if (same !== undefined) return told(same)
    const wish = { ...call, given }
    tool.toRequest(given)
    const rehearsed = await callDoor(deps.rehearse, isDestructive(tool.operation) ? confirmed(wish) : wish)
    if (rehearsed.status >= 400) return toolResult(tool, rehearsed)
    const { operation } = tool
    const asked = await approvals.ask(principal, {
      tool: tool.definition.name,
      operation: `${operation.method} ${operation.path}`,
      given,
      shown: redactSecrets(given),
      sentence: await sentences.describeCall(operation, given, principal),
      fingerprint,
      repeatable: operation.idempotencyKey === true || tool.definition.annotations.idempotentHint,
    })
    return told(asked)
  }

  return async (call) => {
    const { tool, given, caller, person } = call
    // The door asks the same, but only once the arguments have become a request.
    requireScope(caller.principal, tool.operation.scope)
    requireAccessLevel(caller.principal, tool.operation.reach)
    const policy = caller.principal.key?.approval ?? 'none'
    // With an approval_id the arguments may be left out, and with them what the call is judged by.
    const judged = given['approval_id'] === undefined ? given : undefined
    if (needsApproval(policy, tool.operation, judged)) return askInWindow(call)
    if (!isDestructive(tool.operation)) return execute(call)
    // Its arguments are checked as they were given: from here on `confirm` is ours to set.
    tool.toRequest(given)
    if (tool.operation.confirm === 'by-body') {
      // Unconfirmed, the door does what can be undone and refuses what cannot.
      const answer = await unconfirmedAnswer(call)
      if (answer !== undefined) return toolResult(tool, answer)
    }
    // Nobody is asked about a call that could not be carried out.
    const rehearsed = await callDoor(deps.rehearse, confirmed(call))
    if (rehearsed.status >= 400) return toolResult(tool, rehearsed)
    if (person.canBeAsked) return askThroughClient(call)
    if (given['confirm'] === true) return execute(call)
    return errorResult(unconfirmed(tool.operation), caller.requestId)
  }
}

/** What makes two calls the same: one that was approved, and its repetition. */
const callHash = (tool: Tool, given: ToolCall['given']): Buffer => argumentsHash({ tool: tool.definition.name, given })

const boundCall = ({ tool, given, caller }: Pick<ToolCall, 'tool' | 'given' | 'caller'>) => ({
  owner: caller.principal.key?.id ?? 'console',
  tool: tool.definition.name,
  given,
})

export const isDestructive = ({ destructive, confirm }: Operation): boolean =>
  destructive === true || confirm !== undefined

function codeOf({ body }: DoorAnswer): unknown {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined
  const { error } = body
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}

const unconfirmed = ({ summary }: Operation) =>
  new ApiError(
    'confirmation_required',
    `${summary}: nothing was done. Ask the person, and after they agreed repeat the call with confirm: true.`,
  )

const declined = ({ summary }: Operation) =>
  new ApiError(
    'confirmation_required',
    `${summary}: the person did not agree, so nothing was done. Do not repeat the call unless they ask for it.`,
  )

/** In the words of the SDK, which every server of this protocol says it with. */
const notOurs = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  })
