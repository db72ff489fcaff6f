import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/server'

/** A request to /mcp, with its parsed body. */
export interface McpRequest {
  readonly req: IncomingMessage & { auth?: AuthInfo }
  readonly res: ServerResponse
  /** Undefined if there was none. */
  readonly body: unknown
}

/** JSON-RPC 2.0: invalid request. */
export const INVALID_REQUEST = -32_600
/** JSON-RPC 2.0: invalid JSON. */
export const PARSE_ERROR = -32_700
/** JSON-RPC 2.0: internal error. */
export const INTERNAL_ERROR = -32_603
/** Errors of Streamable HTTP transports, before a message reaches a server. */
export const TRANSPORT_ERROR = -32_000
export const SESSION_NOT_FOUND = -32_001

/** Answers with a JSON-RPC error instead of passing the request to the SDK. */
export function refuse(
  { res, body }: Pick<McpRequest, 'res' | 'body'>,
  status: number,
  code: number,
  message: string,
): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code, message } }))
}

/** Id of the refused request; null if there is no single one. */
function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'method' in body && 'id' in body ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** JSON-RPC 2.0: numbers should not be fractions, and the protocol allows no null. */
export const isRequestId = (id: unknown): id is string | number => typeof id === 'string' || Number.isInteger(id)
