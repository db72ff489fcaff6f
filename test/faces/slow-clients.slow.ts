import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { world, type World } from '../support/world.ts'
import { slowness } from '../support/loop-stretch.ts'

/** Real seconds: these run beside each other. */
describe.concurrent('clients that send very slowly', () => {
  let w: World
  beforeAll(async () => {
    w = await world()
  })
  afterAll(() => w.close())

  /** Opens sockets that send a beginning and then, every 400 ms, a little more. @returns seconds until each was closed. */
  function drip(count: number, beginning: string, more: string): Promise<{ seconds: number; received: string }[]> {
    const [hostname = '', port] = w.host.split(':')
    const startedAt = performance.now()
    return Promise.all(
      Array.from({ length: count }, () => {
        const socket: Socket = connect(Number(port), hostname)
        let received = ''
        socket.on('data', (chunk) => (received += chunk.toString()))
        socket.on('error', () => {})
        socket.write(beginning)
        const timer = setInterval(() => socket.write(more), 400)
        return new Promise<{ seconds: number; received: string }>((resolve) =>
          socket.once('close', () => {
            clearInterval(timer)
            resolve({ seconds: (performance.now() - startedAt) / 1_000, received })
          }),
        )
      }),
    )
  }

  const HEAD = 'POST /v1/instances HTTP/1.1\r\n'

  test('with slow headers are closed in 11 seconds, with the common error shape', async () => {
    for (const { seconds, received } of await drip(10, HEAD, 'X-Drip: y\r\n')) {
      expect(seconds).toBeLessThan(11)
      expect(received).toMatch(/^HTTP\/1\.1 400 /)
      expect(received).toContain('"code":"validation_error"')
      expect(received).toMatch(/x-request-id: req_/)
    }
  })

  test('with a slow body are closed in 18 seconds, and nothing is created', async () => {
    const beginning = `${HEAD}Host: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`
    for (const { seconds } of await drip(10, beginning, ' ')) expect(seconds).toBeLessThan(18)
    expect((await w.api('GET', '/v1/instances')).body.count).toBe(0)
  })

  test('with a slow chunked body are closed in 18 seconds', async () => {
    const beginning = `${HEAD}Host: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`
    for (const { seconds } of await drip(5, beginning, '1\r\n \r\n')) expect(seconds).toBeLessThan(18)
  })

  const FILE = `POST /v1/media HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer KEY\r\nContent-Type: text/csv\r\nContent-Length: `
  const fileHead = (length: number) => `${FILE.replace('HOST', w.host).replace('KEY', w.allScopes)}${length}\r\n\r\n`
  const partsOnDisk = () => readdirSync(join(w.home, 'files', 'incoming'))
  const PIECE = 'a'.repeat(5_000)
  const PIECES = 50

  test('with a slow file are closed in 18 seconds with the reason, and nothing is kept', async () => {
    for (const more of ['', 'a,b\r\n']) {
      for (const { seconds, received } of await drip(5, `${fileHead(10_000_000)}a,b\r\n`, more)) {
        expect(seconds).toBeLessThan(18)
        expect(received).toMatch(/^HTTP\/1\.1 400 /)
        expect(received).toContain('The file arrived too slowly')
      }
    }
    // The only file there may be is that of the next test, which runs at the same time.
    expect(await w.rows('SELECT id FROM files WHERE size <> :whole', { whole: PIECE.length * PIECES })).toEqual([])
    await vi.waitFor(() => expect(partsOnDisk().length).toBeLessThan(2), 60_000)
  })

  test('with a file that keeps arriving are waited for', async () => {
    // Its connection stays, so it is closed as an idle one.
    const [answer] = await drip(1, fileHead(PIECE.length * PIECES), PIECE)
    expect(answer?.received).toMatch(/^HTTP\/1\.1 201 /)
  })

  test('do not slow down other clients', async () => {
    for (let i = 0; i < 12; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      const startedAt = performance.now()
      expect((await w.wire('GET', '/v1/me')).status).toBe(200)
      expect((performance.now() - startedAt) / slowness()).toBeLessThan(1_000)
    }
  })
})
