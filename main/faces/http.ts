import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { ServedOperation } from '../capabilities/handler.ts'
import { ApiError, consoleErrorBody, errorBody } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Notice } from '../contract/notice.ts'
import { isRequestId } from '../contract/request.ts'
import type { Principal } from '../kernel/access.ts'
import { networkOf } from '../kernel/address-range.ts'
import type { ApiActivity } from '../kernel/api-activity.ts'
import { systemClock, type Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { NoticeBus } from '../kernel/notice-bus.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import { cause, type Log } from '../kernel/log.ts'
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts'
import { createAccountGate, type AccountGateDeps } from './account-gate.ts'
import { createAdmission, type AdmissionDeps } from './admission.ts'
import { createArrivals, LONGEST_REQUEST_MS } from './arrival.ts'
import { manageConnections, onSilence } from './connections.ts'
import { createBodyMemory } from './body-memory.ts'
import { answerRaw, asApiError, internalError, malformed } from './failure.ts'
import { callAs, currentCaller, type InProcessCaller } from './in-process-caller.ts'
import { acceptJson } from './json-body.ts'
import { createNotFound } from './not-found.ts'
import type { OpenBodies } from './open-bodies.ts'
import { limitOperations, routeOperation, type OnDone, type RequireAccessOf } from './operation-route.ts'
import { createOriginGuard, ownHosts } from './origin-guard.ts'
import { createRateLimiter } from './rate-limit.ts'
import type { RequestTimes } from './request-times.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { createUntilStopped } from './until-stopped.ts'

export interface DoorDeps extends Omit<AdmissionDeps, 'guard' | 'limiter' | 'port' | 'accountGate'>, AccountGateDeps {
  readonly operations: readonly ServedOperation[]
  /** Routes that are not operations: pages, health, documents, MCP. */
  readonly rawRoutes: (app: FastifyInstance, port: () => number) => void
  readonly clock: Clock
  readonly ids: Ids
  readonly times: Pick<RequestTimes, 'watch' | 'setOperation'>
  /** Notified of each request. */
  readonly apiActivity: Pick<ApiActivity, 'note'>
  /** Called with each executed operation, before it is answered. */
  readonly onDone: OnDone
  /** Tracks bodies that take long to send. */
  readonly openBodies: Pick<OpenBodies, 'add' | 'during'>
  readonly requireAccess: RequireAccessOf
  /** Called after each operation that changed something. */
  readonly publish: NoticeBus<Notice>['publish']
  /** Checked before each operation that adds data. */
  readonly writeGate: Pick<WriteGate, 'check'>
  readonly log: Log
  readonly allowedHosts: readonly string[]
  readonly publicBaseUrl: string | null
  /** CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Memory for incoming bodies; default: `LIMITS.bodyBytesInFlight`. */
  readonly bodyBytesInFlight?: number
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

/** The only entry point. MCP and the console call it in-process. */
export interface Door {
  /** @returns the bound port. @throws if the address is in use. */
  listen(host: string, port: number): Promise<number>
  /** Makes a request as a caller who is already authenticated. */
  call(principal: Principal, request: InProcessRequest): Promise<InProcessAnswer>
  /** Runs all checks of `call`, but not the operation. 204: all checks passed. */
  rehearse(principal: Principal, request: InProcessRequest): Promise<InProcessAnswer>
  readonly app: FastifyInstance
  close(): Promise<void>
}

/** How long open requests may take to finish when the service stops. */
const DRAIN_MS = 5_000
/** Requests that still wait for an engine get their answer at this point, early enough for clients to read it. */
const ANSWER_WAITING_AFTER_MS = 3_500
/**
 * How long a client can still read the error after we closed our side of a refused connection. Without a limit, a
 * client that never closes would keep the socket forever.
 */
const LINGER_MS = 1_000

export function createDoor(deps: DoorDeps): Door {
  const { clock, ids, log, times, apiActivity } = deps
  const limiter = createRateLimiter(clock)
  let hosts: ReadonlySet<string> = new Set()
  let port = 0
  const guard = createOriginGuard(() => hosts)
  const accountGate = createAccountGate(deps)
  const admit = createAdmission({ ...deps, guard, limiter, accountGate, port: () => port })
  const gate = limitOperations(LIMITS.requestsInFlight)
  const uploads = limitOperations(LIMITS.uploadsInFlight)
  const untilStopped = createUntilStopped()

  const app = Fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: (raw) => (isRequestId(raw.headers['x-request-id']) ? raw.headers['x-request-id'] : ids.request()),
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: LONGEST_REQUEST_MS,
    keepAliveTimeout: 5_000,
    http: {
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout: 8_000,
      connectionsCheckingInterval: 2_000,
      // Detects clients that disappeared while an operation or a stream is running.
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      // Node's own answer to a missing Host would lack our headers. The guard refuses it instead.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 1_000 },
    // X-Forwarded-For is read from the right, and only from these addresses. Only limits by address depend on it.
    trustProxy: deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies],
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void refuseUnrouted(error, request, reply),
    clientErrorHandler: (error, socket) => {
      // The client would take this for the answer to an earlier request: a 400 would mean that its message was not
      // sent.
      if (connections.hasComplete(socket)) return void socket.destroy()
      const rate = limiter.peek(`address:${networkOf(socket.remoteAddress ?? '')}`, deps.anonymousRatePerMinute())
      answerRaw(socket, asApiError(error) ?? malformed(error.code), ids.request(), rate)
      const lingering = systemClock.after(LINGER_MS, () => socket.destroy())
      socket.once('close', () => lingering.cancel())
    },
  })
  const connections = manageConnections(app.server, deps)
  const bodies = createBodyMemory(deps.bodyBytesInFlight)
  const arrivals = createArrivals((late, socket) => void app.server.emit('clientError', late, socket))
  app.server.on('request', (request, response) => {
    times.watch(request, response)
    arrivals.watch(request)
  })
  // Node would answer an unknown Expect header without our headers too. HTTP allows servers to ignore it.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response))
  app.decorateRequest('admitted')
  app.decorateRequest('rawText')
  app.decorateRequest('isBodyLate', false)
  acceptJson(app)

  const fail = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    let known = asApiError(error, request.routeOptions.bodyLimit)
    // A client that disconnects in the middle of its body is not our error and must not fill the log.
    if (known === undefined && request.raw.destroyed && !request.raw.complete) known = malformed(undefined)
    if (known === undefined) {
      log.error({ event: 'request.failed', requestId: request.id, cause: cause(error) })
      known = internalError()
    }
    if (!request.raw.complete) await drainBody(request.raw, reply)
    const { principal } = (request as Partial<typeof request>).admitted ?? {}
    const body = principal?.kind === 'console' ? consoleErrorBody(known, request.id) : errorBody(known, request.id)
    return reply.code(known.status).headers(known.headers).send(body)
  }

  const notFoundError = createNotFound(app)
  app.addHook('onRequest', async (request, reply) => {
    apiActivity.note()
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    if (!connections.takeShare(request.raw, request.ip, reply.raw)) throw tooManyFromNetwork()
    // Read once: the framework rebuilds this object on every access.
    const config = isBrowserAtRoot(request) ? CONSOLE_FILES : request.routeOptions.config
    if (config.operation !== undefined) times.setOperation(request.raw, config.operation.id)
    await admit(request, reply, config)
    if (config === CONSOLE_FILES) return reply.header('vary', 'accept').redirect('/console/', 302)
    if (config.operation?.bodyFile !== undefined) arrivals.find(request.raw)?.allowFile()
    // Here instead of in a handler, so that the body of an unknown path is not read.
    if (request.is404) throw notFoundError(request)
    // The console's in-process request was counted when it arrived.
    if (arrivals.find(request.raw) === undefined) return
    const room = bodies.take(request)
    if (room === undefined) throw noRoomForBody()
    reply.raw.once('close', () => room.release())
    request.isBodyLate = !request.raw.complete
  })
  app.addHook('preValidation', async (request, reply) => {
    if (request.isBodyLate && request.admitted.principal !== null)
      await admit(request, reply, request.routeOptions.config)
  })
  app.addHook('onResponse', async (request, reply) => logRequest(log, request, reply))
  app.addHook('preParsing', async (request) => refuseEncoding(request))
  app.setErrorHandler(fail)

  /** For a path the router cannot decode. No hook has run, so the checks run here. */
  const refuseUnrouted = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    try {
      await admit(request, reply, {})
    } catch (refusal) {
      return fail(refusal, request, reply)
    }
    return fail(error, request, reply)
  }

  for (const served of deps.operations)
    routeOperation(app, served, { gate, accountGate, uploads, arrivals, untilStopped, ...deps })
  deps.rawRoutes(app, () => port)

  const injectAs = async (
    caller: InProcessCaller,
    { method, path, headers = {}, body }: InProcessRequest,
  ): Promise<InProcessAnswer> => {
    const text = body === undefined ? '' : JSON.stringify(body)
    // The body was parsed once already. Other requests run before it is parsed again.
    if (text.length > LARGE_CHARACTERS) await yieldToEventLoop()
    const payload = body === undefined ? {} : { payload: text }
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
      // Open requests may finish; connections that remain after that are closed.
      const answering = clock.after(ANSWER_WAITING_AFTER_MS, untilStopped.answerWaiting)
      const draining = clock.after(DRAIN_MS, () => app.server.closeAllConnections())
      await app.close()
      answering.cancel()
      draining.cancel()
    },
  }
}

const LARGE_CHARACTERS = 64 * 1024

const CONSOLE_FILES: FastifyContextConfig = { console: 'files' }

/** A person who typed the service's address into a browser. Programs get the usual 404. */
const isBrowserAtRoot = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' &&
  /^\/(\?|$)/.test(url) &&
  headers.authorization === undefined &&
  headers.accept?.includes('text/html') === true

const tooManyFromNetwork = () =>
  new ApiError(
    'service_unavailable',
    'Too many requests of your network are in progress. Wait until some are answered, then repeat the call.',
    { 'retry-after': '1' },
  )

const noRoomForBody = () =>
  new ApiError(
    'service_unavailable',
    'Too many large requests are in progress. Wait until some are answered, then repeat the call.',
    { 'retry-after': '1' },
  )

/** Logs the path template only: ids, queries and bodies reveal who talks to whom. */
function logRequest(log: Log, { id, method, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply
  const fields = { requestId: id, method, route: routeOptions.url ?? null, status, durationMs: Math.round(elapsedTime) }
  log.debug({ event: 'http.request', ...fields, isInProcess: currentCaller() !== undefined })
}

/** Compressed bodies are not supported: they would fail as invalid JSON, and could expand a thousandfold. */
function refuseEncoding({ headers }: FastifyRequest): void {
  const content = (headers['content-encoding'] ?? '').trim().toLowerCase()
  // Node only decodes chunks, and would pass the compressed data on to us.
  const transfer = (headers['transfer-encoding'] ?? '').trim().toLowerCase()
  if (['', 'identity'].includes(content) && ['', 'chunked'].includes(transfer)) return
  throw new ApiError(
    'unsupported_media_type',
    'The body is compressed. Send it uncompressed, without Content-Encoding and with no Transfer-Encoding but chunked.',
  )
}

/**
 * Reads and discards the rest of a refused body. Many clients read nothing until they have sent everything; closing
 * earlier would reset the connection and lose the answer. On a keep-alive connection this happens after the answer
 * (the framework would close it); if the client wants it closed, before the answer.
 */
async function drainBody(request: IncomingMessage, reply: FastifyReply): Promise<void> {
  if (reply.raw.shouldKeepAlive) return void reply.removeHeader('connection')
  request.resume()
  const { promise: silent, resolve } = Promise.withResolvers<undefined>()
  const stop = onSilence(request, () => resolve(undefined))
  // Aborted or timed out: nobody is waiting for the answer.
  await Promise.race([finished(request).catch(() => {}), silent])
  stop()
}
