import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { classifyInboundRequest, createMcpHandler, type AuthInfo, type McpServer } from '@modelcontextprotocol/server'
import type { ApprovedCalls } from '../capabilities/approvals/index.ts'
import { LIMITS } from '../contract/limits.ts'
import type { RoomContract } from '../contract/operation.ts'
import type { Principal } from '../kernel/access.ts'
import type { Clock } from '../kernel/clock.ts'
import { createConcurrencyLimiter } from '../kernel/concurrency-limiter.ts'
import type { KeyId, Random } from '../kernel/ids.ts'
import { cause, type Log } from '../kernel/log.ts'
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
  refuse,
  TRANSPORT_ERROR,
  type McpRequest,
} from './mcp/exchange.ts'
import { clientInfoOf } from './mcp/client-info.ts'
import type { Caller } from './mcp/caller.ts'
import { createApprovedCalls } from './mcp/approved-calls.ts'
import { createKeyWatch } from './mcp/key-watch.ts'
import { createListCache } from './mcp/list-cache.ts'
import { createConfirmations } from './mcp/confirmations.ts'
import { createCallDescriber } from './mcp/call-description.ts'
import { createServerFactory, type ServerDeps } from './mcp/server.ts'
import { createSessions } from './mcp/sessions.ts'
import { createToolbox, viewOf } from './mcp/tools.ts'
import { parseToolFilter, unknownToolset } from './mcp/toolsets.ts'

/** A request to /mcp whose Host, Origin, key and rate limit were checked. */
interface McpExchange {
  readonly req: IncomingMessage
  /** Hijacked from the framework, so nothing else writes to it. */
  readonly res: ServerResponse
  readonly body: unknown
  readonly principal: Principal
  readonly requestId: string
  /** Headers of every response, set by the hooks of `http.ts`: X-Request-Id, X-RateLimit-*, security headers. */
  readonly headers: Readonly<Record<string, string>>
}

export interface Mcp {
  /** Answers the request completely; never throws. */
  handle(exchange: McpExchange): Promise<void>
  /** The key was revoked: its sessions and streams end. */
  keyEnded(keyId: KeyId): void
  close(): Promise<void>
}

interface ProductMcp extends Mcp {
  readonly approvedCalls: ApprovedCalls
}

interface McpDeps {
  readonly contracts: readonly RoomContract[]
  readonly call: ServerDeps['call']
  readonly rehearse: ServerDeps['rehearse']
  readonly approvals: ServerDeps['approvals']
  readonly clock: Clock
  readonly random: Random
  /** false: the key was revoked or has expired. */
  readonly isKeyUsable: TransportDeps['isKeyUsable']
  readonly onToolCall: ServerDeps['onToolCall']
  /** Called when a client identifies itself. */
  readonly onClient: OnClient
  readonly log: Log
  readonly version: string
}

/** Offers the operations as MCP tools. Every call is a request to the same pipeline as HTTP requests (`http.ts`). */
export function createMcp(deps: McpDeps): ProductMcp {
  const { contracts, call, clock, random, log } = deps
  const toolbox = createToolbox(contracts)
  const confirmations = createConfirmations({ clock, random })
  const describer = createCallDescriber({ operations: contracts.map(({ operations }) => operations), call })
  const transport = createMcpTransport({
    onClient: deps.onClient,
    clock,
    random,
    log,
    isKeyUsable: deps.isKeyUsable,
    toolsets: toolbox.toolsets,
    factory: (callerOf) => createServerFactory({ ...deps, toolbox, confirmations, describer, callerOf }),
  })
  return { ...transport, approvedCalls: createApprovedCalls({ toolbox, call, describer }) }
}

type OnClient = (introduction: { caller: Principal; client: { name: string; version: string } }) => void

interface TransportDeps {
  readonly onClient: OnClient
  readonly factory: (callerOf: ServerDeps['callerOf']) => () => McpServer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly isKeyUsable: (keyId: KeyId) => Promise<boolean>
  /** Toolset names that may be requested; undefined: any. */
  readonly toolsets?: readonly string[]
}

/** Each holds a socket. */
const STREAMS = LIMITS.mcpStreams
const TOO_MANY_STREAMS = `This account has as many MCP streams open as it may: ${STREAMS.perAccount}, or fewer while other accounts need them. Close one and try again.`

/**
 * Serves two protocol revisions on one path. 2026-07-28 is stateless: one protocol object per request. 2025-11-25 has
 * sessions, which it needs to ask the person during a call. The SDK classifies each request.
 */
export function createMcpTransport(deps: TransportDeps): Mcp {
  const { factory, onClient, clock, random, log, isKeyUsable, toolsets } = deps
  const callers = new WeakMap<AuthInfo, Caller>()
  const streams = createConcurrencyLimiter(STREAMS)
  const serve = factory((auth) => {
    const caller = auth === undefined ? undefined : callers.get(auth)
    if (caller === undefined) throw new Error('an MCP message arrived without its caller')
    return caller
  })
  const onerror = (error: Error) => log.debug({ event: 'mcp.refused', reason: error.name })
  const stateless = createMcpHandler(serve, {
    legacy: 'reject',
    onerror,
    maxSubscriptions: STREAMS.inAll,
    maxRequestBodySize: LIMITS.bodyBytes,
  })
  const answerStateless = toNodeHandler(stateless, { onerror })
  const lists = createListCache()
  const sessions = createSessions({ serve, clock, random })
  const keys = createKeyWatch({ clock, isUsable: isKeyUsable, onEnded: sessions.endOf })

  const route = async (request: McpRequest, principal: Principal) => {
    const { req, res, body } = request
    const unknown = unknownToolset(parseToolFilter(req.url ?? ''), toolsets)
    if (unknown !== undefined) return refuse(request, 400, INVALID_REQUEST, unknown)
    // A batch would be many calls for one rate limit token; current revisions have no batches.
    if (Array.isArray(body))
      return refuse(request, 400, INVALID_REQUEST, 'Send one JSON-RPC message per request. Batches are not supported.')
    if (req.method === 'POST' && body === undefined)
      return refuse(request, 400, PARSE_ERROR, 'Parse error: the body is empty')
    return lists.handle(
      request,
      () => viewOf(principal),
      async () => {
        if (isLegacy(req, body)) return sessions.handle(request, ownerOf(principal))
        // Node's types leave method and url optional; both are set here.
        return answerStateless(req as NodeIncomingMessageLike, res, body)
      },
    )
  }

  return {
    async handle({ req, res, body, principal, requestId, headers }) {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      // Contains no key: this object only identifies the caller within the SDK.
      const auth: AuthInfo = { token: '', clientId: ownerOf(principal), scopes: [...principal.scopes] }
      const client = clientInfoOf(body)
      if (client !== undefined) onClient({ caller: principal, client })
      callers.set(auth, { principal, requestId, toolFilter: parseToolFilter(req.url ?? '') })
      if (isListening(req, body)) {
        const slot = streams.acquire({ accountId: principal.accountId })
        if (slot === undefined) return refuse({ res, body }, 503, TRANSPORT_ERROR, TOO_MANY_STREAMS)
        res.once('close', () => slot.release())
        if (principal.key !== null) keys.watch(principal.key.id, res)
      }
      try {
        await route({ req: Object.assign(req, { auth }), res, body }, principal)
      } catch (error) {
        log.error({ event: 'mcp.failed', requestId, cause: cause(error) })
        if (res.headersSent) res.destroy()
        else refuse({ res, body }, 500, INTERNAL_ERROR, 'Internal error')
      }
    },
    keyEnded: keys.ended,
    async close() {
      keys.close()
      await stateless.close()
      await sessions.close()
    },
  }
}

/** A stream that stays open until one side closes it: GET with sessions, a subscription without. */
const isListening = ({ method }: IncomingMessage, body: unknown): boolean =>
  method === 'GET' ||
  (typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen')

const ownerOf = (principal: Principal): string => principal.key?.id ?? 'console'

function isLegacy(req: IncomingMessage, body: unknown): boolean {
  const header = (name: string) => {
    const value = req.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  const protocolVersionHeader = header('mcp-protocol-version')
  const mcpMethodHeader = header('mcp-method')
  const mcpNameHeader = header('mcp-name')
  return (
    classifyInboundRequest({
      httpMethod: req.method ?? 'GET',
      ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
      ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
      ...(mcpNameHeader !== undefined && { mcpNameHeader }),
      ...(body !== undefined && { body }),
    }).kind === 'legacy'
  )
}
