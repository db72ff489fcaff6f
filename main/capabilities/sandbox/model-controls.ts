import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ModelFault, ModelReply, SandboxModel } from '../../contract/sandbox.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { ModelSimulator } from '../../simulators/model/index.ts'

/** The URL stored in agents' settings; the simulator's port changes with every restart. */
const MODEL_BASE_URL = 'https://model.sandbox/v1'

export interface ModelControls {
  read(accountId: AccountId): SandboxModel
  /** @returns the number of queued replies. @throws ApiError invalid_state if that would be too many. */
  queue(accountId: AccountId, replies: readonly ModelReply[]): number
  cause(accountId: AccountId, kind: ModelFault, times: number): void
  reset(accountId: AccountId): void
}

/** Actions at the sandbox model. */
export function createModelControls(model: ModelSimulator): ModelControls {
  return {
    read(accountId) {
      const { queued, requests } = model.view(accountId)
      const url = model.url()
      return {
        base_url: MODEL_BASE_URL,
        local_url: url === '' ? null : `${url}/v1`,
        api_key: model.keyOf(accountId),
        models: [...model.models],
        queued_replies: queued,
        requests: requests.map(({ atMs, ...request }) => ({ at: new Date(atMs).toISOString(), ...request })),
      }
    },
    queue(accountId, replies) {
      const { queued } = model.view(accountId)
      if (queued + replies.length > LIMITS.sandboxModelReplies) {
        throw new ApiError(
          'invalid_state',
          `${queued} replies wait already, and at most ${LIMITS.sandboxModelReplies} can. Reset the sandbox model first.`,
        )
      }
      return model.queue(accountId, replies)
    },
    cause: model.cause,
    reset: model.reset,
  }
}
