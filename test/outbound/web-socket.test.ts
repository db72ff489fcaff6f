import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../main/kernel/clock.ts'
import { createOutbound, type Outbound } from '../../main/outbound/outbound.ts'
import { startRawServer, type RawServer } from '../support/raw-server.ts'
import { fakeClock } from '../support/clock.ts'

let outbound: Outbound | undefined
let server: RawServer | undefined
afterEach(async () => {
  await outbound?.close()
  await server?.close()
})

test('a handshake that arrives byte by byte is given up in time', async () => {
  const clock = fakeClock()
  let sent = 0
  server = await startRawServer(
    (socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nx: ')
      const drip = setInterval(() => socket.write('x', () => sent++), 5)
      socket.once('close', () => clearInterval(drip))
    },
    { layer: 'tcp' },
  )
  outbound = createOutbound({ clock, trustedRanges: [], ...server.outside })
  const socket = outbound.webSocket('ws://receiver.example/', { connectTimeoutMs: 10_000 })
  socket.on('error', () => {})
  const ended = new Promise((resolve) => socket.once('close', resolve))
  for (let i = 0; i < 11; i++) {
    const before = sent
    while (sent < before + 2 && socket.readyState !== socket.CLOSED) await systemClock.sleep(1)
    await clock.advance(1_000)
  }
  await ended
  expect(socket.readyState).toBe(socket.CLOSED)
  expect(clock.waiting()).toBe(0)
})
