import type { WASocket } from 'baileys'
import type { Library } from './library.ts'
import type { Session } from './session.ts'

/** A connection, for what is asked over it while a device is being linked. */
export interface LinkingConnection {
  readonly library: Library
  readonly sock: Pick<WASocket, 'query'>
  readonly session: Pick<Session, 'creds'>
}

/** How long the network may take to answer a query. Without a limit of its own, the library takes silence for an answer. */
export const QUERY_MS = 20_000

/** What the library makes of an answer that is an error: its number in `data`, its text as the message. */
export function queryErrorOf(error: unknown): { readonly code: number | null; readonly text: string | null } {
  const { data, message } = Object(error) as { data?: unknown; message?: unknown }
  if (typeof data !== 'number' || Number.isNaN(data)) return { code: null, text: null }
  return { code: data, text: typeof message === 'string' && PLAIN.test(message) ? message : null }
}

/** A word or two of the protocol, not a text from anybody. */
const PLAIN = /^[\w -]{1,40}$/

/** For a sentence: `403 forbidden`, `429`, `no answer`. */
export function errorText(error: unknown): string {
  const { code, text } = queryErrorOf(error)
  if (code === null) return 'no answer'
  return text === null ? String(code) : `${code} ${text}`
}
