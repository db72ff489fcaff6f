import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProxyType } from '../../main/outbound/proxy.ts'
import type { Identity } from './certificates.ts'

interface Wish {
  /** The port on this machine that stands for every destination. */
  readonly to: number
  readonly login?: { readonly username: string; readonly password: string }
  /** Refuses every destination. */
  readonly denies?: boolean
  /** Of an https proxy. */
  readonly identity?: Identity
}

/** A forward proxy on loopback. */
export interface TestProxy {
  readonly port: number
  /** `host:port` of each connection it was asked for and let through. */
  readonly carried: readonly string[]
  /** How many are open. */
  connections(): number
  /** Cuts what goes through it, and accepts nothing more until `up`. */
  down(): void
  up(): void
  close(): Promise<void>
}

export async function startProxy(type: ProxyType, { to, login, denies = false, identity }: Wish): Promise<TestProxy> {
  const carried: string[] = []
  const sockets = new Set<Socket>()
  let isDown = false

  function carry(from: Duplex, place: string, head: Buffer = Buffer.alloc(0)): void {
    carried.push(place)
    const socket = connect({ host: '127.0.0.1', port: to })
    sockets.add(socket)
    socket.write(head)
    from.pipe(socket).pipe(from)
    for (const one of [from, socket]) one.on('error', () => {})
    from.once('close', () => socket.destroy())
    socket.once('close', () => {
      sockets.delete(socket)
      from.destroy()
    })
  }

  const server = type === 'socks5' ? createTcp(socks) : http()
  server.on('connection', (socket: Socket) => {
    if (isDown) return void socket.destroy()
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function http(): Server {
    const made = type === 'https' ? createHttps({ ...identity }) : createHttp()
    return made.on(
      'connect',
      ({ url = '', headers }: { url?: string; headers: Record<string, string> }, socket: Duplex, head: Buffer) => {
        const wanted = login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
        if (wanted !== undefined && headers['proxy-authorization'] !== wanted)
          return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
        if (denies) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        carry(socket, url, head)
      },
    )
  }

  /** Every message is taken to arrive in one piece, as it does on loopback. */
  function socks(socket: Socket): void {
    const method = login ? 2 : 0
    const connected = (asked: Buffer) => {
      if (denies) return void socket.end(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]))
      const length = asked[4] ?? 0
      const place = `${asked.subarray(5, 5 + length).toString()}:${asked.readUInt16BE(5 + length)}`
      socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]))
      carry(socket, place)
    }
    const loggedIn = (given: Buffer) => {
      const name = given.subarray(2, 2 + (given[1] ?? 0)).toString()
      const word = given.subarray(3 + name.length).toString()
      const isRight = name === login?.username && word === login.password
      socket.write(Buffer.from([1, isRight ? 0 : 1]))
      if (isRight) socket.once('data', connected)
      else socket.end()
    }
    socket.once('data', (hello) => {
      if (!hello.subarray(2).includes(method)) return void socket.end(Buffer.from([5, 0xff]))
      socket.write(Buffer.from([5, method]))
      socket.once('data', login ? loggedIn : connected)
    })
  }

  const cut = () => sockets.forEach((socket) => socket.destroy())
  return {
    port: (server.address() as AddressInfo).port,
    carried,
    connections: () => sockets.size,
    down() {
      isDown = true
      cut()
    },
    up: () => void (isDown = false),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      cut()
      await closed
    },
  }
}
