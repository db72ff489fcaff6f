import { CERTIFICATE_DATES } from './certificate.ts'

/** Why a number may not connect any more. */
export type Refusal = 'logged_out' | 'banned' | 'temporary_ban'

/** What to do after a connection has ended. */
export type Verdict =
  /** The network asked for it: immediately, with the same session, and without an event. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'retry'; readonly reason: string }
  /** Nobody scanned in time. */
  | { readonly kind: 'expired' }
  /** A pairing was interrupted. Its incomplete credentials would always be refused. */
  | { readonly kind: 'begin_anew' }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly untilMs: number | null }
  /** The network refuses clients of this version. */
  | { readonly kind: 'outdated' }
  /** Another client uses the same session. Reconnecting immediately could lose the session. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'bad_session' }

export interface ConnectionClose {
  /** As the network or the library gave it; null: neither did. */
  readonly code: number | null
  /** How long a temporary ban lasts. */
  readonly expireSeconds: number | null
  /** The phone has confirmed the pairing. */
  readonly isPaired: boolean
  /** There were codes, and all of them have ended. */
  readonly isPairingOver: boolean
  readonly nowMs: number
}

export const RESTART = 515

/** The close codes, one by one. An unknown code is treated as a network fault and retried. */
export function verdictOn({ code, expireSeconds, isPaired, isPairingOver, nowMs }: ConnectionClose): Verdict {
  if (code === RESTART) return { kind: 'restart' }
  // Not by the code: the library reports an unreachable network and a late keep-alive as it reports used-up QR codes.
  if (!isPaired && code !== 405) return { kind: isPairingOver ? 'expired' : 'begin_anew' }
  switch (code) {
    case 401:
    case 411:
    case 419:
      return { kind: 'refused', reason: 'logged_out', untilMs: null }
    case 402: {
      const untilMs = expireSeconds === null ? null : nowMs + expireSeconds * 1_000
      return { kind: 'refused', reason: 'temporary_ban', untilMs }
    }
    case 403:
      return { kind: 'refused', reason: 'banned', untilMs: null }
    case 405:
      return { kind: 'outdated' }
    case 440:
      return { kind: 'replaced' }
    case 500:
      return { kind: 'bad_session' }
    default:
      return { kind: 'retry', reason: REASONS[code ?? 0] ?? 'connection_lost' }
  }
}

const REASONS: Readonly<Record<number, string>> = {
  408: 'link_silent',
  428: 'connection_lost',
  [CERTIFICATE_DATES]: 'certificate_dates',
  503: 'network_unavailable',
  504: 'link_silent',
}

/** The library reports an end as an error that carries an answer of the web; some ends are a bare number, or nothing. */
export function codeOf(error: unknown): number | null {
  if (typeof error === 'number') return error
  const code = fieldOf(fieldOf(error, 'output'), 'statusCode')
  return typeof code === 'number' ? code : null
}

/** The code with which the network refused a query; the library passes it on as the data of a general error. */
export function refusalOf(error: unknown): number | null {
  const code = fieldOf(error, 'data')
  return typeof code === 'number' && Number.isFinite(code) ? code : codeOf(error)
}

/** How long a temporary ban lasts, from the attributes of the refusal. */
export function expireSecondsOf(error: unknown): number | null {
  const expire = Number(fieldOf(fieldOf(error, 'data'), 'expire'))
  return Number.isFinite(expire) && expire > 0 ? expire : null
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
