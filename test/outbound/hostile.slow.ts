import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
} from '../../main/outbound/outbound.ts'
import { createAuthority, selfSigned } from '../support/certificates.ts'
import { startRawServer, type RawServer } from '../support/raw-server.ts'
import { outside, receiverAuthority, startReceiver, type Receiver } from '../support/receiver.ts'
import { slowness } from '../support/loop-stretch.ts'

/** A second on a quiet machine. What it must be told from is the deadline of ten seconds. */
const PROMPT_MS = 5_000

const URL_ = 'https://receiver.example/hook'
let closing: (() => Promise<void>)[]

beforeEach(() => {
  closing = []
})

afterEach(async () => {
  for (const close of closing.toReversed()) await close()
})

async function raw(...given: Parameters<typeof startRawServer>): Promise<{ server: RawServer; outbound: Outbound }> {
  const server = await startRawServer(...given)
  const outbound = createOutbound({ clock: systemClock, trustedRanges: [], ...server.outside })
  closing.push(server.close, outbound.close)
  return { server, outbound }
}

async function normal(): Promise<{ receiver: Receiver; outbound: Outbound }> {
  const receiver = await startReceiver()
  const outbound = createOutbound({ clock: systemClock, trustedRanges: [], ...outside(receiver) })
  closing.push(receiver.close, outbound.close)
  return { receiver, outbound }
}

const post = (more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: URL_,
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"a":1}'),
  from: { accountId: 'account' as AccountId },
  ...more,
})

async function timed(answer: Promise<OutboundAnswer>): Promise<{ answer: OutboundAnswer; ms: number }> {
  const startedMs = performance.now()
  return { answer: await answer, ms: performance.now() - startedMs }
}

const whole = (head: string) => `HTTP/1.1 ${head}\r\nconnection: close\r\n\r\n`
/** Once the request has been read. */
const onRequest = (speak: (socket: Socket) => void) => (socket: Socket) => void socket.once('data', () => speak(socket))

describe('a receiver that cannot be reached', () => {
  test('a refused connection is a connect failure', async () => {
    const { server, outbound } = await raw(() => {})
    await server.close()
    expect(await outbound.request(post())).toMatchObject({ stage: 'connect', code: 'ECONNREFUSED', sent: false })
  })

  test('an unknown name is a DNS failure', async () => {
    const { outbound } = await normal()
    const answer = await outbound.request(post({ url: 'https://nobody.example/' }))
    expect(answer).toMatchObject({ stage: 'dns', code: 'ENOTFOUND', sent: false })
  })

  test('a name whose lookup hangs is a DNS failure', async () => {
    const outbound = createOutbound({ clock: systemClock, trustedRanges: [], resolve: () => new Promise(() => {}) })
    const { answer, ms } = await timed(outbound.request(post({ connectTimeoutMs: 100 })))
    expect(answer).toMatchObject({ stage: 'dns', code: 'ETIMEOUT', sent: false })
    expect(ms / slowness()).toBeLessThan(2_000)
  })

  test('H-05 a reset in the middle of the handshake is a connect failure', async () => {
    const { outbound } = await raw(
      onRequest((socket) => socket.resetAndDestroy()),
      { layer: 'tcp' },
    )
    expect(await outbound.request(post())).toMatchObject({ stage: 'connect', code: 'ECONNRESET', sent: false })
  })

  test('the second address is tried when the first refuses', async () => {
    const { receiver } = await normal()
    const outbound = createOutbound({
      clock: systemClock,
      trustedRanges: [],
      resolve: async () => ['93.184.216.1', receiver.address],
      dial: outside(receiver).dial,
    })
    closing.push(outbound.close)
    expect(await outbound.request(post())).toMatchObject({ kind: 'response', status: 200, remoteIp: receiver.address })
  })
})

describe('H-07 the certificate of a receiver', () => {
  const yesterday = { from: new Date(Date.now() - 9e8), to: new Date(Date.now() - 9e7) }
  const identities = {
    'of an unknown authority': () => createAuthority('Stranger').issue(['receiver.example']),
    'that has expired': () => receiverAuthority().issue(['receiver.example'], yesterday),
    'of another name': () => receiverAuthority().issue(['other.example']),
    'signed by itself': () => selfSigned(['receiver.example']),
  }

  describe.each(Object.entries(identities))('%s', (_, identity) => {
    test.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'is refused over %s, also on later connections, when a session could be resumed',
      async (version) => {
        let heard = 0
        const { server, outbound } = await raw((socket) => socket.on('data', () => heard++), {
          tls: { ...identity(), minVersion: version, maxVersion: version },
        })
        for (let i = 0; i < 3; i++) {
          expect(await outbound.request(post())).toMatchObject({ kind: 'failure', stage: 'tls', sent: false })
        }
        expect(server.connections).toBe(3)
        expect(heard).toBe(0)
      },
    )
  })

  test('is matched by its IP addresses when the URL has a literal address', async () => {
    const { outbound } = await raw(
      onRequest((socket) => socket.end(whole('200 OK'))),
      {
        tls: receiverAuthority().issue(['receiver.example', '93.184.216.34']),
      },
    )
    expect(await outbound.request(post({ url: 'https://93.184.216.34/' }))).toMatchObject({
      kind: 'response',
      status: 200,
    })
    expect(await outbound.request(post({ url: 'https://93.184.216.35/' }))).toMatchObject({ stage: 'tls' })
  })

  test('H-07 TLS 1.1 is refused', async () => {
    const { outbound } = await raw(() => {}, {
      tls: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    })
    expect(await outbound.request(post())).toMatchObject({ stage: 'tls', sent: false })
  })

  test('a server without TLS gets no request', async () => {
    let heard = ''
    const { outbound } = await raw(
      (socket) =>
        socket.on('data', (data) => {
          heard += data.toString('latin1')
          socket.end(whole('200 OK'))
        }),
      { layer: 'tcp' },
    )
    expect(await outbound.request(post())).toMatchObject({ stage: 'tls', sent: false })
    expect(heard).not.toContain('POST')
  })
})

describe('a receiver that does not answer', () => {
  const limit = { headersTimeoutMs: 800 }

  test.each<[string, (socket: Socket) => NodeJS.Timeout]>([
    ['drips header bytes', (socket) => setInterval(() => socket.write('x'), 20)],
    [
      // Fewer than the limit for 1xx responses.
      'sends a 103 again and again',
      (socket) => setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), 40),
    ],
  ])('H-02 but %s is stopped by the total limit', async (kind, drip) => {
    const { server, outbound } = await raw(
      onRequest((socket) => {
        if (kind.includes('header')) socket.write('HTTP/1.1 200 OK\r\nx: ')
        const timer = drip(socket)
        socket.on('close', () => clearInterval(timer))
      }),
    )
    const { answer, ms } = await timed(outbound.request(post(limit)))
    expect(answer).toMatchObject({ stage: 'timeout', code: 'headers_timeout', sent: true })
    expect(ms).toBeGreaterThan(790)
    expect(ms / slowness()).toBeLessThan(2_000)
    await expect.poll(() => server.open).toBe(0)
  })

  test('H-05 and resets the connection after the request is a protocol error', async () => {
    const { receiver, outbound } = await normal()
    receiver.answer({ reset: true })
    expect(await outbound.request(post())).toMatchObject({ stage: 'protocol', code: 'ECONNRESET', sent: true })
  })

  test('H-05 and closes the connection after the request is a protocol error', async () => {
    const { outbound } = await raw(onRequest((socket) => socket.end()))
    expect(await outbound.request(post())).toMatchObject({ stage: 'protocol', sent: true })
  })

  test.each([
    ['HTTP/0.9', '<html>hello</html>'],
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['an unasked upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['100 Continue for ever', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['contradicting lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a header of 100 kB', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['many small headers', `HTTP/1.1 200 OK\r\n${'x: aaaaaaaa\r\n'.repeat(5_000)}\r\n`],
  ])('H-04 but sends %s is a protocol error', async (_, text) => {
    const { outbound } = await raw(onRequest((socket) => socket.write(text)))
    expect(await outbound.request(post({ headersTimeoutMs: 1_500 }))).toMatchObject({ stage: 'protocol', sent: true })
  })

  test('gets nothing sent later if connecting used up the whole time', async () => {
    const { receiver } = await normal()
    const proxied: Socket[] = []
    // A way to the receiver that opens late.
    const { server } = await raw(
      (socket) => {
        proxied.push(socket)
        socket.pause()
        setTimeout(() => {
          const onward = connect(receiver.port, '127.0.0.1')
          onward.on('error', () => {})
          socket.pipe(onward).pipe(socket)
        }, 200)
      },
      { layer: 'tcp' },
    )
    const outbound = createOutbound({ clock: systemClock, trustedRanges: [], ...server.outside })
    closing.push(outbound.close)
    expect(await outbound.request(post({ headersTimeoutMs: 100 }))).toMatchObject({
      stage: 'timeout',
      code: 'headers_timeout',
      sent: false,
    })
    await systemClock.sleep(500)
    expect(proxied).toHaveLength(1)
    expect(receiver.received).toHaveLength(0)
  })

  test('has its request aborted when the caller cancels', async () => {
    const { receiver, outbound } = await normal()
    receiver.answer({ hang: true })
    const abort = new AbortController()
    const answer = outbound.request(post({ signal: abort.signal }))
    await receiver.waitFor(1)
    abort.abort()
    expect(await answer).toMatchObject({ stage: 'protocol', code: 'aborted', sent: true })
    expect(await outbound.request(post({ signal: abort.signal }))).toMatchObject({ code: 'aborted', sent: false })
    expect(receiver.received).toHaveLength(1)
  })

  test('has its request aborted when the service closes', async () => {
    const { receiver, outbound } = await normal()
    receiver.answer({ hang: true })
    const answer = outbound.request(post())
    await receiver.waitFor(1)
    await outbound.close()
    expect(await answer).toMatchObject({ code: 'aborted' })
    expect(await outbound.request(post())).toMatchObject({ code: 'aborted', sent: false })
  })
})

describe('an answer', () => {
  test('whose body is cut off is still an answer', async () => {
    const { outbound } = await raw(
      onRequest((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc', () => socket.destroy())
      }),
    )
    const answer = await outbound.request(post())
    expect(answer).toMatchObject({ kind: 'response', status: 200, truncated: true })
    expect(answer.kind === 'response' && answer.body.toString()).toBe('abc')
  })

  test('H-03 that never ends, 20 in parallel: each is done within a second and memory stays flat', async () => {
    const { outbound } = await raw(
      onRequest((socket) => {
        const block = Buffer.alloc(1024 * 1024, 'a')
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n')
        const pour = () => {
          while (!socket.destroyed && socket.write(block));
        }
        socket.on('drain', pour)
        pour()
      }),
    )
    const before = process.memoryUsage.rss()
    const all = await Promise.all(Array.from({ length: 20 }, () => timed(outbound.request(post()))))
    for (const { answer, ms } of all) {
      expect(answer).toMatchObject({ kind: 'response', status: 200, truncated: true })
      expect(answer.kind === 'response' && answer.body.length).toBe(16 * 1024)
      expect(ms / slowness()).toBeLessThan(PROMPT_MS)
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
  })

  test('H-04 that is compressed is passed on unchanged', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    const { receiver, outbound } = await normal()
    receiver.answer({ headers: { 'content-encoding': 'gzip' }, body: bomb })
    const answer = await outbound.request(post())
    expect(answer).toMatchObject({ kind: 'response', status: 200, truncated: true })
    expect(answer.kind === 'response' && answer.body.equals(bomb.subarray(0, 16 * 1024))).toBe(true)
    expect(receiver.received[0]?.headers['accept-encoding']).toBeUndefined()
  })

  test('H-04 may have any status', async () => {
    for (const status of [200, 204, 304, 404, 410, 500, 599, 600, 999]) {
      const { outbound } = await raw(onRequest((socket) => socket.end(whole(`${status} Strange`))))
      expect(await outbound.request(post())).toMatchObject({ kind: 'response', status })
    }
  })

  test('after early hints is the final response', async () => {
    const { outbound } = await raw(
      onRequest((socket) => {
        socket.end(`HTTP/1.1 103 Early Hints\r\n\r\n${whole('201 Created')}`)
      }),
    )
    expect(await outbound.request(post())).toMatchObject({ kind: 'response', status: 201 })
  })

  test('may be as long as the caller allows, to the byte', async () => {
    const { receiver, outbound } = await normal()
    receiver.answer({ body: Buffer.alloc(300_000, 7) })
    const exact = await outbound.request(post({ maxBodyBytes: 300_000 }))
    expect(exact).toMatchObject({ kind: 'response', truncated: false })
    expect(exact.kind === 'response' && exact.body.equals(Buffer.alloc(300_000, 7))).toBe(true)
    expect(await outbound.request(post({ maxBodyBytes: 299_999 }))).toMatchObject({ kind: 'response', truncated: true })
  })

  test('with the same header twice returns both values', async () => {
    const { outbound } = await raw(
      onRequest((socket) => socket.end(whole('200 OK\r\nRetry-After: 5\r\nX-A: 1\r\nx-a: 2'))),
    )
    expect(await outbound.request(post())).toMatchObject({ headers: { 'retry-after': '5', 'x-a': '1, 2' } })
  })
})

describe('the request', () => {
  test('arrives with exactly the given bytes and headers', async () => {
    const { receiver, outbound } = await normal()
    const body = Buffer.from('{"text":"naïve ☃"}')
    await outbound.request(
      post({ url: 'https://receiver.example/a/b?c=%20d', body, headers: { 'x-service-attempt': '1' } }),
    )
    const [taken] = await receiver.waitFor(1)
    expect(taken).toMatchObject({ method: 'POST', path: '/a/b?c=%20d' })
    expect(taken?.body.equals(body)).toBe(true)
    expect(taken?.headers).toEqual({
      host: 'receiver.example',
      connection: 'keep-alive',
      'content-length': String(body.length),
      'x-service-attempt': '1',
    })
  })

  test('with a header that HTTP does not allow is refused before it is sent', async () => {
    const { receiver, outbound } = await normal()
    expect(await outbound.request(post({ headers: { 'x-a': 'one\r\nx-b: two' } }))).toMatchObject({
      kind: 'failure',
      sent: false,
    })
    expect(await outbound.request(post())).toMatchObject({ kind: 'response' })
    expect(receiver.received).toHaveLength(1)
  })

  test('reuses a kept-alive connection, one request at a time', async () => {
    const { receiver, outbound } = await normal()
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 8 }, () => outbound.request(post())))
    }
    expect(receiver.received).toHaveLength(80)
    expect(receiver.connections).toBe(8)
  })

  test('keeps using kept-alive connections after some broke', async () => {
    const { receiver, outbound } = await normal()
    receiver.answer((_, nth) => (nth % 10 === 0 ? { reset: true } : {}))
    await Promise.all(Array.from({ length: 8 }, () => outbound.request(post())))
    for (let i = 0; i < 192; i++) await outbound.request(post())
    expect(receiver.received).toHaveLength(200)
    expect(receiver.connections).toBeLessThanOrEqual(8 + 20)
  })

  test('is not delayed by a hanging receiver on the same host', async () => {
    const { receiver, outbound } = await normal()
    receiver.answer(({ path }) => (path === '/dead' ? { hang: true } : {}))
    const dead = Array.from({ length: 64 }, () =>
      outbound.request(post({ url: 'https://receiver.example/dead', headersTimeoutMs: 3_000 })),
    )
    const { ms } = await timed(outbound.request(post()))
    expect(ms / slowness()).toBeLessThan(2_500)
    expect(await Promise.all(dead)).toHaveLength(64)
  })

  test('H-09 is never sent twice when the receiver closes kept-alive connections as they are reused', async () => {
    let requests = 0
    const { outbound } = await raw((socket) => {
      socket.on('data', () => {
        requests++
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        setTimeout(() => socket.destroy(), requests % 3)
      })
    })
    let answered = 0
    let failed = 0
    for (let i = 0; i < 1_000; i++) {
      const answer = await outbound.request(post())
      if (answer.kind === 'response') answered++
      else failed++
      if (i % 2 === 0) await systemClock.sleep(i % 3)
    }
    expect(answered + failed).toBe(1_000)
    expect(requests).toBeLessThanOrEqual(1_000)
    expect(requests).toBeGreaterThanOrEqual(answered)
  })
})

describe('the step before the first byte', () => {
  test('runs on an open connection, and nothing is sent before it ends', async () => {
    const order: string[] = []
    const { outbound } = await raw((socket) =>
      socket.once('data', (bytes) => {
        order.push(`read ${bytes.toString().split('\r\n').at(-1)}`)
        socket.end(whole('200 OK'))
      }),
    )
    const beforeFirstByte = async () => {
      await new Promise((done) => setTimeout(done, 100))
      order.push('done')
    }
    expect(await outbound.request(post({ beforeFirstByte }))).toMatchObject({ kind: 'response', status: 200 })
    expect(order).toEqual(['done', 'read {"a":1}'])
  })

  test('sends nothing if it fails, and reports that for certain', async () => {
    const read: Buffer[] = []
    const { outbound } = await raw((socket) => void socket.on('data', (bytes) => read.push(bytes)))
    const beforeFirstByte = () => Promise.reject(new Error('disk full'))
    expect(await outbound.request(post({ beforeFirstByte }))).toMatchObject({ kind: 'failure', sent: false })
    expect(read).toEqual([])
  })

  test('sends nothing if it takes longer than the time limit of the request', async () => {
    const read: Buffer[] = []
    const { outbound } = await raw((socket) => void socket.on('data', (bytes) => read.push(bytes)))
    const late = Promise.withResolvers<undefined>()
    const asked = post({
      beforeFirstByte: async () => {
        await late.promise
      },
      headersTimeoutMs: 300,
    })
    expect(await outbound.request(asked)).toMatchObject({ stage: 'timeout', sent: false })
    late.resolve(undefined)
    await new Promise((done) => setTimeout(done, 50))
    expect(read).toEqual([])
  })

  test('does not start without a connection', async () => {
    const { server, outbound } = await raw(() => {})
    await server.close()
    let begun = 0
    const beforeFirstByte = async () => {
      begun++
    }
    expect(await outbound.request(post({ beforeFirstByte }))).toMatchObject({ stage: 'connect', sent: false })
    expect(begun).toBe(0)
  })
})
