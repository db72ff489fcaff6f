import { execFile } from 'node:child_process'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createOutbound, type Outbound, type OutboundDeps, type OutboundRequest } from '../../main/outbound/outbound.ts'
import { outside, receiverAuthority, startReceiver, type Receiver, type ReceiverOptions } from '../support/receiver.ts'

const from = { accountId: 'account' as AccountId }
const PUBLIC_IP = '93.184.216.34'

let closing: (() => unknown)[]
let trapped: number
let trapPort: number

/** A listener on loopback that must never hear anything. */
beforeEach(async () => {
  trapped = 0
  const trap: Server = createServer((socket) => {
    trapped++
    socket.destroy()
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  trapPort = (trap.address() as AddressInfo).port
  closing = [() => trap.close()]
})

afterEach(async () => {
  for (const close of closing.toReversed()) await close()
})

function open(needs: Partial<OutboundDeps> & Pick<OutboundDeps, 'resolve'>): Outbound {
  const outbound = createOutbound({ clock: systemClock, trustedRanges: [], ...needs })
  closing.push(() => outbound.close())
  return outbound
}

async function receive(options?: ReceiverOptions): Promise<Receiver> {
  const receiver = await startReceiver(options)
  closing.push(() => receiver.close())
  return receiver
}

const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
  from,
  ...more,
})

const BLOCKED = { kind: 'failure', stage: 'blocked', code: 'address_not_public', sent: false }

describe('X-02 the address check at connect time', () => {
  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fd00:ec2::254',
    '0.0.0.0',
    '169.254.169.254',
  ])('a name that was public when stored and now resolves to %s is blocked', async (now) => {
    let addresses = [PUBLIC_IP]
    const outbound = open({ resolve: async () => addresses })
    const url = `https://receiver.example:${trapPort}/`
    await outbound.checkUrl(url, { schemes: ['https'], field: 'url' })
    addresses = [now]
    outbound.reset()
    expect(await outbound.request(post(url))).toMatchObject(BLOCKED)
    expect(trapped).toBe(0)
  })

  test.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433'])('the literal %s is blocked', async (host) => {
    const outbound = open({ resolve: () => Promise.reject(new Error('nothing is resolved for a literal')) })
    expect(await outbound.request(post(`https://${host}:${trapPort}/`))).toMatchObject(BLOCKED)
    expect(trapped).toBe(0)
  })

  test('localhost is blocked by its name', async () => {
    const outbound = open({ resolve: async () => [PUBLIC_IP] })
    const answer = await outbound.request(post(`https://localhost:${trapPort}/`))
    expect(answer).toMatchObject({ kind: 'failure', stage: 'blocked', code: 'invalid_url', sent: false })
  })

  test.each([
    [['127.0.0.1', PUBLIC_IP]],
    [[PUBLIC_IP, '127.0.0.1']],
    [[PUBLIC_IP, '::1']],
    [[PUBLIC_IP, PUBLIC_IP, PUBLIC_IP, PUBLIC_IP, PUBLIC_IP, '10.0.0.1']],
  ])('one forbidden address among %j blocks the name', async (addresses) => {
    const receiver = await receive()
    const outbound = open({ ...outside(receiver), resolve: async () => addresses })
    expect(await outbound.request(post(receiver.url()))).toMatchObject(BLOCKED)
    expect(receiver.connections).toBe(0)
  })

  test('X-03 a name whose addresses change with every lookup never leads to the trap, in 1,000 sends', async () => {
    const receiver = await receive()
    let lookups = 0
    const outbound = open({
      resolve: async () => (lookups++ % 2 === 0 ? [PUBLIC_IP] : ['127.0.0.1']),
      // What the guard let through to loopback would really get there.
      dial: (address, port) =>
        address === PUBLIC_IP ? { address: '127.0.0.1', port: receiver.port } : { address, port },
    })
    const kinds = { response: 0, failure: 0 }
    for (let i = 0; i < 1_000; i++) {
      outbound.reset()
      const answer = await outbound.request(post(`https://receiver.example:${trapPort}/`))
      kinds[answer.kind]++
      if (answer.kind === 'failure') expect(answer).toMatchObject(BLOCKED)
    }
    expect(kinds).toEqual({ response: 500, failure: 500 })
    expect(lookups).toBe(1_000)
    expect(trapped).toBe(0)
  })

  test('connects to exactly the address that was checked', async () => {
    const dialled: string[] = []
    const receiver = await receive()
    const outbound = open({
      resolve: async () => [PUBLIC_IP],
      dial(address) {
        dialled.push(address)
        return { address: '127.0.0.1', port: receiver.port }
      },
    })
    const answer = await outbound.request(post(receiver.url()))
    expect(answer).toMatchObject({ kind: 'response', status: 200, remoteIp: PUBLIC_IP })
    expect(dialled).toEqual([PUBLIC_IP])
  })

  test('a kept-alive connection is checked again when the networks of this machine change', async () => {
    const receiver = await receive()
    let networks: Record<string, { address: string; cidr: string }[]> = {}
    const outbound = open({ ...outside(receiver), interfaces: () => networks })
    expect(await outbound.request(post(receiver.url()))).toMatchObject({ kind: 'response' })
    networks = { eth0: [{ address: '93.184.216.1', cidr: '93.184.216.1/24' }] }
    await systemClock.sleep(1_050)
    expect(await outbound.request(post(receiver.url()))).toMatchObject(BLOCKED)
    expect(receiver.received).toHaveLength(1)
  })

  test('X-06 the addresses and networks of this very machine are blocked', async () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    for (const { address } of own) {
      const outbound = open({ resolve: async () => [address] })
      expect(await outbound.request(post(`https://receiver.example:${trapPort}/`))).toMatchObject(BLOCKED)
    }
    expect(own.length).toBeGreaterThan(0)
  })

  test('an error never reveals the address of an internal name', async () => {
    const outbound = open({ resolve: async () => ['10.20.30.40'] })
    expect(JSON.stringify(await outbound.request(post('https://intranet.example/')))).not.toContain('10.20')
  })
})

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('H-06 %i is a normal answer and is not followed', async (status) => {
    const receiver = await receive()
    const outbound = open(outside(receiver))
    for (const location of [
      `http://127.0.0.1:${trapPort}/`,
      'http://169.254.169.254/latest/meta-data',
      receiver.url(),
    ]) {
      receiver.answer({ status, headers: { location } })
      expect(await outbound.request(post(receiver.url()))).toMatchObject({
        kind: 'response',
        status,
        headers: { location },
      })
    }
    expect(receiver.received).toHaveLength(3)
    expect(trapped).toBe(0)
  })
})

describe('trusted ranges', () => {
  test('X-08 only the https receiver inside the range is reached', async () => {
    const inside = await receive({ name: '127.0.0.1', address: '127.0.0.1' })
    const plain = await receive({ name: '127.0.0.1', address: '127.0.0.1', plain: true })
    const resolve = async (host: string) => (host === 'mixed.example' ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.1'])
    const outbound = open({ resolve, trustedRanges: ['192.168.7.0/24', '127.0.0.1/32'] })

    expect(await outbound.request(post(`https://127.0.0.1:${inside.port}/`))).toMatchObject({
      kind: 'response',
      status: 200,
    })
    for (const host of ['127.0.0.2', '[::1]', 'mixed.example', '192.168.8.1']) {
      expect(await outbound.request(post(`https://${host}:${inside.port}/`))).toMatchObject(BLOCKED)
    }
    await expect(
      outbound.checkUrl(`http://127.0.0.1:${plain.port}/`, { schemes: ['https'], field: 'url' }),
    ).rejects.toMatchObject({ code: 'invalid_url' })

    inside.answer({ status: 302, headers: { location: `https://127.0.0.1:${trapPort}/` } })
    expect(await outbound.request(post(`https://127.0.0.1:${inside.port}/`))).toMatchObject({
      kind: 'response',
      status: 302,
    })
    expect(inside.received).toHaveLength(2)
    expect(plain.connections).toBe(0)
    expect(trapped).toBe(0)
  })
})

describe('X-05 proxies in the environment', () => {
  test('are ignored', async () => {
    const receiver = await receive()
    const script = `
      import { createOutbound } from '${new URL('../../main/outbound/outbound.ts', import.meta.url).href}'
      import { systemClock } from '${new URL('../../main/kernel/clock.ts', import.meta.url).href}'
      const outbound = createOutbound({
        clock: systemClock, trustedRanges: [], authorities: [process.env.AUTHORITY],
        resolve: async () => ['${PUBLIC_IP}'], dial: () => ({ address: '127.0.0.1', port: ${receiver.port} }),
      })
      const answer = await outbound.request({ url: '${receiver.url()}', method: 'POST', headers: {}, from: { accountId: 'a' } })
      console.log(JSON.stringify(answer))
      process.exit()`
    const proxy = `http://127.0.0.1:${trapPort}`
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const proxies = Object.fromEntries(names.map((name) => [name, proxy]))
    const env = { ...process.env, ...proxies, NODE_USE_ENV_PROXY: '1', AUTHORITY: receiverAuthority().cert }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'response', status: 200 })
    expect(receiver.received).toHaveLength(1)
    expect(trapped).toBe(0)
  })
})
