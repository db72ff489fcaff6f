import { describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import type { AccountId } from '../../main/kernel/ids.ts'
import { createOutbound, type Outbound } from '../../main/outbound/outbound.ts'
import { startRawServer, type RawServer } from '../support/raw-server.ts'

/** Posts with the limits a webhook delivery has, and takes the time. */
async function post(server: RawServer, outbound: Outbound) {
  const startedMs = performance.now()
  const answer = await outbound.request({
    url: 'https://receiver.example/hook',
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    from: { accountId: 'account' as AccountId },
  })
  const ms = performance.now() - startedMs
  await vi.waitFor(() => expect(server.open).toBe(0))
  await outbound.close()
  await server.close()
  return { answer, ms }
}

const to = ({ outside }: RawServer) => createOutbound({ clock: systemClock, trustedRanges: [], ...outside })

describe.concurrent('the default limits', () => {
  test('H-01 TCP without TLS is a timeout after the 5 s for connecting, and the socket is closed', async () => {
    const server = await startRawServer(() => {}, { layer: 'tcp' })
    const { answer, ms } = await post(server, to(server))
    expect(answer).toMatchObject({ stage: 'timeout', code: 'connect_timeout', sent: false })
    expect(ms).toBeGreaterThan(4_990)
    expect(ms).toBeLessThan(5_600)
  })

  test('H-02 a request without an answer is a timeout after 10 s, and the socket is closed', async () => {
    const server = await startRawServer(() => {})
    const { answer, ms } = await post(server, to(server))
    expect(answer).toMatchObject({ stage: 'timeout', code: 'headers_timeout', sent: true })
    expect(ms).toBeGreaterThan(9_990)
    expect(ms).toBeLessThan(10_500)
  })

  test('H-02 an answer is accepted with its headers: a slow body is cut off after 2 s', async () => {
    const server = await startRawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
        const timer = setInterval(() => socket.write('x'), 50)
        socket.on('close', () => clearInterval(timer))
      })
    })
    const { answer, ms } = await post(server, to(server))
    expect(answer).toMatchObject({ kind: 'response', status: 200, truncated: true })
    expect(ms).toBeGreaterThan(1_990)
    expect(ms).toBeLessThan(2_600)
  })
})
