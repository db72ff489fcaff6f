import {
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  PROTOCOL_VERSION_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { failureOf, Refused, type Failure } from './failure.ts'

interface RelayDeps {
  /** The assistant, on standard input and output. */
  readonly near: Transport
  /** The service, over HTTP. */
  readonly far: StreamableHTTPClientTransport
  readonly url: URL
  /** For the person at the terminal. */
  readonly tell: (sentence: string) => void
}

/** JSON-RPC: the server’s own range; the message never reached a protocol object. */
const NOT_REACHED = -32_000

/**
 * Carries JSON-RPC messages both ways, unread but for what the two transports do differently: an HTTP session has to be
 * opened again where the service was restarted, and a 2026-07-28 request is cancelled by closing its stream.
 */
export async function relay({ near, far, url, tell }: RelayDeps): Promise<void> {
  /** Requests of the assistant that wait for an answer, by their id. */
  const waiting = new Map<RequestId, { readonly isModern: boolean; readonly stream: AbortController }>()
  const session = createSession(far)
  const reported = new Set<Failure['kind']>()

  const answer = (id: RequestId, error: { code: number; message: string; data?: unknown }) => {
    if (waiting.delete(id)) void near.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }

  const send = async (message: JSONRPCMessage): Promise<void> => {
    const request = isJSONRPCRequest(message) ? message : undefined
    const stream = new AbortController()
    if (request) waiting.set(request.id, { isModern: isModern(request), stream })
    const options = {
      requestSignal: stream.signal,
      onRequestStreamEnd: () => {
        if (request) answer(request.id, { code: NOT_REACHED, message: `${url.origin} ended before it answered.` })
      },
    }
    try {
      await session.send(message, options)
      reported.clear()
    } catch (error) {
      if (stream.signal.aborted) return
      const failure = failureOf(error, url)
      // A notification that came too late for its session is nobody's loss.
      if (failure.error === undefined && !reported.has(failure.kind)) tell(failure.sentence)
      reported.add(failure.kind)
      if (request) answer(request.id, failure.error ?? { code: NOT_REACHED, message: failure.sentence })
    }
  }

  near.onmessage = (message: JSONRPCMessage) => {
    const cancelled = isJSONRPCNotification(message) ? cancelledBy(message) : undefined
    const request = cancelled === undefined ? undefined : waiting.get(cancelled)
    if (cancelled === undefined || request?.isModern !== true) return void send(message)
    waiting.delete(cancelled)
    request.stream.abort()
  }
  near.onerror = () => tell('Something on standard input is no JSON-RPC message; it was passed over.')

  far.onmessage = (message: JSONRPCMessage) => {
    if (session.handle(message)) return
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      // Whoever cancelled a request does not expect its answer any more.
      if (message.id === undefined || !waiting.delete(message.id)) return
    }
    void near.send(message).catch(() => undefined)
  }

  const ended = new Promise<void>((resolve) => (near.onclose = resolve))
  await far.start()
  await near.start()
  await ended
  await session.end()
  await far.close()
}

interface Session {
  send(message: JSONRPCMessage, options: Parameters<StreamableHTTPClientTransport['send']>[1]): Promise<void>
  /** @returns whether the message was for the session itself. */
  handle(message: JSONRPCMessage): boolean
  end(): Promise<void>
}

const REOPEN_ID = 'switchboard-bridge-initialize'

/** The session of a client of 2025-11-25 or older. Others never open one. */
function createSession(far: StreamableHTTPClientTransport): Session {
  let initialize: JSONRPCRequest | undefined
  let initialized: JSONRPCMessage | undefined
  let reopening: Promise<void> | undefined
  let answering: PromiseWithResolvers<undefined> | undefined

  /**
   * The service keeps sessions in memory; after its restart the client’s own words open a new one.
   * @throws Refused; Error where nothing was answered.
   */
  const reopen = async (first: JSONRPCRequest) => {
    const { promise: answered, reject } = (answering = Promise.withResolvers<undefined>())
    const onRequestStreamEnd = () => reject(new Error('it ended before it answered'))
    await Promise.all([far.send({ ...first, id: REOPEN_ID }, { onRequestStreamEnd }), answered])
    if (initialized !== undefined) await far.send(initialized)
  }

  return {
    async send(message, options) {
      if (isInitializeRequest(message)) initialize = message as JSONRPCRequest
      if (isInitializedNotification(message)) initialized = message
      try {
        await far.send(message, options)
      } catch (error) {
        if (initialize === undefined || message === initialize || !isSessionLost(error, far)) throw error
        reopening ??= reopen(initialize).finally(() => (reopening = undefined))
        await reopening
        await far.send(message, options)
      }
    },
    handle(message) {
      if (isJSONRPCErrorResponse(message) && message.id === REOPEN_ID) {
        answering?.reject(new Refused(message.error))
        return true
      }
      const isResult = isJSONRPCResultResponse(message)
      if (!isResult || (message.id !== initialize?.id && message.id !== REOPEN_ID)) return false
      const { protocolVersion } = message.result
      if (typeof protocolVersion === 'string') far.setProtocolVersion(protocolVersion)
      if (message.id !== REOPEN_ID) return false
      answering?.resolve(undefined)
      return true
    },
    // A service that is gone has no session to end, and nobody waits for it.
    end: () => far.terminateSession().catch(() => undefined),
  }
}

const isSessionLost = (error: unknown, far: StreamableHTTPClientTransport) =>
  far.sessionId !== undefined && failureOf(error, new URL('http://unused')).kind === 'session-lost'

const isModern = ({ params }: JSONRPCRequest): boolean => params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined

function cancelledBy({ method, params }: { method: string; params?: Record<string, unknown> | undefined }) {
  const id = method === 'notifications/cancelled' ? params?.['requestId'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
