import type { Config } from '../config.ts'
import { controlAddress, listenForCommands, type ControlRequest } from '../faces/control.ts'
import type { Door } from '../faces/http.ts'
import { messageOf } from './home.ts'
import { StartError, type World } from './world.ts'

/** Listens for commands of this user, which need no API key. */
export async function openControl({ config, log }: World, carryOut: (request: ControlRequest) => Promise<unknown>) {
  const address = controlAddress(config.home, process.platform)
  try {
    return await listenForCommands({ address, carryOut, log })
  } catch (error) {
    const sentence = `Can't create the control socket at ${address}: ${messageOf(error)}. Use a --home on a local disk.`
    throw new StartError(sentence, { cause: error })
  }
}

/** A browser cannot open a wildcard address; on this machine it uses loopback instead. */
export const localUrlOf = (url: string): string => url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1')

/** The base URL of links for other people. @param url where this service listens. */
export function linkAddressOf({ publicBaseUrl, allowLan }: Config, url: string) {
  if (publicBaseUrl !== null) return { url: publicBaseUrl, reachable: 'everywhere' } as const
  return { url, reachable: allowLan ? 'network' : 'computer' } as const
}

/** A wildcard address cannot be called: the API refuses it as a host name, so links must not contain it. */
export const LOOPBACK_OF_WILDCARD: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** @returns `host:port` under which at least this machine can call the service. */
export async function listen(door: Door, { host, port }: Config): Promise<string> {
  try {
    const bound = await door.listen(host, port)
    const named = LOOPBACK_OF_WILDCARD[host] ?? host
    return `${named.includes(':') ? `[${named}]` : named}:${bound}`
  } catch (error) {
    const sentence = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? '']
    throw sentence === undefined ? error : new StartError(sentence(host, port), { cause: error })
  }
}

const unknownHost = (host: string) =>
  `The host name ${host} does not resolve. Correct --host, or omit it to use 127.0.0.1.`

/** Why an address could not be listened on, and what to do. */
const LISTEN_FAULTS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use by another program. Quit it, or choose another port with --port.`,
  EACCES: (host, port) => `This user can't listen on port ${port} of ${host}. Choose a port above 1023 with --port.`,
  EADDRNOTAVAIL: (host) =>
    `This machine does not have the address ${host}. Correct --host, or omit it to use 127.0.0.1.`,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
}
