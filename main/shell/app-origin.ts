/** The window's own scheme and host: no page of any other origin is ever shown. */
export const SCHEME = 'app'
const HOST = 'switchboard'

export const HOME_PAGE = `${SCHEME}://${HOST}/`

/**
 * Whether an address is ours. Protocol and host are compared, never `origin`: for schemes Node does not know it is the
 * word `null`, which would let in every other such scheme, `data:` included.
 */
export function isOurs(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && url.protocol === `${SCHEME}:` && url.host === HOST
}
