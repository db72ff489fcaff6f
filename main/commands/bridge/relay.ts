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
  readonly report: (sentence: string) => void
}

/** In JSON-RPC's range for server errors: the message never reached the protocol layer. */
const NOT_REACHED = -32_000

/**
 * Forwards JSON-RPC messages both ways. It only interprets what the two transports do differently: an HTTP session must
 * be reopened after the service restarts, and a 2026-07-28 request is cancelled by closing its stream.
 */
export async function relay({ near, far, url, report }: RelayDeps): Promise<void> {
  /** The assistant's pending requests by id. */
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
        if (request)
          answer(request.id, { code: NOT_REACHED, message: `${url.origin} closed the connection before answering.` })
      },
    }
    try {
      await session.send(message, options)
      reported.clear()
    } catch (error) {
      if (stream.signal.aborted) return
      const failure = failureOf(error, url)
      // A notification for an ended session can be dropped.
      if (failure.error === undefined && !reported.has(failure.kind)) report(failure.sentence)
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
  near.onerror = () => report('Ignored a line on standard input that is not a JSON-RPC message.')

  far.onmessage = (message: JSONRPCMessage) => {
    if (session.handle(message)) return
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      // The answer to a cancelled request is dropped.
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

/** The session of a client using protocol 2025-11-25 or older. Newer clients have none. */
function createSession(far: StreamableHTTPClientTransport): Session {
  let initialize: JSONRPCRequest | undefined
  let initialized: JSONRPCMessage | undefined
  let reopening: Promise<void> | undefined
  let answering: PromiseWithResolvers<undefined> | undefined

  /**
   * The service keeps sessions in memory. After a restart, the client's own initialize opens a new one.
   * @throws Refused; Error where nothing was answered.
   */
  const reopen = async (first: JSONRPCRequest) => {
    const { promise: answered, reject } = (answering = Promise.withResolvers<undefined>())
    const onRequestStreamEnd = () => reject(new Error('the connection closed before an answer'))
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
    // If the service is gone, there is no session to end.
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
