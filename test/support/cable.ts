import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** What lies between a browser and the service, and can be pulled out: a proxy that hands on what it gets. */
export interface Cable {
  /** For the browser's proxy setting. */
  readonly server: string
  /** Ends every connection, and every new one until it is plugged in again. */
  pull(): void
  plug(): void
  close(): Promise<void>
}

export async function layCable(): Promise<Cable> {
  const ends = new Set<Socket>()
  let isPulled = false
  const server = createServer((request, response) => {
    if (isPulled) request.destroy()
    else handOn(request, response)
  })
  server.on('connection', (socket) => {
    if (isPulled) return void socket.destroy()
    ends.add(socket)
    socket.once('close', () => ends.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pull() {
      isPulled = true
      for (const end of ends) end.destroy()
    },
    plug: () => void (isPulled = false),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function handOn(request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '' } = request
  const onward = ask(url, { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.on('error', () => response.destroy()).pipe(response)
  })
  // Whichever side goes, goes with the other.
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}
