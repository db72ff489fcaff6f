import { createHash, randomBytes } from 'node:crypto'
import { headers, methodOf, requestUri, type SipMessage } from './sip-messages.ts'

const REALM = 'exchange.test'
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** Digest authentication with `qop=auth` (RFC 2617, RFC 3261 section 22). Every nonce is good for one request. */
export function createDigest(user: string, password: string) {
  const nonces = new Set<string>()
  return {
    challenge(): string {
      const nonce = randomBytes(12).toString('hex')
      nonces.add(nonce)
      return `Digest realm="${REALM}", nonce="${nonce}", opaque="${md5(nonce)}", algorithm=MD5, qop="auth"`
    },
    isRight(request: SipMessage, name: 'authorization' | 'proxy-authorization'): boolean {
      const [given = ''] = headers(request, name)
      const fields = new Map(
        [...given.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)].map((m) => [m[1], m[2] ?? m[3] ?? '']),
      )
      const field = (key: string) => fields.get(key) ?? ''
      const nonce = field('nonce')
      const secret = md5(`${user}:${REALM}:${password}`)
      const asked = md5(`${methodOf(request)}:${requestUri(request)}`)
      const expected = md5(`${secret}:${nonce}:${field('nc')}:${field('cnonce')}:auth:${asked}`)
      return (
        given.startsWith('Digest ') &&
        nonces.delete(nonce) &&
        field('username') === user &&
        field('realm') === REALM &&
        field('uri') === requestUri(request) &&
        field('qop') === 'auth' &&
        field('nc') === '00000001' &&
        field('opaque') === md5(nonce) &&
        field('response') === expected
      )
    },
  }
}
