import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Answer, type Call, type InstanceSubject, type ServedOperation } from '../capabilities/handler.ts'
import { ApiError } from '../contract/errors.ts'
import type { Notice } from '../contract/notice.ts'
import type { Operation } from '../contract/operation.ts'
import { Body } from '../contract/shapes.ts'
import type { Principal } from '../kernel/access.ts'
import { createConcurrencyLimiter, type ConcurrencyLimits } from '../kernel/concurrency-limiter.ts'
import type { Tx } from '../kernel/db.ts'
import type { AccountId } from '../kernel/ids.ts'
import { convertLong } from '../kernel/long-rows.ts'
import type { NoticeBus } from '../kernel/notice-bus.ts'
import type { WriteGate } from '../kernel/write-gate.ts'
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts'
import type { AccountGate } from './account-gate.ts'
import type { Arrivals } from './arrival.ts'
import { acceptFile, missingFile } from './file-body.ts'
import { sendFile } from './file-reply.ts'
import { nameBefore, nameIn, readerOf } from './name-before.ts'
import type { OpenBodies } from './open-bodies.ts'
import { readIdempotencyKey } from './idempotency-header.ts'
import { noticeOf } from './operation-notice.ts'
import type { UntilStopped } from './until-stopped.ts'
import { createCheck, type Check } from './validation.ts'

/** An executed operation with its arguments and answer. */
interface Done {
  readonly principal: Principal
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly reply: unknown
  /** Name of the object, if known. */
  readonly subjectName: string | null
}

export type OnDone = (served: ServedOperation, done: Done) => Promise<void>

/** @see RequireAccess */
export type RequireAccessOf = (tx: Tx, principal: Principal, instance: InstanceSubject | undefined) => Promise<void>

type OperationLimiter = ReturnType<typeof limitOperations>

/** Limits concurrent operations. The messages room limits sends, which wait for an engine, on its own. */
export function limitOperations(limits: ConcurrencyLimits) {
  const limiter = createConcurrencyLimiter(limits)
  return async <T>(accountId: AccountId | null, act: () => Promise<T>): Promise<T> => {
    const slot = limiter.acquire({ accountId })
    if (slot === undefined) {
      throw new ApiError(
        'service_unavailable',
        `Too many requests of this account are in progress (up to ${limits.perAccount}, fewer while others need them). Repeat the call in a second.`,
        { 'retry-after': '1' },
      )
    }
    try {
      return await act()
    } finally {
      slot.release()
    }
  }
}

const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** For operations without a body: a field that is ignored silently would mislead the caller. */
const checkNoBody = createCheck('body', Body({}))

const LARGE_BYTES = 64 * 1024

/** A large body takes long to parse, to check and to work with. Other requests have a turn before and after its check. */
async function checkInTurns({ headers }: FastifyRequest, check: Check, body: unknown): Promise<void> {
  const length = headers['content-length']
  if (length !== undefined && Number(length) < LARGE_BYTES) return check(body)
  await yieldToEventLoop()
  check.prepare()
  await yieldToEventLoop()
  check(body)
  await yieldToEventLoop()
}

/** Adds the route of an operation: validates query and body, calls the handler, sends the response. */
export function routeOperation(
  app: FastifyInstance,
  served: ServedOperation,
  {
    gate,
    accountGate,
    uploads,
    arrivals,
    writeGate,
    publish,
    untilStopped,
    onDone,
    openBodies,
    requireAccess,
    operations,
  }: {
    gate: OperationLimiter
    accountGate: Pick<AccountGate, 'beforeCall'>
    /** Limiter for operations that accept a file, which may arrive slowly. */
    uploads: OperationLimiter
    arrivals: Arrivals
    writeGate: Pick<WriteGate, 'check'>
    publish: NoticeBus<Notice>['publish']
    untilStopped: Pick<UntilStopped, 'wait'>
    onDone: OnDone
    openBodies: Pick<OpenBodies, 'add' | 'during'>
    requireAccess: RequireAccessOf
    operations: readonly ServedOperation[]
  },
): void {
  const { operation, handler, exists } = served
  const checkQuery = operation.query === undefined ? undefined : createCheck('query', operation.query)
  const checkBody = operation.body === undefined ? undefined : createCheck('body', operation.body)

  const reader = readerOf(served, operations)

  const { bodyFile } = operation
  const limit = bodyFile === undefined ? gate : uploads
  const route = (scope: FastifyInstance) =>
    void scope.route({
      method: operation.method,
      url: fastifyPath(operation.path),
      config: { operation, ...(exists && { exists }) },
      handler: async (request, reply) => {
        checkQuery?.(request.query)
        if (bodyFile !== undefined && request.body === undefined) throw missingFile(bodyFile)
        // A file may take minutes to arrive, and the key may be revoked meanwhile.
        if (bodyFile !== undefined && request.admitted.principal !== null)
          openBodies.add(request.admitted.principal, request.raw)
        const body = operation.bodyOptional === true && request.body === undefined ? {} : request.body
        if (checkBody !== undefined && body === undefined)
          throw new ApiError('validation_error', 'This operation requires a JSON body.')
        if (body !== undefined && bodyFile === undefined) await checkInTurns(request, checkBody ?? checkNoBody, body)
        const { principal } = request.admitted
        if (principal !== null) await accountGate.beforeCall(principal, operation, request, body)
        if (request.admitted.isRehearsal) return reply.code(204).send()
        if (writesData(operation)) writeGate.check()
        const act = () =>
          bodyFile === undefined || principal === null
            ? handler(callOf(operation, request, requireAccess, body))
            : openBodies.during(principal, (ended) =>
                handler(callOf(operation, request, requireAccess, { ...(body as object), ended })),
              )
        const owner = principal?.accountId ?? null
        const name = await nameBefore(reader, () => callOf(operation, request, requireAccess, undefined))
        const answer = await (operation.waitsForEngine === true ? untilStopped.wait(act()) : limit(owner, act))
        if (operation.method !== 'GET') {
          await noteDone(served, request, { body, answer, name }, onDone)
          // An operator's changes concern the computer, so all accounts are notified.
          const accountId = operation.role === 'operator' ? null : owner
          publish(accountId, noticeOf(operation, request.params as Record<string, string>))
        }
        return respond(operation, request, reply, answer, openBodies)
      },
    })
  if (bodyFile === undefined) return route(app)
  void app.register((scope, _options, done) => {
    acceptFile(scope, bodyFile, { writeGate, arrivals })
    route(scope)
    done()
  })
}

/** Records an executed operation. A failure to record does not undo it. */
async function noteDone(
  served: ServedOperation,
  { admitted: { principal }, params }: FastifyRequest,
  { body, answer, name }: { body: unknown; answer: unknown; name: string | null },
  onDone: OnDone,
): Promise<void> {
  // The stored answer of an earlier request means that nothing changed now.
  if (principal === null || (answer instanceof Answer && 'Idempotent-Replayed' in answer.headers)) return
  const reply: unknown = answer instanceof Answer ? (answer.body ?? readJson(answer.bytes)) : answer
  const subjectName = name ?? nameIn(reply)
  await onDone(served, { principal, params: params as Record<string, string>, body, reply, subjectName })
}

/** Parses an answer that is stored for repeated requests. */
const readJson = (bytes: Buffer | undefined): unknown =>
  bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as unknown)

/** Reads and deletes also work while the service accepts no new data. */
const writesData = ({ method, scope, worksWhenFull }: Operation): boolean =>
  method !== 'GET' && method !== 'DELETE' && scope?.endsWith(':read') !== true && worksWhenFull !== true

function callOf(operation: Operation, request: FastifyRequest, requireAccess: RequireAccessOf, body: unknown): Call {
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
    wantsCsv: operation.reply.csv !== undefined && prefersCsv(request.headers.accept),
    instance,
    requireAccess: (tx: Tx) => requireAccess(tx, principal, instance),
  }
  // The call is filled in with data that the operation's own schemas have validated; the generic type cannot express
  // that.
  return call as unknown as Call
}

/** True only if CSV is named and comes before any JSON type. */
function prefersCsv(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((each) => each.split(';', 1)[0]?.trim().toLowerCase())
  const csv = types.indexOf('text/csv')
  const json = types.indexOf('application/json')
  return csv >= 0 && (json < 0 || csv < json)
}

function respond(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: unknown,
  openBodies: Pick<OpenBodies, 'add'>,
): FastifyReply | Promise<FastifyReply> {
  const noteOpen = (body: Readable) => {
    if (request.admitted.principal !== null) openBodies.add(request.admitted.principal, body)
  }
  if (operation.noStore === true) reply.header('cache-control', 'no-store')
  if (!(answer instanceof Answer)) return sendBody(reply.code(operation.reply.status), answer)
  reply.code(answer.status ?? operation.reply.status)
  if (answer.file !== undefined) return sendFile(request, reply, answer.file, answer.headers, noteOpen)
  reply.headers(answer.headers)
  if (answer.stream !== undefined) {
    noteOpen(answer.stream)
    return reply.send(answer.stream)
  }
  return sendBody(reply, answer.bytes ?? answer.body)
}

async function sendBody(reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  if (body === undefined) return reply.send()
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8')
  if (Buffer.isBuffer(body)) return reply.send(body)
  return reply.send(isPage(body) ? await pageBytes(body) : JSON.stringify(body))
}

interface PageBody {
  readonly data: readonly object[]
}

const isPage = (body: unknown): body is PageBody =>
  typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data) && body.data.length > 1

/** Rows can be long, so each is serialized separately, yielding to the event loop. */
async function pageBytes({ data, ...rest }: PageBody): Promise<Buffer> {
  const rows = await convertLong(data, (row) => Buffer.from(JSON.stringify(row)))
  const others = Object.keys(rest).length === 0 ? '}' : `,${JSON.stringify(rest).slice(1)}`
  const comma = Buffer.from(',')
  const all = rows.flatMap((row, at) => (at === 0 ? [row] : [comma, row]))
  return Buffer.concat([Buffer.from('{"data":['), ...all, Buffer.from(`]${others}`)])
}
