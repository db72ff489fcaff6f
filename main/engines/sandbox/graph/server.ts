import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Clock } from '../../../kernel/clock.ts'
import type { Random } from '../../../kernel/ids.ts'
import { cause, type Log } from '../../../kernel/log.ts'
import { faultAnswer, GraphFault, type GraphAnswer } from './answers.ts'
import type { GraphFaultKind, GraphFaults } from './faults.ts'
import type { GraphRequest } from './request.ts'
import { NoAnswer } from './send.ts'
import { answeringVersion } from './versions.ts'

interface ServerDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly faults: GraphFaults
  readonly answer: (request: GraphRequest) => Promise<GraphAnswer>
}

export interface GraphServer {
  /** @param port 0 for any free port. @returns the port. */
  listen(port: number): Promise<number>
  close(): Promise<void>
}

const BODY_BYTES = 110 * 1024 * 1024
const SLOW_MS = 1_500

/** The listener of the simulated Graph, only on loopback. */
export function createGraphServer({ clock, random, log, faults, answer }: ServerDeps): GraphServer {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      log.error({ event: 'sandbox.graph_failed', cause: cause(error) })
      response.destroy()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://graph.sandbox')
    const [version = '', ...path] = pathname.slice(1).split('/').map(decodeURIComponent)
    const sender = path[1] === 'messages' ? (path[0] ?? '') : ''
    if (faults.strikes(sender, 'close_before_read')) return void request.socket.resetAndDestroy()
    const body = await bodyOf(request)
    const answering = answeringVersion(version, clock.now())
    if (faults.strikes(sender, 'server_error')) return write(response, SERVER_ERROR)
    const refusal = REFUSALS.find(([kind]) => faults.strikes(sender, kind))?.[1]
    if (refusal !== undefined) return write(response, faultAnswer(refusal, random))
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const asked = {
      method: request.method ?? 'GET',
      path: version === 'media' ? [version, ...path] : path,
      query: searchParams,
      authorization: request.headers.authorization,
      contentType: request.headers['content-type'],
      fileOffset: textOf(request.headers['file_offset']),
      body,
      signal: gone.signal,
    }
    const isKnown = version === 'media' || answering !== undefined
    const given = isKnown ? await answerOf(asked) : faultAnswer(unknownPath(pathname), random)
    if (given === null) return void response.destroy()
    if (faults.strikes(sender, 'close_after_read')) return void response.destroy()
    if (faults.strikes(sender, 'slow_headers')) await clock.sleep(SLOW_MS)
    if (faults.strikes(sender, 'malformed_json')) return write(response, HALF)
    const named = answering === undefined ? {} : { 'facebook-api-version': answering }
    write(response, { ...given, headers: { ...named, ...given.headers } })
  }

  /** @returns null where no answer should be sent. */
  async function answerOf(request: GraphRequest): Promise<GraphAnswer | null> {
    try {
      return await answer(request)
    } catch (error) {
      if (error instanceof NoAnswer) return null
      if (error instanceof GraphFault) return faultAnswer(error, random)
      throw error
    }
  }

  return {
    async listen(port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject)
          resolve()
        })
      })
      return (server.address() as AddressInfo).port
    },
    async close() {
      if (!server.listening) return
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const SERVER_ERROR: GraphAnswer = { status: 500, headers: { 'content-type': 'text/html' }, body: '<html>Sorry</html>' }
const HALF: GraphAnswer = { status: 200, body: '{"messaging_product":"whatsapp","messages":[{"id":"wam' }

/** Errors in Meta's words, with the HTTP status that Meta uses. */
const REFUSALS = [
  [
    'payment_missing',
    new GraphFault(400, 131_042, '(#131042) Business eligibility payment issue', 'No payment method is set up.'),
  ],
  [
    'display_name_pending',
    new GraphFault(400, 131_037, '(#131037) Display name approval needed', 'The display name is in review.'),
  ],
  ['number_limited', new GraphFault(400, 131_048, '(#131048) Spam rate limit hit', 'Too many messages were reported.')],
  ['not_registered', new GraphFault(500, 131_045, '(#131045) Incorrect certificate', 'The number is not registered.')],
  ['template_paused', new GraphFault(400, 132_015, '(#132015) Template is paused', 'It is paused due to low quality.')],
  ['template_disabled', new GraphFault(400, 132_016, '(#132016) Template is disabled', 'It was paused too often.')],
] as const satisfies readonly (readonly [GraphFaultKind, GraphFault])[]

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined

const unknownPath = (path: string) =>
  new GraphFault(400, 2_500, `Unknown path components: ${path}. The path begins with a version, such as /v26.0`)

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_BYTES) throw new Error('a body of more than a file can have')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function write(response: ServerResponse, { status, headers = {}, body }: GraphAnswer): void {
  const isBytes = Buffer.isBuffer(body) || typeof body === 'string'
  const bytes = isBytes ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/json; charset=UTF-8',
    ...headers,
    'content-length': bytes.length,
  })
  response.end(bytes)
}
