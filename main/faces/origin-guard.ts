import { ApiError } from '../contract/errors.ts'

export interface OriginGuard {
  /** @throws ApiError forbidden_host, forbidden_origin. */
  check(headers: { host?: string | undefined; origin?: string | undefined }): void
}

/**
 * Host must be a listed name with its port, Origin absent or our own; the two are judged apart from each other, on
 * every path. This is what stops web pages and rebound DNS names from commanding a service on loopback.
 * @param hosts `name:port` as browsers send it; a default port is left out, as browsers leave it out.
 */
export function createOriginGuard(hosts: () => ReadonlySet<string>): OriginGuard {
  return {
    check({ host, origin }) {
      const known = hosts()
      if (host === undefined || !known.has(host.toLowerCase())) {
        throw new ApiError(
          'forbidden_host',
          'This service does not answer under the name in the Host header. Use one of its own addresses, or add the name to the setting allowed_hosts.',
        )
      }
      if (origin !== undefined && !isOwn(origin, known)) {
        throw new ApiError(
          'forbidden_origin',
          'Requests from web pages of other origins are refused. Call the API from a server or a program, never from a page.',
        )
      }
    },
  }
}

/**
 * The Host a request names; undefined when it names none, or more than one: Node would go by the first, and whatever
 * stands in front perhaps by the last.
 */
export function hostOf(rawHeaders: readonly string[]): string | undefined {
  const named = rawHeaders.filter((_text, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host')
  return named.length === 1 ? named[0] : undefined
}

function isOwn(origin: string, hosts: ReadonlySet<string>): boolean {
  const parts = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())
  return parts?.[1] !== undefined && hosts.has(parts[1])
}

/** The names a service bound to `host:port` answers under. */
export function ownHosts(
  bound: { host: string; port: number },
  allowed: readonly string[],
  publicBaseUrl: string | null,
): Set<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  if (bound.host !== '0.0.0.0' && bound.host !== '::')
    names.push(bound.host.includes(':') ? `[${bound.host}]` : bound.host)
  const withPort = names.map((name) => (bound.port === 80 ? name : `${name}:${bound.port}`))
  const given = allowed.map((name) => name.toLowerCase())
  const published = publicBaseUrl === null ? [] : [new URL(publicBaseUrl).host]
  return new Set([...withPort, ...given, ...published])
}
