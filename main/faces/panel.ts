import { PassThrough } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../capabilities/account/index.ts'
import { ApiError } from '../contract/errors.ts'
import { pathNotFound } from './admission.ts'
import type { OpenBodies } from './open-bodies.ts'
import { createBridge, type Bridge } from './panel/bridge.ts'
import { addEventStream, type EventStreamDeps } from './panel/events.ts'
import type { ConsoleFiles } from './panel/files.ts'
import { addSessionRoutes, type SessionRouteDeps } from './panel/session-route.ts'

export interface PanelDeps extends SessionRouteDeps, Pick<EventStreamDeps, 'live'> {
  readonly sessions: SessionRouteDeps['sessions'] &
    Pick<EventStreamDeps, 'isSignedIn'> &
    Pick<Sessions, 'onSessionEnded' | 'actIn'>
  readonly files: ConsoleFiles
  /** Tracks uploads, to cut them off when their session ends. */
  readonly openBodies: Pick<OpenBodies, 'add'>
}

export interface Panel {
  /** For the window of the desktop app, which needs no socket. */
  readonly bridge: Bridge
  /** Ends open event streams. */
  close(): void
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The console: a public page, and its data and actions behind a session. */
export function addPanelRoutes(app: FastifyInstance, port: () => number, deps: PanelDeps): Panel {
  const bridge = createBridge(app, deps.sessions.actIn)
  const streams = addEventStream(app, { ...deps, isSignedIn: deps.sessions.isSignedIn })
  deps.sessions.onSessionEnded(streams.endOf)
  addSessionRoutes(app, port, deps)
  addMirror(app, bridge, deps.openBodies)
  addPage(app, deps.files)
  return { bridge, close: streams.close }
}

/** Offers every operation to the person at the console. */
function addMirror(app: FastifyInstance, bridge: Bridge, openBodies: Pick<OpenBodies, 'add'>): void {
  void app.register((mirror, _options, done) => {
    // Not parsed here: the operation parses the body.
    mirror.removeAllContentTypeParsers()
    mirror.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, passed) =>
      passed(null, bytes),
    )
    // Any other type is a file and streamed to the operation, which refuses unsupported types.
    mirror.addContentTypeParser('*', (_request, stream, passed) => passed(null, stream))
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const disconnected = new AbortController()
      reply.raw.once('close', () => disconnected.abort())
      const upload = request.body === request.raw ? request.raw.pipe(new PassThrough()) : undefined
      const caller = callerOf(request)
      // The operation sees a separate request; destroying only that one would leave the client sending.
      if (upload !== undefined) openBodies.add(caller.principal, request.raw)
      // The rest of a refused file is discarded; the next request on the connection comes after it.
      const discardRest = () => upload && request.raw.unpipe(upload).resume()
      try {
        const { status, headers, body } = await bridge.ask(caller, {
          ...toBridgeRequest(request, upload),
          signal: disconnected.signal,
        })
        discardRest()
        return await reply
          .code(status)
          .headers(headers)
          .send(body ?? undefined)
      } catch (error) {
        discardRest()
        const isCutOff = request.raw.destroyed && !request.raw.complete
        if (!disconnected.signal.aborted && !isCutOff) throw error
        // The client has left, or its session has ended.
        return reply.hijack()
      }
    }
    for (const url of ['/panel/v1/*', '/panel/accounts/*'])
      mirror.route({ method: METHODS, url, config: { console: 'panel' }, handler })
    mirror.route({ method: METHODS, url: '/panel/*', config: { console: 'panel' }, handler: rejectUnknownPath })
    done()
  })
}

function callerOf({ admitted: { principal } }: FastifyRequest) {
  if (principal === null) throw new Error('the panel was reached without a principal')
  return { principal, prepaid: true }
}

function toBridgeRequest({ method, url, headers, id, body }: FastifyRequest, upload: PassThrough | undefined) {
  const payload = upload ?? (Buffer.isBuffer(body) && body.length > 0 ? body : undefined)
  return { method, path: url, headers: { ...headers, 'x-request-id': id }, payload }
}

const rejectUnknownPath = () => {
  throw pathNotFound()
}

/** Public: the page contains no data, it requests it. */
function addPage(app: FastifyInstance, files: ConsoleFiles): void {
  app.get('/console', { config: { console: 'files' } }, (_request, reply) => reply.redirect('/console/', 308))
  app.get<{ Params: { '*': string } }>('/console/*', { config: { console: 'files' } }, async ({ params }, reply) => {
    const file = await files.find(params['*'])
    if (file !== undefined) return reply.headers(file.headers).send(file.bytes)
    throw new ApiError(
      'not_found',
      files.isThere ? 'The console has no such file.' : 'This service was built without the console.',
    )
  })
}
