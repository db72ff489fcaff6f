/** The window's own scheme and host: pages of other origins are never shown. */
export const SCHEME = 'app'
const HOST = 'switchboard'

export const HOME_PAGE = `${SCHEME}://${HOST}/`

/**
 * Whether a URL is ours. Compares protocol and host instead of `origin`, because for schemes unknown to Node `origin`
 * is `null`, and every such scheme would match, including `data:`.
 */
export function isOurs(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.protocol === `${SCHEME}:` && url.host === HOST
}
