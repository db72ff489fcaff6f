import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

type Handle = (request: Request) => Response | Promise<Response>

/**
 * Serves the schemes of the app to real Chromium: `app://switchboard/x` is `http://switchboard.app.localhost:PORT/x`, a
 * secure context of its own. Never kinder than Electron: a handler that throws is a failed connection, and of several
 * headers of one name the last survives.
 */
export interface Gateway {
  handle(scheme: string, handler: Handle): void
  toReal(address: string): string
  toApp(address: string): string
  close(): Promise<void>
}

export async function openGateway(): Promise<Gateway> {
  const handlers = new Map<string, Handle>()
  const server = createServer((request, response) => {
    const [, host, scheme] = /^([^.]+)\.([a-z]+)\.localhost:\d+$/.exec(request.headers.host ?? '') ?? []
    const handler = handlers.get(scheme ?? '')
    if (host === undefined || handler === undefined) return void response.destroy()
    const { host: _host, connection: _connection, ...headers } = request.headers
    const body = request.method === 'GET' || request.method === 'HEAD' ? null : Readable.toWeb(request)
    const asked = new Request(`${String(scheme)}://${host}${request.url ?? '/'}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body !== null && { body: body as ReadableStream, duplex: 'half' }),
    })
    Promise.resolve(handler(asked))
      .then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.flushHeaders()
        if (answer.body === null) return void response.end()
        // Not `pipe`: only this tells the body that the page has gone.
        await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response)
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    handle: (scheme, handler) => void handlers.set(scheme, handler),
    toReal: (address) => address.replace(/^(?!https:)([a-z]+):\/\/([^/]+)/, `http://$2.$1.localhost:${port}`),
    toApp: (address) => address.replace(new RegExp(`^http://([^./]+)\\.([a-z]+)\\.localhost:${port}`), '$2://$1'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
