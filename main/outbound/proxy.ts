import { request } from 'node:http'
import type { Socket } from 'node:net'
import { codeOf, ConnectFailure, unreachable } from './connect-failure.ts'
import type { Secret } from '../kernel/secret.ts'

export type ProxyType = 'http' | 'https' | 'socks5'

/** A proxy for connections. It resolves the names of their destinations. */
export interface Proxy {
  readonly type: ProxyType
  /** A name or an address. */
  readonly host: string
  readonly port: number
  readonly credentials: { readonly username: Secret; readonly password: Secret } | null
}

/** Why a proxy refused a connection; the `reason` of the ConnectFailure. */
type ProxyRefusal = 'proxy_login' | 'proxy_denied' | 'proxy_no_route' | 'proxy_protocol'

type Destination = { readonly host: string; readonly port: number }

/**
 * Asks a connected proxy to connect to the destination. Then the socket carries the destination's data.
 * @throws ConnectFailure with a ProxyRefusal as its reason, or `connect` if the proxy closes the connection.
 */
export async function tunnel(socket: Socket, proxy: Proxy, to: Destination): Promise<void> {
  try {
    await (proxy.type === 'socks5' ? socks5(socket, proxy, to) : httpConnect(socket, proxy, to))
  } catch (error) {
    throw error instanceof ConnectFailure ? error : unreachable(proxy.host, codeOf(error))
  }
}

const SENTENCES: Readonly<Record<ProxyRefusal, string>> = {
  proxy_login: 'refused the user name or password',
  proxy_denied: 'does not allow this connection',
  proxy_no_route: 'could not reach the destination',
  proxy_protocol: 'does not respond like a proxy of this type',
}

const refused = ({ host }: Proxy, reason: ProxyRefusal) =>
  new ConnectFailure('connect', reason, `The proxy ${host} ${SENTENCES[reason]}.`)

function httpConnect(socket: Socket, proxy: Proxy, { host, port }: Destination): Promise<undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  const { username, password } = proxy.credentials ?? {}
  const login = username && password && Buffer.from(`${username.open()}:${password.open()}`).toString('base64')
  const authority = `${host}:${port}`
  const asking = request({
    method: 'CONNECT',
    path: authority,
    headers: { Host: authority, ...(login && { 'Proxy-Authorization': `Basic ${login}` }) },
    createConnection: () => socket,
  })
  asking.once('connect', ({ statusCode = 0 }, _socket, head) => {
    if (head.length > 0) socket.unshift(head)
    if (statusCode >= 200 && statusCode < 300) resolve(undefined)
    else if (statusCode === 407) reject(refused(proxy, 'proxy_login'))
    else reject(refused(proxy, statusCode >= 500 ? 'proxy_no_route' : 'proxy_denied'))
  })
  asking.once('error', (error) =>
    reject(
      codeOf(error).startsWith('HPE_') ? refused(proxy, 'proxy_protocol') : unreachable(proxy.host, codeOf(error)),
    ),
  )
  asking.end()
  return promise
}

// SOCKS 5 (RFC 1928), with a user name and password if there are any (RFC 1929).
const VERSION = 5
const NO_LOGIN = 0
const WITH_LOGIN = 2
const LOGIN_VERSION = 1
const CONNECT = 1
const BY_NAME = 3
const DENIED: ReadonlySet<number> = new Set([2, 7])
/** Length of the address in a reply, by its type. A name is preceded by its length. */
const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 4: 16 }

async function socks5(socket: Socket, proxy: Proxy, { host, port }: Destination): Promise<void> {
  const { credentials } = proxy
  const methods = credentials ? [NO_LOGIN, WITH_LOGIN] : [NO_LOGIN]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method] = await read(socket, 2)
  if (version !== VERSION) throw refused(proxy, 'proxy_protocol')
  if (method === WITH_LOGIN && credentials) {
    const login = [credentials.username, credentials.password].map((secret) => withLength(secret.open()))
    socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION]), ...login]))
    const [, status] = await read(socket, 2)
    if (status !== 0) throw refused(proxy, 'proxy_login')
  } else if (method !== NO_LOGIN) throw refused(proxy, 'proxy_login')

  const place = Buffer.from([port >> 8, port & 0xff])
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0, BY_NAME]), withLength(host), place]))
  const [replyVersion, reply = 0, , type = 0] = await read(socket, 4)
  if (replyVersion !== VERSION) throw refused(proxy, 'proxy_protocol')
  if (reply !== 0) throw refused(proxy, DENIED.has(reply) ? 'proxy_denied' : 'proxy_no_route')
  if (type !== BY_NAME && ADDRESS_BYTES[type] === undefined) throw refused(proxy, 'proxy_protocol')
  const bytes = ADDRESS_BYTES[type] ?? (await read(socket, 1))[0] ?? 0
  await read(socket, bytes + place.length)
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Reads exactly this many bytes and leaves the rest in the socket. */
function read(socket: Socket, bytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const fail = () => reject(Object.assign(new Error('hung up'), { code: 'ECONNRESET' }))
  // One listener for the whole read. A new `readable` listener fires immediately for bytes that are already buffered, so
  // adding one after each byte would spin without ever receiving the next.
  const take = () => {
    const found = socket.read(bytes) as Buffer | null
    if (found?.length === bytes) resolve(found)
    else if (found !== null || socket.destroyed || socket.readableEnded) fail()
  }
  socket.on('readable', take).once('end', fail).once('close', fail).once('error', reject)
  take()
  return promise.finally(() => socket.off('readable', take).off('end', fail).off('close', fail).off('error', reject))
}
