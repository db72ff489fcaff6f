import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os'
import { isWithin, parseAddress, parseRange, type Address, type Range } from '../kernel/address-range.ts'
import type { Clock } from '../kernel/clock.ts'

/** IPv6 that is routed on the Internet; ipaddr.js calls every range without a name unicast. */
const GLOBAL_IPV6 = rangeOf('2000::/3')
/** Metadata and health service of a large cloud: formally public, but reachable only from its own machines. */
const CLOUD_HOST = rangeOf('168.63.129.16/32')

/** Benchmarking range; in practice, VPNs return it instead of a name's real address. */
const SYNTHETIC_RANGE = rangeOf('198.18.0.0/15')

/** How long the list of network interfaces is cached. */
const INTERFACES_FRESH_MS = 1_000

export type Interfaces = () => Readonly<
  Record<string, readonly (Pick<NetworkInterfaceInfo, 'address' | 'cidr'> & { internal?: boolean })[] | undefined>
>

/** Decides which addresses may be reached by requests whose destination somebody else chose. */
export interface AddressPolicy {
  /** True for public addresses and those in a trusted range. False for anything unreadable. */
  permits(ip: string): boolean
  /** True for addresses in a trusted range. */
  isTrusted(ip: string): boolean
  /** Changes whenever an earlier result may be outdated, because this machine's networks changed. */
  revision(): number
  /** Whether this machine has an interface besides loopback. */
  hasNetwork(): boolean
}

/**
 * Public means global unicast, and not on a network of this machine. With native IPv6 a whole LAN has global
 * addresses, so the form of an address is not enough.
 * @param trustedRanges CIDR ranges that are allowed although not public.
 */
export function createAddressPolicy(deps: {
  clock: Clock
  trustedRanges: readonly string[]
  interfaces?: Interfaces | undefined
}): AddressPolicy {
  const { clock, interfaces = networkInterfaces } = deps
  const trusted = deps.trustedRanges.map(rangeOf)
  let own: Range[] = []
  let hasNetwork = false
  let snapshot = ''
  let revision = 0
  let readAtMs = -Infinity

  const refresh = () => {
    if (clock.mono() - readAtMs < INTERFACES_FRESH_MS) return
    readAtMs = clock.mono()
    const found = Object.values(interfaces()).flatMap((addresses) => addresses ?? [])
    const seen = found.map(({ address, cidr }) => cidr ?? address).join()
    if (seen === snapshot) return
    snapshot = seen
    own = found.flatMap(rangesOf)
    hasNetwork = found.some(({ internal }) => internal !== true)
    revision++
  }

  const isTrusted = (address: Address) => trusted.some((range) => isWithin(range, address))

  return {
    isTrusted(ip) {
      const address = parseAddress(ip)
      return address !== undefined && isTrusted(address)
    },
    permits(ip) {
      const address = parseAddress(ip)
      if (!address) return false
      if (isTrusted(address)) return true
      refresh()
      return isGlobal(address) && !own.some((range) => isWithin(range, address))
    },
    revision() {
      refresh()
      return revision
    },
    hasNetwork() {
      refresh()
      return hasNetwork
    },
  }
}

/** Whether the address is routed on the Internet, according to the registries. */
export function isGlobal(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv6' ? isWithin(GLOBAL_IPV6, address) : !isWithin(CLOUD_HOST, address)
}

export function isSyntheticAddress(ip: string): boolean {
  const address = parseAddress(ip)
  return address !== undefined && isWithin(SYNTHETIC_RANGE, address)
}

/** The network of an interface, and its own address. A point-to-point /0 does not describe neighbours. */
function rangesOf({ address, cidr }: { address: string; cidr: string | null }): Range[] {
  const parsed = parseAddress(address)
  const alone: Range[] = parsed ? [[parsed, parsed.kind() === 'ipv4' ? 32 : 128]] : []
  const network = cidr === null ? undefined : parseRange(cidr)
  return network ? [network, ...alone] : alone
}

function rangeOf(text: string): Range {
  const range = parseRange(text)
  if (!range) throw new Error(`${text} is not a CIDR range that can be used here.`)
  return range
}
