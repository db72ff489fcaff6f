import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { HOSTILE_STREAMS, prepareStreams, type HostileStream, type Speak } from './hostile-streams.ts'

/** What this thread says on its port. */
export type HostileNews =
  | { readonly kind: 'listening'; readonly port: number }
  /** The next request is answered as the last message wants it. */
  | { readonly kind: 'set' }
  | { readonly kind: 'connections'; readonly open: number }

const tell = (news: HostileNews) => parentPort?.postMessage(news)

prepareStreams()
let speak: Speak = HOSTILE_STREAMS['says nothing']
parentPort?.on('message', (stream: HostileStream) => {
  speak = HOSTILE_STREAMS[stream]
  tell({ kind: 'set' })
})

let open = 0
const server = createServer((request: IncomingMessage, response) => {
  response.on('error', () => {})
  request.resume().once('end', () => speak(response))
})
server.on('connection', (socket: Socket) => {
  tell({ kind: 'connections', open: ++open })
  socket.once('close', () => tell({ kind: 'connections', open: --open }))
})
server.listen(0, '127.0.0.1', () => tell({ kind: 'listening', port: (server.address() as AddressInfo).port }))
