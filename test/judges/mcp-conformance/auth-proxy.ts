import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The suite cannot send a key, so this adds one. Host and Origin are rewritten only where they name the proxy itself:
 * a foreign name goes on as it is, or the scenario about DNS rebinding would judge the proxy.
 * @param target address of the service. @returns the proxy's own address.
 */
export async function openAuthProxy(target: string, key: string): Promise<{ url: string; close(): void }> {
  const { hostname, port, host } = new URL(target)
  const server = createServer((asked, answer) => {
    const own = `:${(server.address() as AddressInfo).port}`
    const headers: IncomingHttpHeaders = { ...asked.headers, authorization: `Bearer ${key}` }
    if (headers.host?.endsWith(own)) headers.host = host
    if (headers.origin?.endsWith(own)) headers.origin = `http://${host}`
    const passed = request({ hostname, port, method: asked.method, path: asked.url, headers }, (heard) => {
      answer.writeHead(heard.statusCode ?? 502, heard.headers)
      heard.pipe(answer)
    })
    passed.once('error', () => answer.destroy())
    // A listening stream that the client ends is ended at the service as well.
    answer.once('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
