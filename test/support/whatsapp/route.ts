import names from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import net, { type NetConnectOpts, type Socket } from 'node:net'
import tls, { type ConnectionOptions } from 'node:tls'
import { WA_CERT_DETAILS } from 'baileys'

/** The port of the stand-in, and the keys that make a client trust it. */
export interface Route {
  readonly port: number
  /** The PEM text of the authority for the stand-in's hosts. */
  readonly authority: string
  /** The root key of the Noise certificates, in hex. */
  readonly noiseRoot: string
}

/** The environment variable that passes a route to another process. */
export const ROUTE_VARIABLE = 'WHATSAPP_STAND_IN'

const HOSTS = /^(web\.whatsapp\.com|[\w-]+\.whatsapp\.net)$/
/** The address to which these names resolve here. It is public like the real addresses, and is never connected to. */
const ADDRESS = '157.240.0.60'
const HTTPS = 443

const own = { lookup: names.lookup, connect: net.connect, connectTls: tls.connect }
let current: Route | undefined

/**
 * Redirects connections of this process from the real network to the stand-in. Addresses, names, TLS and all checks
 * of the product stay as they are; only the final connection differs. The product contains none of this.
 */
export function takeRoute(route: Route): void {
  current = route
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(route.noiseRoot, 'hex')
  names.lookup = lookup as typeof names.lookup
  net.connect = connect
  tls.connect = connectTls
  syncBuiltinESMExports()
}

/** Takes the route from the environment, for a separate process. */
export function takeRouteOf(environment: NodeJS.ProcessEnv): void {
  const text = environment[ROUTE_VARIABLE]
  if (text !== undefined) takeRoute(JSON.parse(text) as Route)
}

async function lookup(host: string, options: { readonly all?: boolean } = {}): Promise<unknown> {
  if (!HOSTS.test(host)) return own.lookup(host, options)
  const found = { address: ADDRESS, family: 4 }
  return options.all === true ? [found] : found
}

function connect(...args: readonly unknown[]): Socket {
  const [options, ...rest] = args as [NetConnectOpts & { host?: string; port?: number }, ...(() => void)[]]
  if (current === undefined || options.host !== ADDRESS || options.port !== HTTPS)
    return own.connect(...(args as Parameters<typeof net.connect>))
  const socket = own.connect({ ...options, host: '127.0.0.1', port: current.port }, ...rest)
  // Code that checks the remote address must find the address that it wanted.
  return Object.defineProperty(socket, 'remoteAddress', { value: ADDRESS })
}

function connectTls(...args: readonly unknown[]): tls.TLSSocket {
  const [options, ...rest] = args as [ConnectionOptions, ...(() => void)[]]
  const name = options.servername ?? options.host ?? ''
  if (current === undefined || !HOSTS.test(name)) return own.connectTls(...(args as Parameters<typeof tls.connect>))
  // A context that was created before would contain other trusted authorities.
  const { secureContext: _, ...plain } = options
  const trusting = { ...plain, servername: name, ca: current.authority }
  // With an existing socket, only the trusted authority differs.
  const here = options.socket ? trusting : { ...trusting, host: '127.0.0.1', port: current.port }
  return own.connectTls(here, ...rest)
}
