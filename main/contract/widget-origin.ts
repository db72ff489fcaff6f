/** Why a widget's origin is invalid. */
type OriginFault = 'not_an_origin' | 'more_than_origin' | 'wildcard' | 'http'

/** `origin` beside a fault is the probably intended origin. */
export type JudgedOrigin =
  | { readonly origin: string; readonly fault: null }
  | { readonly origin: string | null; readonly fault: OriginFault }

const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const BARE_HOST = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$/i

/** An origin in the form that browsers send: only scheme, host and port. */
export function judgeOrigin(text: string): JudgedOrigin {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.origin === 'null' || !['http:', 'https:'].includes(url.protocol))
    return { origin: BARE_HOST.test(text) ? `https://${text.toLowerCase()}` : null, fault: 'not_an_origin' }
  if (text.includes('*')) return { origin: null, fault: 'wildcard' }
  const isSafe = url.protocol === 'https:' || LOOPBACK.test(url.hostname)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || url.pathname !== '/')
    return { origin: isSafe ? url.origin : null, fault: 'more_than_origin' }
  if (!isSafe) return { origin: `https://${url.host}`, fault: 'http' }
  return { origin: url.origin, fault: null }
}
