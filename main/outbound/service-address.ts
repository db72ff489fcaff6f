import { ApiError } from '../contract/errors.ts'
import type { Outbound } from './outbound.ts'

/** The two outbound guards of the service. */
export interface Guards {
  /** Reaches public addresses and those in `egress.trusted_ranges`. */
  readonly outbound: Outbound
  /** Reaches public addresses. */
  readonly publicOutbound: Outbound
}

interface Rule {
  readonly field: string
  readonly kind: 'http' | 'websocket'
  /** Only the operator of this computer may choose an address in its private networks. */
  readonly byOperator: boolean
}

const SCHEMES = { http: ['https', 'http'], websocket: ['wss', 'ws'] } as const

/**
 * Checks the URL of a service that receives a secret and whose answers are shown. Unlike a webhook, it must be public
 * and encrypted unless the operator chose it.
 * @throws ApiError invalid_url
 */
export async function checkServiceUrl(
  { outbound, publicOutbound }: { readonly [Name in keyof Guards]: Pick<Outbound, 'checkUrl' | 'isTrusted'> },
  text: string,
  { field, kind, byOperator }: Rule,
): Promise<URL> {
  const [encrypted, plain] = SCHEMES[kind]
  if (!byOperator) return publicOutbound.checkUrl(text, { schemes: [encrypted], field })
  const url = await outbound.checkUrl(text, { schemes: [encrypted, plain], field })
  // Names are refused, because they may lead elsewhere later.
  if (url.protocol === `${plain}:` && !outbound.isTrusted(url.hostname.replaceAll(/^\[|\]$/g, '')))
    throw new ApiError(
      'invalid_url',
      `${field} must begin with ${encrypted}://. Only an IP address in egress.trusted_ranges may begin with ${plain}://.`,
    ).because('url_encrypted', { field, scheme: `${encrypted}://` })
  return url
}

/** Compares host, scheme and port, which determine where a secret is sent. */
export const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin
