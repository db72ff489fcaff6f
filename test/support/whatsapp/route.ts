import names from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import net, { type NetConnectOpts, type Socket } from 'node:net'
import tls, { type ConnectionOptions } from 'node:tls'
import { WA_CERT_DETAILS } from 'baileys'

/** Where the stand-in listens, and what makes a client believe that it is the real network. */
export interface Route {
  readonly port: number
  /** PEM of the authority that vouches for the stand-in's hosts. */
  readonly authority: string
  /** Root of the Noise certificates, hex. */
  readonly noiseRoot: string
}

/** The variable that carries a route into a process of its own. */
export const ROUTE_VARIABLE = 'WHATSAPP_STAND_IN'

const HOSTS = /^(web\.whatsapp\.com|[\w-]+\.whatsapp\.net)$/
/** What those names resolve to here: an address that is as public as the real ones, and is never dialled. */
const ADDRESS = '157.240.0.60'
const HTTPS = 443

const own = { lookup: names.lookup, connect: net.connect, connectTls: tls.connect }
let current: Route | undefined

/**
 * Leads this process to the stand-in wherever it means the real network: addresses, names, TLS and every check of the
 * product stay as they are, only the last hop differs. Nothing of it is part of the product.
 */
export function takeRoute(route: Route): void {
  current = route
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(route.noiseRoot, 'hex')
  names.lookup = lookup as typeof names.lookup
  net.connect = connect
  tls.connect = connectTls
  syncBuiltinESMExports()
}

/** For a process of its own: takes the route its environment names. */
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
  // Whoever checks where they got must find where they meant to go.
  return Object.defineProperty(socket, 'remoteAddress', { value: ADDRESS })
}

function connectTls(...args: readonly unknown[]): tls.TLSSocket {
  const [options, ...rest] = args as [ConnectionOptions, ...(() => void)[]]
  const name = options.servername ?? options.host ?? ''
  if (current === undefined || !HOSTS.test(name)) return own.connectTls(...(args as Parameters<typeof tls.connect>))
  // A context made before would bring its own idea of whom to trust.
  const { secureContext: _, ...plain } = options
  const trusting = { ...plain, servername: name, ca: current.authority }
  // Over a socket that stands already only the trust differs.
  const here = options.socket ? trusting : { ...trusting, host: '127.0.0.1', port: current.port }
  return own.connectTls(here, ...rest)
}
