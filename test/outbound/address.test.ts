import { describe, expect, test } from 'vitest'
import { parseAddress, parseRange } from '../../main/kernel/address-range.ts'
import { createAddressPolicy, isGlobal, type Interfaces } from '../../main/outbound/public-address.ts'
import { fakeClock } from '../support/clock.ts'
import { seededRandom } from '../support/random.ts'

/**
 * Independent of the product and of its library: the IANA special-purpose registries (IPv4 and IPv6) and multicast, as
 * plain data, with every entry that is not "globally reachable" plus those that lead elsewhere than they seem to
 * (translation, tunnels, anycast of infrastructure).
 */
const NOT_PUBLIC_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '168.63.129.16/32',
]
const NOT_PUBLIC_V6 = [
  '::/128',
  '::1/128',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]
/** The only IPv6 space given out for the Internet. */
const UNICAST_V6 = '2000::/3'
const MAPPED_V6 = '::ffff:0:0/96'

interface Table {
  readonly bits: number
  readonly parse: (text: string) => bigint
}

const V4: Table = { bits: 32, parse: (text) => text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) }
const V6: Table = {
  bits: 128,
  parse(text) {
    const [head = '', tail] = text.split('::')
    const words = (part: string) => (part === '' ? [] : part.split(':'))
    const [left, right] = [words(head), words(tail ?? '')]
    const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
    return [...left, ...middle, ...right].reduce((sum, word) => (sum << 16n) | BigInt(`0x${word}`), 0n)
  },
}

function holds({ bits, parse }: Table, cidr: string, value: bigint): boolean {
  const [base = '', length = ''] = cidr.split('/')
  const shift = BigInt(bits - Number(length))
  return value >> shift === parse(base) >> shift
}

const textOf4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.')
const textOf6 = (value: bigint) =>
  Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(':')

const expected4 = (value: bigint) => !NOT_PUBLIC_V4.some((cidr) => holds(V4, cidr, value))
function expected6(value: bigint): boolean {
  if (holds(V6, MAPPED_V6, value)) return expected4(value & 0xffffffffn)
  return holds(V6, UNICAST_V6, value) && !NOT_PUBLIC_V6.some((cidr) => holds(V6, cidr, value))
}

const random = seededRandom(20_261_120)
const draw = (bits: number) => BigInt(`0x${random.bytes(bits / 8).toString('hex')}`)

/** Any address at all, or one in or just outside of a range of the table: there the mistakes are. */
function sample({ bits, parse }: Table, cidrs: readonly string[]): bigint {
  if (random.fraction() < 0.3) return draw(bits)
  const [base = '', length = ''] = (cidrs[Math.floor(random.fraction() * cidrs.length)] ?? '').split('/')
  const free = BigInt(bits - Number(length))
  const start = (parse(base) >> free) << free
  const spot = random.fraction()
  const top = (1n << BigInt(bits)) - 1n
  if (spot < 0.2) return start
  if (spot < 0.4) return start + (1n << free) - 1n
  if (spot < 0.6) return start === 0n ? 0n : start - 1n
  if (spot < 0.8) return start + (1n << free) > top ? top : start + (1n << free)
  return start | (draw(bits) & ((1n << free) - 1n))
}

describe('public addresses', () => {
  test('X-04 100,000 addresses are classified as in the IANA registries', () => {
    const wrong: string[] = []
    const judge = (text: string, expected: boolean) => {
      const address = parseAddress(text)
      if (!address || isGlobal(address) !== expected) wrong.push(`${text} should be ${expected ? 'public' : 'refused'}`)
    }
    for (let i = 0; i < 50_000; i++) {
      const value = sample(V4, NOT_PUBLIC_V4)
      judge(textOf4(value), expected4(value))
    }
    for (let i = 0; i < 50_000; i++) {
      const value = sample(V6, [...NOT_PUBLIC_V6, UNICAST_V6, MAPPED_V6])
      judge(textOf6(value), expected6(value))
    }
    expect(wrong.slice(0, 10)).toEqual([])
  })

  test.each([
    '0.0.0.0',
    '100.100.100.200',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.9',
    '192.0.0.192',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '::2',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::7f00:1',
    '100::1',
    '100:0:0:1::1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:1::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::',
    '2620:4f:8000::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '8000::1',
    'fc00::1',
    'fd00:ec2::254',
    'fd7a:115c:a1e0::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('%s is refused', (ip) => {
    expect(policyWith().permits(ip)).toBe(false)
  })

  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is allowed', (ip) => {
    expect(policyWith().permits(ip)).toBe(true)
  })

  test.each([
    '',
    'example.com',
    '127.1',
    '2130706433',
    '0x7f.1',
    '08.8.8.8',
    '8.8.8.8.',
    '8.8.8',
    ' 8.8.8.8',
    '2606:4700::1%lo',
  ])('%j is not an address and is refused', (text) => expect(policyWith().permits(text)).toBe(false))
})

describe('networks of this machine', () => {
  const own: Interfaces = () => ({
    eth0: [
      { address: '2a01:4f8:1:2::5', cidr: '2a01:4f8:1:2::5/64' },
      { address: '5.9.1.2', cidr: '5.9.1.2/26' },
      { address: '5.10.1.1', cidr: null },
    ],
    gone: undefined,
    tun0: [{ address: '93.184.216.40', cidr: '93.184.216.40/0' }],
  })

  test.each([
    '2a01:4f8:1:2::5',
    '2a01:4f8:1:2:ffff::9',
    '5.9.1.2',
    '5.9.1.63',
    '::ffff:5.9.1.1',
    '5.10.1.1',
    '93.184.216.40',
  ])('X-06 %s is refused although it is a public address', (ip) => {
    expect(policyWith([], own).permits(ip)).toBe(false)
    expect(policyWith().permits(ip)).toBe(true)
  })

  test.each(['2a01:4f8:1:3::5', '5.9.1.64', '5.10.1.2', '93.184.216.41'])(
    '%s outside those networks is allowed',
    (ip) => {
      expect(policyWith([], own).permits(ip)).toBe(true)
    },
  )

  test('a network joined later is detected within a second, and changes the revision', () => {
    const clock = fakeClock()
    let networks: ReturnType<Interfaces> = {}
    const policy = createAddressPolicy({ clock, trustedRanges: [], interfaces: () => networks })
    const before = policy.revision()
    expect(policy.permits('5.9.1.2')).toBe(true)
    networks = own()
    return clock.advance(1_000).then(() => {
      expect(policy.permits('5.9.1.2')).toBe(false)
      expect(policy.revision()).not.toBe(before)
    })
  })
})

describe('trusted ranges', () => {
  const policy = policyWith(['192.168.7.0/24', 'fd00:7::/64', '198.18.0.0/15'])

  test.each(['192.168.7.1', '::ffff:192.168.7.255', 'fd00:7::1', '198.18.0.77'])('%s inside is allowed', (ip) => {
    expect(policy.permits(ip)).toBe(true)
  })

  test.each(['192.168.8.1', '192.168.6.255', '127.0.0.1', 'fd00:8::1', '64:ff9b::c0a8:701'])(
    '%s outside is refused',
    (ip) => {
      expect(policy.permits(ip)).toBe(false)
    },
  )

  test.each(['0.0.0.0/0', '::/0', '0/0', '::ffff:0.0.0.0/0', '10.0.0.0/33', '10.0.0.0', '10.0.0.0/8/8', '10.0.0.0/+8'])(
    'X-07 %s is not a valid range',
    (range) => {
      expect(parseRange(range)).toBeUndefined()
      expect(() => policyWith([range])).toThrow(/not a CIDR range/)
    },
  )
})

function policyWith(trustedRanges: string[] = [], interfaces: Interfaces = () => ({})) {
  return createAddressPolicy({ clock: fakeClock(), trustedRanges, interfaces })
}
