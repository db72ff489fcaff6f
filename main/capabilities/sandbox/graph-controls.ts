import { ApiError } from '../../contract/errors.ts'
import type { GraphCredentials, GraphFault } from '../../contract/sandbox.ts'
import type { GraphSimulator } from '../../engines/sandbox/graph/index.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { GraphNumberBody } from './contract/faults.ts'

export interface GraphControls {
  /** @throws ApiError invalid_state if the simulator is not running. */
  addNumber(accountId: AccountId, body: GraphNumberBody): Promise<GraphCredentials>
  /** @throws ApiError not_found, also if the simulator is not running: then there are no numbers. */
  requireNumber(accountId: AccountId, phoneNumberId: string): Promise<void>
  fail(phoneNumberId: string, kind: GraphFault, times: number): Promise<void>
}

/** Actions at the simulated Meta. */
export function createGraphControls(simulator: GraphSimulator | null): GraphControls {
  function running(): GraphSimulator {
    if (simulator) return simulator
    throw new ApiError(
      'invalid_state',
      'The Graph API simulator is not running. Set official.graph_base_url to sandbox and restart the service.',
    )
  }

  return {
    async addNumber(accountId, { number, name, waba_id: wabaId, registered, ...wish }) {
      const { portfolio_id: portfolioId, messaging_limit: messagingLimit } = wish
      if (portfolioId !== undefined && !(await running().hasPortfolio(accountId, portfolioId)))
        throw new ApiError('not_found', 'The Graph API simulator has no portfolio with this id.')
      const made = await running().addNumber(accountId, {
        number,
        ...(name !== undefined && { name }),
        ...(wabaId !== undefined && { wabaId }),
        ...(portfolioId !== undefined && { portfolioId }),
        ...(messagingLimit !== undefined && { messagingLimit }),
        ...(registered !== undefined && { isRegistered: registered }),
      })
      return {
        number: made.number,
        phone_number_id: made.phoneNumberId,
        waba_id: made.wabaId,
        portfolio_id: made.portfolioId,
        access_token: made.accessToken,
        app_secret: made.appSecret,
      }
    },
    async requireNumber(accountId, phoneNumberId) {
      if (simulator?.has(accountId, phoneNumberId) === true) return
      throw new ApiError('not_found', 'The Graph API simulator has no number with this id.')
    },
    async fail(phoneNumberId, kind, times) {
      const graph = running()
      if (kind === 'token_dead') await graph.killToken(phoneNumberId)
      else graph.cause(phoneNumberId, kind, times)
    },
  }
}
