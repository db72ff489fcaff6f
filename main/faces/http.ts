import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { Answer, type Call, type Served } from '../capabilities/handler.ts'
import { ApiError, errorBody } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { isRequestId } from '../contract/request.ts'
import type { Principal } from '../kernel/access.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import { cause, type Log } from '../kernel/log.ts'
import { createAdmission, unknownPath, type AdmissionNeeds } from './admission.ts'
import { answerRaw, asApiError, internalError, malformed } from './failure.ts'
import { readIdempotencyKey } from './idempotency-header.ts'
import { callAs } from './identity.ts'
import { createOriginGuard, ownHosts } from './origin-guard.ts'
import { createRateLimiter } from './rate-limit.ts'
import { createCheck } from './validation.ts'

export interface DoorNeeds extends Omit<AdmissionNeeds, 'guard' | 'limiter'> {
  readonly operations: readonly Served[]
  /** Routes that are no operations: pages, health, documents, MCP. */
  readonly rawRoutes: (app: FastifyInstance) => void
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly allowedHosts: readonly string[]
  readonly publicBaseUrl: string | null
}

export interface InProcessRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface InProcessAnswer {
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
  readonly app: FastifyInstance
  close(): Promise<void>
}

/** How long requests under way may take to end when the service stops. */
const DRAIN_MS = 5_000

/** Security headers of every answer: no sniffing, no embedding, and never an Access-Control header. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

export function createDoor(needs: DoorNeeds): Door {
  const { clock, ids, log } = needs
  const limiter = createRateLimiter(clock)
  let hosts: ReadonlySet<string> = new Set()
  const guard = createOriginGuard(() => hosts)
  const admit = createAdmission({ ...needs, guard, limiter })
  const gate = createGate(LIMITS.requestsInFlight)

  const app = Fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: (raw) => (isRequestId(raw.headers['x-request-id']) ? raw.headers['x-request-id'] : ids.request()),
    bodyLimit: LIMITS.bodyBytes,
    requestTimeout: 15_000,
    // It must outlast a send that waits for its engine, or the 504 would become a reset connection.
    connectionTimeout: 60_000,
    keepAliveTimeout: 5_000,
    http: { maxHeaderSize: LIMITS.headerBytes, headersTimeout: 8_000, connectionsCheckingInterval: 2_000 },
    routerOptions: { maxParamLength: 1_000 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void refuseUnrouted(error, request, reply),
    clientErrorHandler: (error, socket) => {
      const rate = limiter.peek(`address:${socket.remoteAddress ?? ''}`, needs.anonymousRatePerMinute)
      answerRaw(socket, malformed(error.code), ids.request(), rate)
    },
  })
  app.server.maxConnections = 2_000
  app.decorateRequest('admitted')
  app.decorateRequest('rawText')
  acceptJson(app)

  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    let known = asApiError(error)
    if (known === undefined) {
      log.error({ event: 'request.failed', requestId: request.id, cause: cause(error) })
      known = internalError()
    }
    return reply.code(known.status).headers(known.headers).send(errorBody(known, request.id))
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(ALWAYS).header('x-request-id', request.id)
    await admit(request, reply)
  })
  app.setErrorHandler(fail)
  app.setNotFoundHandler((request) => {
    throw notFoundOrMethod(request)
  })

  /** A path the router could not even decode: no hook has run, so the checks are made here. */
  const refuseUnrouted = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(ALWAYS).header('x-request-id', request.id)
    try {
      await admit(request, reply)
    } catch (refusal) {
      return fail(refusal, request, reply)
    }
    return fail(error, request, reply)
  }

  for (const served of needs.operations) route(app, served, gate)
  needs.rawRoutes(app)
  const notFoundOrMethod = createNotFound(app, needs.operations)

  return {
    app,
    async listen(host, port) {
      await app.listen({ host, port })
      const bound = app.server.address() as AddressInfo
      hosts = ownHosts({ host, port: bound.port }, needs.allowedHosts, needs.publicBaseUrl)
      return bound.port
    },
    async call(principal, { method, path, headers = {}, body }) {
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await callAs({ principal, prepaid: true }, async () =>
        app.inject({ method: method as 'GET', url: path, headers: { ...headers, ...type }, ...payload }),
      )
      const text = answer.body
      return {
        status: answer.statusCode,
        headers: answer.headers as InProcessAnswer['headers'],
        body: text === '' ? undefined : JSON.parse(text),
      }
    },
    async close() {
      // What is being answered may end; whoever is still there after that is cut off.
      const patience = clock.after(DRAIN_MS, () => app.server.closeAllConnections())
      await app.close()
      patience.cancel()
    },
  }
}

/** At most so many operations run at once; sends that wait for their engine are counted by the messages room. */
function createGate(most: number) {
  let running = 0
  return async <T>(counts: boolean, act: () => Promise<T>): Promise<T> => {
    if (!counts) return act()
    if (running >= most) {
      throw new ApiError(
        'service_unavailable',
        `${most} requests are being answered at this moment. Repeat the call in a second.`,
        { 'retry-after': '1' },
      )
    }
    running++
    try {
      return await act()
    } finally {
      running--
    }
  }
}

/** JSON is the only body. Its text is kept, because a fingerprint is taken before defaults are filled in. */
function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined)
    request.rawText = text as string
    return parse(request, text as string, done)
  })
}

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

function route(app: FastifyInstance, { operation, handler }: Served, gate: ReturnType<typeof createGate>): void {
  const checkQuery = operation.query === undefined ? undefined : createCheck('query', operation.query)
  const checkBody = operation.body === undefined ? undefined : createCheck('body', operation.body)

  app.route({
    method: operation.method,
    url: fastifyPath(operation.path),
    config: { operation },
    handler: async (request, reply) => {
      checkQuery?.(request.query)
      const body = operation.bodyOptional === true ? (request.body ?? {}) : request.body
      if (checkBody !== undefined && body === undefined)
        throw new ApiError('validation_error', 'This operation needs a JSON body.')
      checkBody?.(body)
      const answer = await gate(operation.waitsForEngine !== true, () => handler(callOf(operation, request, body)))
      return respond(operation, reply, answer)
    },
  })
}

function callOf(operation: Operation, request: FastifyRequest, body: unknown): Call {
  const { principal, instance, confirmed } = request.admitted
  if (principal === null) throw new Error(`operation ${operation.id} was reached without a principal`)
  const call = {
    principal,
    requestId: request.id,
    params: request.params as Call['params'],
    query: request.query as Call['query'],
    body,
    get rawBody(): unknown {
      const parsed: unknown = request.rawText === undefined ? {} : JSON.parse(request.rawText)
      return parsed
    },
    idempotencyKey: operation.idempotencyKey === true ? readIdempotencyKey(request.raw.rawHeaders) : null,
    confirmed,
    instance,
  }
  // The door fills the call by the operation's own schemas; the generic type cannot follow that from data.
  return call as unknown as Call
}

function respond(operation: Operation, reply: FastifyReply, answer: unknown): FastifyReply {
  if (operation.noStore === true) reply.header('cache-control', 'no-store')
  if (!(answer instanceof Answer)) return sendBody(reply.code(operation.reply.status), answer)
  reply.code(answer.status ?? operation.reply.status).headers(answer.headers)
  return sendBody(reply, answer.bytes ?? answer.body)
}

function sendBody(reply: FastifyReply, body: unknown): FastifyReply {
  if (body === undefined) return reply.send()
  reply.header('content-type', 'application/json; charset=utf-8')
  return reply.send(Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

/** Tells an unknown path from a known one that was asked with the wrong method. */
function createNotFound(app: FastifyInstance, operations: readonly Served[]): (request: FastifyRequest) => ApiError {
  const paths = new Map<string, { pattern: RegExp; methods: string[] }>()
  for (const { operation } of operations) {
    if (operation.audience === 'console') continue
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const known = paths.get(operation.path) ?? { pattern, methods: [] }
    known.methods.push(operation.method, ...(operation.method === 'GET' ? ['HEAD'] : []))
    paths.set(operation.path, known)
  }
  const patterns = [...paths.values()]
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((found) => found.methods)
    if (methods.length === 0) return unknownPath()
    return new ApiError(
      'method_not_allowed',
      `${request.method} does not exist here; this path takes ${methods.join(', ')}.`,
      { allow: methods.join(', ') },
    )
  }
}
