import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { world, type World } from '../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

function flood(count: number, text: string) {
  const [hostname = '', port] = w.host.split(':')
  const isOpen = new Set<Socket>()
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {}).resume()
    socket.once('connect', () => {
      isOpen.add(socket)
      socket.write(text)
    })
    socket.once('close', () => isOpen.delete(socket))
    return socket
  })
  return { isOpen, end: () => sockets.forEach((socket) => socket.destroy()) }
}

/** Each over a connection of its own, as those of others are. */
const isAnswered = async () => {
  const answer = await fetch(`${w.service.url}/healthz`, { headers: { connection: 'close' } }).catch(() => undefined)
  await answer?.text()
  return answer?.status === 200
}

test.each([
  ['silent connections', ''],
  ['unfinished requests', 'GET /healthz HTTP/1.1\r\nX: '],
])('%s from a local program lock out others for a few seconds at most', async (_name, text) => {
  const { end } = flood(2_100, text)
  await sleep(2_000)
  await expect.poll(isAnswered).toBe(true)
  expect(await isAnswered()).toBe(true)
  end()
  await sleep(500)
})

test('connections of refused uploads are closed, and those of accepted uploads stay open', async () => {
  const head = `POST /v1/media HTTP/1.1\r\nHost: ${w.host}\r\nAuthorization: Bearer ${w.allScopes}\r\nContent-Type: video/mp4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\naaaaa\r\n`
  const { isOpen, end } = flood(300, head)
  await sleep(4_000)
  expect(isOpen.size).toBeLessThanOrEqual(16)
  expect(isOpen.size).toBeGreaterThan(0)
  end()
})
