import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { remember } from './remember.ts'

export type Address = ReturnType<typeof ipaddr.process>
export type Range = readonly [Address, number]

/**
 * An IP address in its one true form: an IPv4-mapped IPv6 address becomes the IPv4 address it reaches.
 * @returns undefined for anything else, zone ids and the short forms of old C libraries (`127.1`) included.
 */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text)
}

/** A CIDR range. /0 of either family would allow everything and is refused. */
export function parseRange(text: string): Range | undefined {
  const [base = '', bits = '', ...more] = text.split('/')
  if (more.length > 0 || isIP(base) === 0 || base.includes('%') || !/^[1-9]\d{0,2}$/.test(bits)) return undefined
  const address = ipaddr.parse(base)
  const length = Number(bits)
  return length <= (address.kind() === 'ipv4' ? 32 : 128) ? [address, length] : undefined
}

export function isWithin([base, bits]: Range, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, bits)
}

/** `localhost`, 127.0.0.0/8 and ::1: what only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || parseAddress(host)?.range() === 'loopback'
}

const NETWORKS_REMEMBERED = 10_000

/** Whom a limit is for: an IPv4 address, or the /64 of an IPv6 address, as a single subscriber has all of it. */
export const networkOf = remember(NETWORKS_REMEMBERED, (text: string): string => {
  const address = parseAddress(text)
  if (address?.kind() !== 'ipv6') return address?.toString() ?? text
  return `${ipaddr.fromByteArray([...address.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)]).toString()}/64`
})
