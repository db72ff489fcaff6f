import { createHash } from 'node:crypto'
import { createServer as createHttp, type Server as HttpServer } from 'node:http'
import { connect, createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'

const PAGE = '<!doctype html><meta charset="utf-8"><title>A page</title><body></body>'

interface Closable {
  readonly port: number
  close(): Promise<void>
}

/** The attacker's own site. */
export function openSite(): Promise<Closable> {
  return listening(createHttp((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE)))
}

/**
 * A name whose address changes: first it leads to the attacker's page, after `rebind` to the service, byte for byte.
 * It listens on another port than the service because both cannot have the one; the browser is told so.
 */
export async function openRebound(port: number): Promise<Closable & { rebind(): void }> {
  let isRebound = false
  const server = createTcp((socket: Socket) => {
    socket.on('error', () => socket.destroy())
    if (isRebound) {
      const onward = connect(port, '127.0.0.1')
      onward.on('error', () => socket.destroy())
      return void socket.pipe(onward).pipe(socket)
    }
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\nConnection: close\r\n\r\n`
    socket.once('data', () => socket.end(head + PAGE))
  })
  return { ...(await listening(server)), rebind: () => void (isRebound = true) }
}

/** A service without guards: what a page can do to it shows that the techniques work. */
export interface Unguarded extends Closable {
  /** The techniques whose requests came, and those that changed something. */
  readonly asked: ReadonlySet<string>
  readonly changed: ReadonlySet<string>
}

const OF_DESTINATION: Record<string, readonly [type: string, body: string]> = {
  script: ['text/javascript', 'globalThis.stolen = true'],
  style: ['text/css', 'body { color: red }'],
  image: ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
  iframe: ['text/html', PAGE],
  object: ['text/html', PAGE],
}

export async function openUnguarded(): Promise<Unguarded> {
  const asked = new Set<string>()
  const changed = new Set<string>()
  const server = createHttp((request, response) => {
    const by = new URL(request.url ?? '', 'http://any').searchParams.get('by') ?? ''
    const { origin = '*', accept } = request.headers
    response.setHeader('access-control-allow-origin', origin).setHeader('access-control-allow-credentials', 'true')
    response.setHeader('access-control-allow-headers', 'authorization, content-type')
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
    if (request.method === 'OPTIONS') return void response.end()
    asked.add(by)
    if (request.method !== 'GET') changed.add(by)
    const isStream = accept === 'text/event-stream'
    const destination = String(request.headers['sec-fetch-dest'])
    const [type, body] = OF_DESTINATION[destination] ?? ['application/json', '{"secret":"of the service"}']
    request.resume()
    response.setHeader('content-type', isStream ? 'text/event-stream' : type).end(isStream ? 'data: secret\n\n' : body)
  })
  server.on('upgrade', (request, socket) => {
    const accepted = createHash('sha1')
      .update(`${String(request.headers['sec-websocket-key'])}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    asked.add('websocket')
    socket.on('error', () => socket.destroy())
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
    )
  })
  return { ...(await listening(server)), asked, changed }
}

async function listening(server: Server | HttpServer): Promise<Closable> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
