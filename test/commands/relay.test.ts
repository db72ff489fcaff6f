import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPClientTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { relay } from '../../main/commands/bridge/relay.ts'
import { until } from '../support/service-process.ts'

type Answer = { readonly status: number; readonly body: object; readonly session?: string }

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
const LOST = { status: 404, body: { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } } }

/** A service that answers by `answers`, one after the other, and an assistant before the bridge to it. */
async function bridged(answers: readonly ((id: unknown) => Answer)[]) {
  const left = [...answers]
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => (text += String(part)))
    request.on('end', () => {
      const answer = text === '' ? undefined : left.shift()?.((JSON.parse(text) as { id: unknown }).id)
      if (answer === undefined) return void response.writeHead(405).end()
      const session = answer.session === undefined ? {} : { 'mcp-session-id': answer.session }
      response.writeHead(answer.status, { 'content-type': 'application/json', ...session })
      response.end(JSON.stringify(answer.body))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  const heard: JSONRPCMessage[] = []
  const near: Transport = {
    start: async () => {},
    send: async (message) => void heard.push(message),
    close: async () => near.onclose?.(),
  }
  const ended = relay({ near, far: new StreamableHTTPClientTransport(url), url, report: () => {} })
  onTestFinished(async () => {
    await near.close()
    await ended
    server.closeAllConnections()
    server.close()
  })
  const ask = (id: number, method: string, given: object = {}) =>
    near.onmessage?.({ jsonrpc: '2.0', id, method, params: { ...given } })
  const answerTo = (id: number) =>
    until(`the answer to ${id}`, () => heard.find((message) => 'id' in message && message.id === id))
  return { ask, answerTo }
}

test('a session that cannot be reopened ends pending requests with the service’s reason', async () => {
  const error = { code: -32_602, message: 'This revision is not spoken here any more' }
  const { ask, answerTo } = await bridged([
    (id) => ({ status: 200, session: 'one', body: { jsonrpc: '2.0', id, result: params } }),
    () => LOST,
    (id) => ({ status: 200, body: { jsonrpc: '2.0', id, error } }),
  ])
  ask(1, 'initialize', params)
  await answerTo(1)
  ask(2, 'tools/list')
  expect(await answerTo(2)).toMatchObject({ id: 2, error })
})
