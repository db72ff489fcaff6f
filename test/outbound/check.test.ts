import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { createOutbound, type Outbound, type OutboundDeps } from '../../main/outbound/outbound.ts'
import { fakeClock, type FakeClock } from '../support/clock.ts'

let clock: FakeClock
let asked: string[]
let dialled: string[]
let outbound: Outbound

/** Names resolve as `zone` says; all others are unknown. */
let zone: Record<string, string[]>

beforeEach(() => {
  clock = fakeClock()
  asked = []
  dialled = []
  zone = { 'receiver.example': ['93.184.216.34'] }
  outbound = outboundWith()
})

afterEach(() => outbound.close())

function outboundWith(more: Partial<OutboundDeps> = {}): Outbound {
  return createOutbound({
    clock,
    trustedRanges: [],
    interfaces: () => ({}),
    async resolve(host) {
      asked.push(host)
      const found = zone[host]
      if (found) return found
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    },
    dial(address, port) {
      dialled.push(address)
      return { address, port }
    },
    ...more,
  })
}

const check = (url: string) => outbound.checkUrl(url, { schemes: ['https'], field: 'url' })

async function refusal(url: string): Promise<string> {
  try {
    await check(url)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_url') return error.message
    throw error
  }
  throw new Error(`${url} was accepted`)
}

const NOT_PUBLIC = [
  // What the URL parser turns into an address of this machine or of "this host".
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '0',
  '127.0.0.1',
  '[::1]',
  // Forbidden IPv4.
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.9',
  '192.0.0.192',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  // Forbidden IPv6.
  '[::]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::2]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::808:808]',
  '[64:ff9b:1::7f00:1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:1::1]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[2002:808:808::]',
  '[2620:4f:8000::1]',
  '[3fff::1]',
  '[4000::1]',
  '[5f00::1]',
  '[8000::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fd7a:115c:a1e0::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
]
const UNREADABLE = ['.', '[fe80::1%25eth0]', '[::1%lo]', 'exa mple.com', '1.2.3.4.5', '256.1.1.1', '', '[::1', 'a:b']
const THIS_MACHINE = ['localhost', 'localhost.', 'LOCALHOST', 'api.localhost', 'ｌocalhost', 'x.y.LocalHost.']
const NAMES = [
  'foo_bar.com',
  '-.com',
  'a..b',
  'xn--bcher-kva.example',
  'example.com\\@127.0.0.1',
  'localhost.example',
  'notlocalhost',
]
const PUBLIC = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '[2606:4700::1111]', '[::ffff:8.8.8.8]']

describe('a URL to be stored', () => {
  test.each(NOT_PUBLIC)('X-01 https://%s/ is refused as not public, without a lookup or a packet', async (host) => {
    expect(await refusal(`https://${host}/hook`)).toBe(
      'url does not lead to a public address. Use a public one, or add its range to egress.trusted_ranges in settings.json.',
    )
    expect(await refusal(`https://${host}:8443/hook?x=1`)).toContain('public address')
    expect(asked).toEqual([])
    expect(dialled).toEqual([])
  })

  test.each(UNREADABLE)('X-01 https://%s/ is refused as invalid', async (host) => {
    expect(await refusal(`https://${host}/`)).toMatch(/not a valid URL/)
  })

  test.each(THIS_MACHINE)('X-01 https://%s/ is refused by its name', async (host) => {
    expect(await refusal(`https://${host}/`)).toMatch(/this machine/)
    expect(asked).toEqual([])
  })

  test.each<[string, RegExp]>([
    ['https://user:pw@10.0.0.1/', /user name or password/],
    ['https://user@receiver.example/', /user name or password/],
    ['https://receiver.example:22/', /port 22/],
    ['https://receiver.example:6667/', /port 6667/],
    ['https://receiver.example#@127.0.0.1', /fragment/],
    ['https://receiver.example/hook#', /fragment/],
    ['https://receiver.example:0/', /port 0/],
    ['https:receiver.example', /must begin with https:\/\//],
    ['https:/receiver.example/', /must begin with https:\/\//],
    ['https:\\\\receiver.example/', /must begin with https:\/\//],
    ['https://receiver.example/a\r\nb', /control character/],
    ['https://receiver.example/\n', /control character/],
    ['https://receiver\t.example/', /control character/],
    ['\u0000https://receiver.example/', /control character/],
    ['http://receiver.example/', /must begin with https:\/\//],
    ['ftp://receiver.example/', /scheme/],
    ['file:///etc/passwd', /scheme/],
    ['javascript:alert(1)', /scheme/],
    ['receiver.example/hook', /not a valid URL/],
    ['//receiver.example/hook', /not a valid URL/],
    [`https://receiver.example/${'a'.repeat(2_048)}`, /longer than 2048/],
  ])('%s is refused for its format', async (url, message) => {
    expect(await refusal(url)).toMatch(message)
    expect(asked).toEqual([])
  })

  test.each(PUBLIC)('https://%s/ is accepted', async (host) => {
    expect((await check(`https://${host}/hook`)).protocol).toBe('https:')
  })

  test('1.2.3 is parsed as 1.2.0.3, which is public', async () => {
    expect((await check('https://1.2.3/')).hostname).toBe('1.2.0.3')
  })

  test.each(NAMES)('https://%s/ is a name, and is judged by the addresses that it resolves to', async (host) => {
    await expect(check(`https://${host}/`)).resolves.toBeInstanceOf(URL)
    const [name = ''] = asked
    zone[name] = ['93.184.216.34', '127.0.0.1']
    outbound.reset()
    expect(await refusal(`https://${host}/`)).toContain('public address')
  })

  test.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['::1'],
    ['93.184.216.34', '192.168.1.1'],
    ['93.184.216.34', 'fd00::1'],
    ['nonsense'],
    ['fe80::1%eth0'],
  ])('a name that resolves to %j is refused', async (...addresses) => {
    zone['receiver.example'] = addresses
    expect(await refusal('https://receiver.example/')).toContain('public address')
  })

  test('a name that does not resolve is accepted, because the machine may be offline', async () => {
    await expect(check('https://unknown.example/')).resolves.toBeInstanceOf(URL)
  })

  test('a name whose lookup hangs is accepted after two seconds', async () => {
    outbound = outboundWith({ resolve: () => new Promise(() => {}) })
    const checked = check('https://slow.example/')
    await clock.advance(2_000)
    await expect(checked).resolves.toBeInstanceOf(URL)
  })

  test.each([
    ['https://RECEIVER.example', 'https://receiver.example/'],
    ['https://receiver.example:443/a/../b?x=1 2', 'https://receiver.example/b?x=1%202'],
    [' HTTPS://receiver.example/ä ', 'https://receiver.example/%C3%A4'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ])('%s is returned in the form that will be requested', async (typed, called) => {
    expect((await check(typed)).href).toBe(called)
  })

  test('the message names the field', async () => {
    const error = outbound.checkUrl('ftp://x', { schemes: ['http', 'https'], field: 'media_url' })
    await expect(error).rejects.toThrow(/^media_url has a scheme/)
  })

  test('http is accepted if the rule allows it', async () => {
    const url = await outbound.checkUrl('http://receiver.example/a.png', {
      schemes: ['http', 'https'],
      field: 'media_url',
    })
    expect(url.href).toBe('http://receiver.example/a.png')
  })
})

describe('a host without a scheme to be stored', () => {
  const checkHost = (host: string) => outbound.checkHost(host, 'host')
  const hostRefusal = (host: string) => checkHost(host).then(String, (error: unknown) => (error as Error).message)
  const isTypeable = (host: string) => /^[[\]\w.:-]+$/.test(host)

  test.each(NOT_PUBLIC.filter(isTypeable))('X-01 %s is refused with the same message as in a URL', async (host) => {
    const sentence = (await refusal(`https://${host}/`)).replace(/^url/, 'host')
    expect(await hostRefusal(host)).toBe(sentence)
    expect(await hostRefusal(host.replaceAll(/[[\]]/g, ''))).toBe(sentence)
    expect(asked).toEqual([])
  })

  test.each(THIS_MACHINE.filter(isTypeable))('X-01 %s is refused with the same message as in a URL', async (host) => {
    expect(await hostRefusal(host)).toBe((await refusal(`https://${host}/`)).replace(/^url/, 'host'))
    expect(asked).toEqual([])
  })

  test.each([...UNREADABLE, 'a/b', 'a@127.0.0.1', 'a?b', 'a#b', 'a\\b', 'sip:a', '[a.example]'])(
    'X-01 %s is refused as not a host',
    async (host) => {
      expect(await hostRefusal(host)).toBe('host is neither a host name nor an IP address.')
      expect(asked).toEqual([])
    },
  )

  test.each([
    ['RECEIVER.example.', 'receiver.example'],
    ['foo_bar.example', 'foo_bar.example'],
    ['8.8.8.8', '8.8.8.8'],
    ['134744072', '8.8.8.8'],
    ['[2606:4700::1111]', '2606:4700::1111'],
    ['2606:4700:0:0::1111', '2606:4700::1111'],
  ])('%s is stored as %s, which is the host to connect to', async (typed, stored) => {
    expect(await checkHost(typed)).toBe(stored)
  })

  test('a name that resolves to a private address, and a sandbox name, are refused', async () => {
    zone['inside.example'] = ['10.0.0.1']
    expect(await hostRefusal('Inside.example.')).toContain('public address')
    expect(await hostRefusal('sip.sandbox')).toContain('the sandbox does not have')
  })
})

describe('trusted ranges', () => {
  beforeEach(() => {
    outbound = outboundWith({ trustedRanges: ['192.168.7.0/24', '127.0.0.1/32'] })
  })

  test.each(['192.168.7.9', '127.0.0.1', '[::ffff:c0a8:709]'])('https://%s/ inside is accepted', async (host) => {
    await expect(check(`https://${host}:8443/`)).resolves.toBeInstanceOf(URL)
  })

  test.each(['192.168.8.9', '127.0.0.2', '10.0.0.1', '[::1]'])('https://%s/ outside is refused', async (host) => {
    expect(await refusal(`https://${host}/`)).toContain('public address')
  })

  test('localhost is still refused by its name', async () => {
    expect(await refusal('https://localhost/')).toMatch(/this machine/)
  })

  test('plain http is still refused', async () => {
    expect(await refusal('http://192.168.7.9/')).toMatch(/must begin with https/)
  })

  test('X-08 a name with one trusted and one private address is refused', async () => {
    zone['lan.example'] = ['192.168.7.9', '192.168.8.9']
    expect(await refusal('https://lan.example/')).toContain('public address')
  })
})
