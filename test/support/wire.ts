import { get, request } from 'node:http'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import type { Heard } from './answers.ts'

export const payloadOf = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)

/** A request through a real socket, as a client of any language makes it. @param url of the service. */
export function overSocket(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const payload = body === undefined ? undefined : payloadOf(body)
    // Node leaves the length out where a body is unusual, as with DELETE, and the bytes would be taken for a request.
    const length =
      payload === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(payload) }
    const sent = request(
      { hostname, port, method, path, headers: { ...headers, ...length }, agent: false },
      (answer) => {
        readText(answer).then((text) => {
          const { statusCode: status = 0, headers: found } = answer
          resolve({ status, headers: found as Record<string, string>, text })
        }, reject)
      },
    )
    sent.once('error', reject)
    sent.end(payload)
  })
}

/** Reads an answer to its end and keeps nothing of it: megabytes cost this process no time of their own. */
export function statusOf(url: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = get(new URL(path, url), { headers, agent: false }, (answer) => {
      answer.once('end', () => resolve(answer.statusCode ?? 0))
      answer.once('error', reject)
      answer.resume()
    })
    sent.once('error', reject)
  })
}

async function readText(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Writes bytes and reads until the service closes the socket. */
export function rawExchange(host: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const [hostname = '', port] = host.split(':')
    const socket = connect(Number(port), hostname)
    let heard = ''
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')))
    // A service that has had enough may reset the connection; what it said before counts.
    socket.on('error', () => {})
    socket.once('close', () => resolve(heard))
    socket.write(bytes)
  })
}

/** Writes all of it before it reads a byte, as clients of many languages do. @throws what becomes of the connection. */
export function readAfterWriting(host: string, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const [hostname = '', port] = host.split(':')
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.write(bytes, () => {
      socket.end()
      readText(socket).then(resolve, reject)
    })
  })
}
