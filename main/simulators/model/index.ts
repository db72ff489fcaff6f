import type { ModelFault, ModelReply } from '../../contract/sandbox.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { createSimulatorListener, type SimulatedAnswer, type SimulatedRequest } from '../listener.ts'
import { createModelAccounts, type ModelAccount, type SeenRequest } from './accounts.ts'
import { answerChat } from './chat.ts'
import { objectOf } from './conversation.ts'
import { accountOf, keyOf } from './keys.ts'
import { isKnownModel, MODELS } from './models.ts'
import { FAILURES, type Failure } from './protocol.ts'
import { listModels, routeOf, type Route } from './routes.ts'

interface ModelSimulatorDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * A simulated model on loopback with the protocols of OpenAI, Anthropic and Google. It answers from its prompt and
 * tools, or with queued replies, and the same request always gets the same answer.
 */
export interface ModelSimulator {
  /** @param port 0 for any free port. */
  listen(port: number): Promise<void>
  /** `http://127.0.0.1:40123`, or empty while it does not listen. The protocols are below `/v1`, Google's below `/v1beta`. */
  url(): string
  /** API key of an account; faults and replies apply only to requests with it. */
  keyOf(accountId: AccountId): string
  readonly models: readonly string[]
  /** Causes a fault in the next requests; several kinds occur one after another. */
  cause(accountId: AccountId, kind: ModelFault, times: number): void
  /** Queues answers for the next chats. @returns the number of queued answers */
  queue(accountId: AccountId, replies: readonly ModelReply[]): number
  /** Ends all faults, and deletes queued replies and recorded requests. */
  reset(accountId: AccountId): void
  /** The number of queued replies, and the last requests, newest first. */
  view(accountId: AccountId): ReturnType<ModelAccount['view']>
  close(): Promise<void>
}

const SLOW_MS = 2_000
const RETRY_AFTER_SECONDS = '2'

export function createModelSimulator(deps: ModelSimulatorDeps): ModelSimulator {
  const { clock, log } = deps
  const accounts = createModelAccounts()
  const listener = createSimulatorListener({ log, name: 'model', answer })

  async function answer(request: SimulatedRequest): Promise<SimulatedAnswer> {
    const route = routeOf(request)
    const accountId = accountOf(request.headers)
    // Servers of local models list them without a key. A wrong key is always refused.
    if (accountId === null && route.kind === 'models') return listModels(false)
    if (accountId === undefined || accountId === null) return failed(route, FAILURES.unauthorized)
    const account = accounts(accountId)
    const fault = account.strike()
    const given = await respond(route, request, account, fault)
    const seen: SeenRequest = {
      atMs: clock.now(),
      path: `/${request.path.join('/')}`,
      model: route.model,
      status: given === 'reset' ? null : given.status,
      fault,
    }
    account.note(seen)
    return given
  }

  async function respond(
    route: Route,
    request: SimulatedRequest,
    account: ModelAccount,
    fault: ModelFault | null,
  ): Promise<SimulatedAnswer> {
    if (fault === 'silence') return silence(request.signal)
    if (fault === 'slow_headers') await clock.sleep(SLOW_MS)
    if (fault !== null && fault in FAILURES) return failed(route, FAILURES[fault as keyof typeof FAILURES])
    if (route.model !== null && !isKnownModel(route.model)) {
      return failed(route, {
        status: 404,
        message: `The model ${route.model} does not exist or you do not have access to it.`,
      })
    }
    switch (route.kind) {
      case 'chat': {
        const asked = { ...route.protocol.read(route.body), model: route.model ?? '', isStream: route.isStream }
        if (asked.turns.length === 0) return failed(route, { status: 400, message: 'The request has no messages.' })
        return answerChat(deps, route.protocol, account, asked, fault)
      }
      case 'plain':
        return fault === 'malformed_json' ? { status: 200, body: '{"data":[{' } : route.answer(account)
      case 'models':
        return listModels(route.isAnthropic)
      case 'invalid':
        return failed(route, { status: 400, message: route.message })
      case 'unknown':
        return failed(route, { status: 404, message: `Unknown request: ${request.method} /${request.path.join('/')}.` })
    }
  }

  return {
    async listen(port) {
      await listener.listen(port)
    },
    url: listener.url,
    keyOf,
    models: MODELS,
    cause: (accountId, kind, times) => accounts(accountId).arm(kind, times),
    queue: (accountId, replies) => accounts(accountId).queue(replies),
    reset: (accountId) => accounts(accountId).clear(),
    view: (accountId) => accounts(accountId).view(),
    close: listener.close,
  }
}

function failed({ failure }: Route, what: Failure): SimulatedAnswer {
  const headers = what.status === 429 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}
  return { status: what.status, headers, body: objectOf(failure(what)) }
}

/** Sends nothing until the caller disconnects. */
function silence(signal: AbortSignal): Promise<SimulatedAnswer> {
  return new Promise((resolve) => {
    const end = () => resolve('reset')
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
