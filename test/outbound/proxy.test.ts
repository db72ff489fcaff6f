import { get } from 'node:https'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { createOutbound, type Outbound } from '../../main/outbound/outbound.ts'
import type { Proxy } from '../../main/outbound/proxy.ts'
import { Secret } from '../../main/kernel/secret.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { startRawServer } from '../support/raw-server.ts'
import { receiverAuthority, startReceiver, type Receiver } from '../support/receiver.ts'

const ACCOUNT = { accountId: '0197f0c2-0000-7000-8000-000000000009' as never }
const LOGIN = { username: 'ana', password: 'open sesame' }
const LIMIT_MS = 3_000

let graph: Receiver
const open: { close(): Promise<unknown> }[] = []
beforeAll(async () => {
  graph = await startReceiver({ name: 'graph.example', address: '93.184.216.34' })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
afterAll(() => graph.close())

async function proxyOf(type: Proxy['type'], wish: Partial<Parameters<typeof startProxy>[1]> = {}): Promise<TestProxy> {
  const identity = receiverAuthority().issue(['127.0.0.1', 'proxy.example'])
  const proxy = await startProxy(type, { to: graph.port, identity, ...wish })
  open.push(proxy)
  return proxy
}

function through(
  type: Proxy['type'],
  port: number,
  more: Partial<Proxy> = {},
  trustedRanges = ['127.0.0.1/32'],
): Outbound {
  const outbound = createOutbound({
    ...{ clock: systemClock, trustedRanges, only: () => ['https://graph.example'] },
    // No destination is resolved here, only a proxy.
    resolve: async (host) => [host === 'proxy.example' ? '127.0.0.1' : '93.184.216.34'],
    proxy: { type, host: '127.0.0.1', port, credentials: null, ...more },
  })
  open.push(outbound)
  return outbound
}

const credentials = (password = LOGIN.password) => ({
  username: new Secret(LOGIN.username),
  password: new Secret(password),
})
const ask = (outbound: Outbound) =>
  outbound.request({ url: 'https://graph.example/v26.0/me', method: 'GET', headers: {}, from: ACCOUNT })

test.each(['http', 'https', 'socks5'] as const)(
  'requests and sockets go through a proxy of type %s, by host name',
  async (type) => {
    for (const login of [undefined, LOGIN]) {
      const proxy = await proxyOf(type, login && { login })
      const outbound = through(type, proxy.port, { host: 'proxy.example', credentials: login ? credentials() : null })
      expect(await ask(outbound)).toMatchObject({ kind: 'response', status: 200 })
      const status = await new Promise((resolve, reject) => {
        const agent = outbound.agent(LIMIT_MS)
        get('https://graph.example/', { agent }, (answer) => resolve(answer.resume().statusCode)).on('error', reject)
      })
      expect(status).toBe(200)
      await outbound.probe('https://graph.example', LIMIT_MS)
      expect(proxy.carried).toEqual(Array.from({ length: 3 }, () => 'graph.example:443'))
    }
  },
)

test.each(['http', 'socks5'] as const)('the reason for a refusal by a proxy of type %s is reported', async (type) => {
  const strict = await proxyOf(type, { login: LOGIN })
  const denying = await proxyOf(type, { denies: true })
  const probe = (port: number, more: Partial<Proxy> = {}) =>
    through(type, port, more).probe('https://graph.example', LIMIT_MS)
  const login = {
    stage: 'connect',
    reason: 'proxy_login',
    message: 'The proxy 127.0.0.1 refused the user name or password.',
  }
  await expect(probe(strict.port)).rejects.toMatchObject(login)
  await expect(probe(strict.port, { credentials: credentials('wrong') })).rejects.toMatchObject(login)
  await expect(probe(denying.port)).rejects.toMatchObject({ reason: 'proxy_denied' })
  const other = await proxyOf(type === 'http' ? 'socks5' : 'http')
  await expect(probe(other.port)).rejects.toMatchObject({ reason: 'proxy_protocol' })
  strict.down()
  await expect(probe(strict.port)).rejects.toMatchObject({ stage: 'connect', reason: 'ECONNRESET' })
})

test('a proxy that answers byte by byte delays nothing else, and is given up in time', async () => {
  const slow = await startRawServer(
    (socket) => {
      const bytes = [5, 0, 5, 0, 0, 1, ...Array<number>(200).fill(0)]
      const drip = setInterval(() => socket.write(Buffer.from([bytes.shift() ?? 0])), 500)
      socket.once('close', () => clearInterval(drip))
    },
    { layer: 'tcp' },
  )
  open.push(slow)
  const asked = through('socks5', slow.port).probe('https://graph.example', LIMIT_MS)
  const ended = asked.then(
    () => 'connected',
    (error: unknown) => (error as { stage: string }).stage,
  )
  let turns = 0
  const ticks = setInterval(() => turns++, 10)
  expect(await ended).toBe('timeout')
  clearInterval(ticks)
  expect(turns).toBeGreaterThan(20)
  await expect.poll(() => slow.open).toBe(0)
})

test.each([
  ['another version of SOCKS', [5, 0, 4, 0, 0, 1]],
  ['an address of a type that does not exist', [5, 0, 5, 0, 0, 9]],
])('an answer with %s is a proxy_protocol error', async (_, bytes) => {
  const odd = await startRawServer((socket) => socket.write(Buffer.from(bytes)), { layer: 'tcp' })
  open.push(odd)
  await expect(through('socks5', odd.port).probe('https://graph.example', LIMIT_MS)).rejects.toMatchObject({
    ...{ stage: 'connect', reason: 'proxy_protocol' },
  })
})

test.each(['http', 'https', 'socks5'] as const)(
  'the connection to a proxy of type %s that refuses is closed, even if the proxy keeps it open',
  async (type) => {
    const refusal = type === 'socks5' ? Buffer.from([5, 0xff]) : 'HTTP/1.1 403 Forbidden\r\ncontent-length: 9\r\n\r\n'
    const tls = type === 'https' ? receiverAuthority().issue(['127.0.0.1', 'proxy.example']) : {}
    const denying = await startRawServer((socket) => void socket.once('data', () => socket.write(refusal)), {
      ...{ layer: type === 'https' ? 'tls' : 'tcp', tls },
    })
    open.push(denying)
    const outbound = through(type, denying.port, { host: 'proxy.example' })
    for (let i = 0; i < 5; i++)
      await expect(outbound.probe('https://graph.example', LIMIT_MS)).rejects.toMatchObject({ stage: 'connect' })
    expect(denying.connections).toBe(5)
    await expect.poll(() => denying.open).toBe(0)
  },
)

test('a proxy at a private address is refused unless its range is trusted, and gives no access to other hosts', async () => {
  const proxy = await proxyOf('socks5')
  await expect(through('socks5', proxy.port, {}, []).probe('https://graph.example', LIMIT_MS)).rejects.toMatchObject({
    ...{ stage: 'blocked', reason: 'address_not_public' },
  })
  const outbound = through('socks5', proxy.port)
  const other = { url: 'https://other.example/', method: 'GET', headers: {}, from: ACCOUNT } as const
  expect(await outbound.request(other)).toMatchObject({ kind: 'failure', code: 'not_listed' })
  const agent = outbound.agent(LIMIT_MS)
  const failed = new Promise((resolve) => get('https://other.example/', { agent }).on('error', resolve))
  expect(await failed).toMatchObject({ stage: 'blocked' })
  expect(proxy.carried).toEqual([])
})
