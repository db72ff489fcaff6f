import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'

export interface OriginGuard {
  /** @throws ApiError forbidden_host, forbidden_origin. */
  check(headers: { host?: string | undefined; origin?: string | undefined }): void
}

/**
 * Host must be an allowed name with its port, and Origin absent or our own, on every path. This protects a service on
 * loopback from web pages and DNS rebinding.
 * @param hosts `name:port` as browsers send it, without a default port.
 */
export function createOriginGuard(hosts: () => ReadonlySet<string>): OriginGuard {
  return {
    check({ host, origin }) {
      const known = hosts()
      if (host === undefined || !known.has(host.toLowerCase())) {
        throw new ApiError(
          'forbidden_host',
          'This service does not accept the name in the Host header. Use one of its own addresses, or add the name to the setting allowed_hosts.',
        )
      }
      if (origin !== undefined && !isOwn(origin, known)) {
        throw new ApiError(
          'forbidden_origin',
          'Requests from web pages on other origins are refused. Call the API from a server or a program, not from a page.',
        )
      }
    },
  }
}

/**
 * The host a request names. Undefined if it names none, or several: Node would use the first Host header, and a proxy in
 * front might use the last. A target that is a whole URL names a host too (RFC 9112, section 3.2.2).
 */
export function hostOf({ rawHeaders, url = '' }: Pick<IncomingMessage, 'rawHeaders' | 'url'>): string | undefined {
  const named = rawHeaders.filter((_text, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host')
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
  const hosts = new Set([...named, ...(target === undefined ? [] : [target])].map((host) => host.toLowerCase()))
  return named.length === 1 && hosts.size === 1 ? named[0] : undefined
}

function isOwn(origin: string, hosts: ReadonlySet<string>): boolean {
  const parts = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())
  return parts?.[1] !== undefined && hosts.has(parts[1])
}

/** The Host values that a service bound to `host:port` accepts. */
export function ownHosts(
  bound: { host: string; port: number },
  allowed: readonly string[],
  publicBaseUrl: string | null,
): Set<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  if (bound.host !== '0.0.0.0' && bound.host !== '::')
    names.push(bound.host.includes(':') ? `[${bound.host}]` : bound.host)
  const withPort = names.map((name) => (bound.port === 80 ? name : `${name}:${bound.port}`))
  const configured = allowed.map((name) => name.toLowerCase())
  const published = publicBaseUrl === null ? [] : [new URL(publicBaseUrl).host]
  return new Set([...withPort, ...configured, ...published])
}
