import type { ModelFault } from '../../contract/sandbox.ts'
import type { ModelAnswer, ModelRequest } from './conversation.ts'

/** The chat protocol of one provider. */
export interface ChatProtocol {
  read(body: Record<string, unknown>): Omit<ModelRequest, 'model' | 'isStream'>
  whole(request: ModelRequest, answer: ModelAnswer): unknown
  /** Server-sent events, each with its blank line. */
  stream(request: ModelRequest, answer: ModelAnswer): string[]
  failure(failure: Failure): unknown
}

export interface Failure {
  readonly status: 400 | 401 | 404 | 429 | 500
  readonly message: string
}

export const FAILURES = {
  unauthorized: { status: 401, message: 'Incorrect API key provided.' },
  rate_limited: { status: 429, message: 'Rate limit reached. Try again later.' },
  server_error: { status: 500, message: 'The server had an error while processing your request.' },
} as const satisfies Partial<Record<ModelFault, Failure>>

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/** Splits a text into the chunks in which a model would send it. */
export const piecesOf = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []
