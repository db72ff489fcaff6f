import { SdkHttpError } from '@modelcontextprotocol/client'

/** Why a message got no JSON-RPC response from the service. */
export interface Failure {
  readonly kind: 'absent' | 'key-refused' | 'session-lost' | 'refused'
  /** Shown to the assistant and on the terminal. */
  readonly sentence: string
  /** The service's JSON-RPC error, if it sent one. */
  readonly error?: { code: number; message: string; data?: unknown }
}

/** The service refused a request that the bridge itself made. */
export class Refused extends Error {
  readonly error: NonNullable<Failure['error']>

  constructor(error: NonNullable<Failure['error']>) {
    super(error.message)
    this.error = error
  }
}

const SESSION_NOT_FOUND = -32_001

/** Classifies a failed send. */
export function failureOf(error: unknown, url: URL): Failure {
  if (error instanceof Refused) return { kind: 'refused', sentence: error.message, error: error.error }
  if (!(error instanceof SdkHttpError)) return absent(error, url)
  const said = parsed(error.data.text)
  if (error.data.status === 401) {
    const sentence = `Switchboard at ${url.origin} rejected the key: it is unknown, revoked or expired. Create one with: npm run keys -- create --name NAME`
    return { kind: 'key-refused', sentence }
  }
  const own = rpcError(said)
  if (own?.code === SESSION_NOT_FOUND) return { kind: 'session-lost', sentence: own.message, error: own }
  if (own !== undefined) return { kind: 'refused', sentence: own.message, error: own }
  return { kind: 'refused', sentence: restMessage(said) ?? unexpected(error.data.status, url) }
}

function absent(error: unknown, url: URL): Failure {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : undefined
  const detail = code ?? (reason instanceof Error ? reason.message : String(reason))
  const sentence = `Can't reach Switchboard at ${url.origin} (${detail}). Start it with npm start, or correct --url.`
  return { kind: 'absent', sentence }
}

const unexpected = (status: number | undefined, { href }: URL) =>
  `${href} answered ${status ?? 'nothing'}, which is not a Switchboard response. Correct --url.`

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const errorIn = (said: unknown): object | undefined =>
  typeof said === 'object' && said !== null && 'error' in said && typeof said.error === 'object' && said.error !== null
    ? said.error
    : undefined

function rpcError(said: unknown): Failure['error'] {
  const error = errorIn(said)
  if (error === undefined || !('code' in error && 'message' in error)) return undefined
  const { code, message } = error
  if (typeof code !== 'number' || typeof message !== 'string') return undefined
  return { code, message, ...('data' in error && { data: error.data }) }
}

/** The message of a REST error, which the service sends before a request reaches MCP. */
function restMessage(said: unknown): string | undefined {
  const error = errorIn(said)
  return error !== undefined && 'message' in error && typeof error.message === 'string' ? error.message : undefined
}
