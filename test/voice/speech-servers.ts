import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'

/** Half a second of a tone at 24 kHz, as the services send it. */
export const tone24k = (ms = 500): Buffer => {
  const pcm = new Int16Array(24 * ms)
  for (let i = 0; i < pcm.length; i++) pcm[i] = 9_000 * Math.sin((2 * Math.PI * 300 * i) / 24_000)
  return Buffer.from(pcm.buffer)
}

interface Asked {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Buffer
}

/** Speech-to-text and text-to-speech with OpenAI's paths. @param heard what each utterance is understood as. */
export async function speechServer(heard: (body: Buffer) => string, status = () => 200, tone = tone24k()) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body })
      response.statusCode = status()
      if (response.statusCode !== 200) return response.end('upstream secret')
      if (request.url === '/v1/audio/speech') return response.end(tone)
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: heard(body) }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** A realtime model: whoever tests says what it sends. */
export async function realtimeServer() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const events: any[] = []
  const connected = Promise.withResolvers<{ socket: WebSocket; authorization: string | undefined }>()
  server.on('connection', (socket, request) => {
    socket.on('message', (data) => events.push(JSON.parse((data as Buffer).toString())))
    socket.send(JSON.stringify({ type: 'session.created' }))
    connected.resolve({ socket, authorization: request.headers.authorization })
  })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  return {
    events,
    connected: connected.promise,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/realtime`,
  }
}
