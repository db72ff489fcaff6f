import { createHmac } from 'node:crypto'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import { answerAs } from './peer.ts'

/**
 * A TLS server with keep-alive. It does not use the http module, so that the sender and not the receiver is measured.
 * It answers every POST with 200, checks the signature of one request in a hundred, and measures the time from the
 * first to the last expected request.
 */
const CHECKED = 100
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok')
const END_OF_HEAD = Buffer.from('\r\n\r\n')

let expected = { count: 0, secret: '' }
let seen = { count: 0, forged: 0, firstMs: 0, lastMs: 0 }
let connections = 0
let arrived = () => {}

function valueOf(head: string, name: string): string {
  const at = head.indexOf(`\r\n${name}:`)
  return at < 0 ? '' : head.slice(at + name.length + 3, head.indexOf('\r\n', at + 2)).trim()
}

function take(head: string, body: Buffer): void {
  const now = performance.now()
  if (seen.count++ === 0) seen.firstMs = now
  if (seen.count % CHECKED === 0 && !isSigned(head, body)) seen.forged++
  if (seen.count !== expected.count) return
  seen.lastMs = now
  arrived()
}

function isSigned(head: string, body: Buffer): boolean {
  const hmac = createHmac('sha256', expected.secret)
    .update(`${valueOf(head, 'x-service-timestamp')}.`)
    .update(body)
  return valueOf(head, 'x-service-signature') === `sha256=${hmac.digest('hex')}`
}

/** @returns the remaining bytes: the beginning of an incomplete request. */
function takeAll(socket: Socket, bytes: Buffer): Buffer {
  let rest = bytes
  for (;;) {
    const end = rest.indexOf(END_OF_HEAD)
    if (end < 0) return rest
    const head = rest.toString('latin1', 0, end + 2).toLowerCase()
    const start = end + END_OF_HEAD.length
    const size = Number(valueOf(head, 'content-length'))
    if (rest.length < start + size) return rest
    take(head, rest.subarray(start, start + size))
    socket.write(ANSWER)
    rest = rest.subarray(start + size)
  }
}

const identity = { cert: process.env['CERT'], key: process.env['KEY'] }
const server = createServer({ ...identity, ALPNProtocols: ['http/1.1'] }, (socket) => {
  connections++
  socket.setNoDelay(true)
  // Senders that end cut their connections, which is not an error here.
  socket.on('error', () => {})
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    rest = takeAll(socket, rest.length === 0 ? data : Buffer.concat([rest, data]))
  })
})
server.listen(0, '127.0.0.1', () => {
  answerAs({
    port: () => (server.address() as AddressInfo).port,
    expect(given: typeof expected) {
      expected = given
      seen = { count: 0, forged: 0, firstMs: 0, lastMs: 0 }
    },
    async arrived() {
      if (seen.count < expected.count) await new Promise<void>((resolve) => (arrived = resolve))
      return { ...seen, connections }
    },
  })
})
