import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Answer, type Call, type ServedOperation } from '../capabilities/handler.ts'
import { ApiError } from '../contract/errors.ts'
import type { Notice } from '../contract/notice.ts'
import type { Operation } from '../contract/operation.ts'
import { Body } from '../contract/shapes.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import { readIdempotencyKey } from './idempotency-header.ts'
import { noticeOf } from './operation-notice.ts'
import { createCheck } from './validation.ts'

type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>

/** At most so many operations run at once; sends that wait for their engine are counted by the messages room. */
export function createConcurrencyLimiter(most: number) {
  let running = 0
  return async <T>(act: () => Promise<T>): Promise<T> => {
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

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** What an operation without a body takes for one: a field nobody reads would be an intention nobody follows. */
const checkNoBody = createCheck('body', Body({}))

/** One operation as a route: its query and body are checked, its handler is called, its answer is sent. */
export function routeOperation(
  app: FastifyInstance,
  { operation, handler, exists }: ServedOperation,
  {
    gate,
    writeGate,
    publish,
    stopping,
  }: {
    gate: ConcurrencyLimiter
    writeGate: Pick<WriteGate, 'check'>
    publish: (notice: Notice) => void
    stopping: AbortSignal
  },
): void {
  const checkQuery = operation.query === undefined ? undefined : createCheck('query', operation.query)
  const checkBody = operation.body === undefined ? undefined : createCheck('body', operation.body)

  app.route({
    method: operation.method,
    url: fastifyPath(operation.path),
    config: { operation, ...(exists && { exists }) },
    handler: async (request, reply) => {
      checkQuery?.(request.query)
      const body = operation.bodyOptional === true && request.body === undefined ? {} : request.body
      if (checkBody !== undefined && body === undefined)
        throw new ApiError('validation_error', 'This operation needs a JSON body.')
      if (body !== undefined) (checkBody ?? checkNoBody)(body)
      if (request.admitted.isRehearsal) return reply.code(204).send()
      if (writesData(operation)) writeGate.check()
      const act = () => handler(callOf(operation, request, body))
      const answer = await (operation.waitsForEngine === true ? untilStopped(stopping, act()) : gate(act))
      if (operation.method !== 'GET') publish(noticeOf(operation, request.params as Record<string, string>))
      return respond(operation, reply, answer)
    },
  })
}

/** A caller that is cut off would not know what to do; this answer says it. What was begun goes on until the process ends. */
async function untilStopped<T>(stopping: AbortSignal, acting: Promise<T>): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(stoppedWaiting())
  stopping.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([acting, stopped])
  } finally {
    stopping.removeEventListener('abort', stop)
  }
}

const stoppedWaiting = () =>
  new ApiError(
    'upstream_timeout',
    'The service is stopping and the network has not answered yet, so this may have been done. Check before you repeat it; a message is found by its idempotency_key.',
  )

/** What only reads or removes is answered also while nothing new is taken. */
const writesData = ({ method, scope, worksWhenFull }: Operation): boolean =>
  method !== 'GET' && method !== 'DELETE' && scope?.endsWith(':read') !== true && worksWhenFull !== true

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
  // A file has said already what it is.
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8')
  return reply.send(Buffer.isBuffer(body) ? body : JSON.stringify(body))
}
