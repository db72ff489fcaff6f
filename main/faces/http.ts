import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { ServedOperation } from '../capabilities/handler.ts'
import { ApiError, errorBody } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Notice } from '../contract/notice.ts'
import { isRequestId } from '../contract/request.ts'
import type { Principal } from '../kernel/access.ts'
import type { ApiActivity } from '../kernel/api-activity.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import { cause, type Log } from '../kernel/log.ts'
import { createAdmission, type AdmissionDeps } from './admission.ts'
import { answerRaw, asApiError, internalError, malformed } from './failure.ts'
import { callAs, currentCaller, type InProcessCaller } from './in-process-caller.ts'
import { acceptJson } from './json-body.ts'
import { createNotFound } from './not-found.ts'
import { createConcurrencyLimiter, routeOperation } from './operation-route.ts'
import { createOriginGuard, ownHosts } from './origin-guard.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { RequestTimes } from './request-times.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

export interface DoorDeps extends Omit<AdmissionDeps, 'guard' | 'limiter' | 'port'> {
  readonly operations: readonly ServedOperation[]
  /** Routes that are no operations: pages, health, documents, MCP. */
  readonly rawRoutes: (app: FastifyInstance, port: () => number) => void
  readonly clock: Clock
  readonly ids: Ids
  readonly times: Pick<RequestTimes, 'watch' | 'setOperation'>
  /** Told of each request. */
  readonly apiActivity: Pick<ApiActivity, 'note'>
  /** Told after each operation that changed something, whoever asked for it. */
  readonly publish: (notice: Notice) => void
  /** Asked before each operation that would make the database grow. */
  readonly writeGate: Pick<WriteGate, 'check'>
  readonly log: Log
  readonly allowedHosts: readonly string[]
  readonly publicBaseUrl: string | null
  /** CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
}

interface InProcessRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface InProcessAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

/** The only way in. MCP and the console are callers of the same door, in-process. */
export interface Door {
  /** @returns the port bound. @throws when the address is taken. */
  listen(host: string, port: number): Promise<number>
  /** Makes a request as somebody whose identity is already proved. */
  call(principal: Principal, request: InProcessRequest): Promise<InProcessAnswer>
  /** The same, up to where the operation would be carried out: 204 stands for all checks passed. */
  rehearse(principal: Principal, request: InProcessRequest): Promise<InProcessAnswer>
  readonly app: FastifyInstance
  close(): Promise<void>
}

/** It must outlast a send that waits for its engine, or the 504 would become a reset connection. */
const CONNECTION_MS = 60_000
/** How long requests under way may take to end when the service stops. */
const DRAIN_MS = 5_000
/** What still waits for an engine then is answered, with time left for the answer to be read. */
const ANSWER_WAITING_AFTER_MS = 3_500
/**
 * An answer of which nothing is taken for this long is given up. Node looks once in this time whether anything moved,
 * so it takes up to twice as long; a client that reads slowly, but reads, is never cut off.
 */
const UNREAD_MS = 8_000
/**
 * A refused connection is closed on our side; this long the other may still read why. Without an end to it, whoever
 * never closes keeps the socket, and with a byte now and then keeps it for ever.
 */
const LINGER_MS = 1_000

export function createDoor(deps: DoorDeps): Door {
  const { clock, ids, log, times, apiActivity } = deps
  const limiter = createRateLimiter(clock)
  let hosts: ReadonlySet<string> = new Set()
  let port = 0
  const guard = createOriginGuard(() => hosts)
  const admit = createAdmission({ ...deps, guard, limiter, port: () => port })
  const gate = createConcurrencyLimiter(LIMITS.requestsInFlight)
  const stopping = new AbortController()

  /** Requests on each connection that are not answered yet. */
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>()

  const app = Fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: (raw) => (isRequestId(raw.headers['x-request-id']) ? raw.headers['x-request-id'] : ids.request()),
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: 15_000,
    connectionTimeout: CONNECTION_MS,
    keepAliveTimeout: 5_000,
    http: {
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout: 8_000,
      connectionsCheckingInterval: 2_000,
      // Node would answer a request without Host by itself, without our headers; the guard refuses it just as well.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 1_000 },
    // Read from the right, and only on connections from these addresses. Only limits by address depend on it.
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void refuseUnrouted(error, request, reply),
    clientErrorHandler: (error, socket) => {
      // An answer now would be taken for that of an earlier request, and a 400 for a send says that nothing was sent.
      if ([...(unanswered.get(socket) ?? [])].some(({ complete }) => complete)) return void socket.destroy()
      const rate = limiter.peek(`address:${socket.remoteAddress ?? ''}`, deps.anonymousRatePerMinute())
      answerRaw(socket, malformed(error.code), ids.request(), rate)
      const patience = clock.after(LINGER_MS, () => socket.destroy())
      socket.once('close', () => patience.cancel())
    },
  })
  app.server.maxConnections = 2_000
  app.server.on('request', (request, response) => {
    const open = unanswered.get(request.socket) ?? new Set()
    unanswered.set(request.socket, open.add(request))
    response.once('close', () => open.delete(request))
    times.watch(request, response)
    closeWhenUnread(request.socket, response, () => open.size > 1)
  })
  // As with Host, for an Expect that Node does not know. HTTP lets a server pass over it.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response))
  app.decorateRequest('admitted')
  app.decorateRequest('rawText')
  acceptJson(app)

  const fail = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    let known = asApiError(error)
    // Whoever breaks off in the middle of a body is no fault of ours, and must not be able to fill the log.
    if (known === undefined && request.raw.destroyed && !request.raw.complete) known = malformed(undefined)
    if (known === undefined) {
      log.error({ event: 'request.failed', requestId: request.id, cause: cause(error) })
      known = internalError()
    }
    if (!request.raw.complete) await drainBody(request.raw, reply)
    return reply.code(known.status).headers(known.headers).send(errorBody(known, request.id))
  }

  const notFoundError = createNotFound(app)
  app.addHook('onRequest', async (request, reply) => {
    apiActivity.note()
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    // Asked once: the framework puts this together anew each time.
    const config = isBrowserAtRoot(request) ? CONSOLE_FILES : request.routeOptions.config
    if (config.operation !== undefined) times.setOperation(request.raw, config.operation.id)
    await admit(request, reply, config)
    if (config === CONSOLE_FILES) return reply.header('vary', 'accept').redirect('/console/', 302)
    // Here and not in a handler: nobody reads what was sent to where nothing is.
    if (request.is404) throw notFoundError(request)
  })
  app.addHook('onResponse', async (request, reply) => logRequest(log, request, reply))
  app.addHook('preParsing', async (request) => refuseEncoding(request))
  app.setErrorHandler(fail)

  /** A path the router could not even decode: no hook has run, so the checks are made here. */
  const refuseUnrouted = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    try {
      await admit(request, reply, {})
    } catch (refusal) {
      return fail(refusal, request, reply)
    }
    return fail(error, request, reply)
  }

  for (const served of deps.operations) routeOperation(app, served, { gate, stopping: stopping.signal, ...deps })
  deps.rawRoutes(app, () => port)

  const injectAs = async (
    caller: InProcessCaller,
    { method, path, headers = {}, body }: InProcessRequest,
  ): Promise<InProcessAnswer> => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await callAs(caller, async () =>
      app.inject({ method: method as 'GET', url: path, headers: { ...headers, ...type }, ...payload }),
    )
    return {
      status: answer.statusCode,
      headers: answer.headers as InProcessAnswer['headers'],
      body: answer.body === '' ? undefined : JSON.parse(answer.body),
    }
  }

  return {
    app,
    async listen(host, wantedPort) {
      await app.listen({ host, port: wantedPort })
      port = (app.server.address() as AddressInfo).port
      hosts = ownHosts({ host, port }, deps.allowedHosts, deps.publicBaseUrl)
      return port
    },
    call: (principal, request) => injectAs({ principal, prepaid: true }, request),
    rehearse: (principal, request) => injectAs({ principal, prepaid: true, isRehearsal: true }, request),
    async close() {
      // What is being answered may end; whoever is still there after that is cut off.
      const answering = clock.after(ANSWER_WAITING_AFTER_MS, () => stopping.abort())
      const patience = clock.after(DRAIN_MS, () => app.server.closeAllConnections())
      await app.close()
      answering.cancel()
      patience.cancel()
    },
  }
}

const CONSOLE_FILES: FastifyContextConfig = { console: 'files' }

/** A person who typed the service's address. Programs get the answer they would get anywhere else. */
const isBrowserAtRoot = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' &&
  /^\/(\?|$)/.test(url) &&
  headers.authorization === undefined &&
  headers.accept?.includes('text/html') === true

/** The template of the path only: ids, queries and bodies say who talks to whom. */
function logRequest(log: Log, { id, method, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply
  const fields = { requestId: id, method, route: routeOptions.url ?? null, status, durationMs: Math.round(elapsedTime) }
  log.debug({ event: 'http.request', ...fields, isInProcess: currentCaller() !== undefined })
}

/** What is compressed would be read as broken JSON, and could be a thousand times its size. */
function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return
  throw new ApiError('unsupported_media_type', 'The body is compressed. Send it as it is, without Content-Encoding.')
}

/**
 * Many clients read nothing before they have written all, and a connection that ends before that is reset, the answer
 * with it. So the rest of a refused body is read, for as long as a request may take, and thrown away: after the answer
 * where the connection goes on, although the framework would end it, and before it where the client wants it to end.
 */
async function drainBody(request: IncomingMessage, reply: FastifyReply): Promise<void> {
  if (reply.raw.shouldKeepAlive) return void reply.removeHeader('connection')
  request.resume()
  // Broken off or out of time: then nobody waits for the answer, or has it already.
  await finished(request).catch(() => {})
}

/**
 * Time for an answer to be taken, from where the whole of it was handed to the socket. The timeout of a connection is
 * no help here: it must outlast a send, and whoever does not read could hold an answer in memory all that time.
 * @param isOwedMore whether requests on the connection wait for their answers.
 */
function closeWhenUnread(socket: Socket, response: ServerResponse, isOwedMore: () => boolean): void {
  response.once('prefinish', () => void socket.setTimeout(UNREAD_MS))
  // With nothing owed Node has set the time for the next request by now; or it has handed over the next answer.
  response.once('finish', () => {
    if (isOwedMore() && socket.writableLength === 0) socket.setTimeout(CONNECTION_MS)
  })
}
