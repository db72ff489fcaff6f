import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@modelcontextprotocol/server'

/** A request to /mcp inside this face: Node’s two halves, and the body the door has read. */
export interface McpRequest {
  readonly req: IncomingMessage & { auth?: AuthInfo }
  readonly res: ServerResponse
  /** Parsed by the door; undefined when there was none. */
  readonly body: unknown
}

/** JSON-RPC 2.0: the message is no valid request. */
export const INVALID_REQUEST = -32_600
/** JSON-RPC 2.0: the body is no JSON. */
export const PARSE_ERROR = -32_700
/** JSON-RPC 2.0: a fault of ours. */
export const INTERNAL_ERROR = -32_603
/** What Streamable HTTP transports answer with before a message reaches a server. */
export const TRANSPORT_ERROR = -32_000
export const SESSION_NOT_FOUND = -32_001

/** A JSON-RPC error in place of an answer of the protocol's own. */
export function refuse(
  { res, body }: Pick<McpRequest, 'res' | 'body'>,
  status: number,
  code: number,
  message: string,
): void {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code, message } }))
}

/** The id of the request that is refused; null where there is no single one. */
function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'method' in body && 'id' in body ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
