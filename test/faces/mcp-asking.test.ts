import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcpTransport, type Mcp } from '../../main/faces/mcp.ts'
import type { Principal } from '../../main/kernel/access.ts'
import { systemRandom, type AccountId } from '../../main/kernel/ids.ts'
import { silentLog } from '../../main/kernel/log.ts'
import { fakeClock } from '../support/clock.ts'

/** A server of the test's own behind the product's transport: one tool, which asks the person before it acts. */
function askingServer(): McpServer {
  const mcp = new McpServer({ name: 'asking', version: '1' }, { capabilities: { tools: {} } })
  mcp.server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'ask_first', inputSchema: { type: 'object' } }],
  }))
  mcp.server.setRequestHandler('tools/call', (_request, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'sure')
    if (given !== undefined) return { content: [{ type: 'text', text: `told ${String(given['sure'])}` }] }
    const requestedSchema = { type: 'object' as const, properties: { sure: { type: 'boolean' as const } } }
    return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema }) } })
  })
  return mcp
}

const principal: Principal = {
  kind: 'console',
  role: 'operator',
  accountId: 'account' as AccountId,
  accountName: 'My agency',
  key: null,
  scopes: [],
  allowedInstanceIds: null,
  ratePerMinute: 600,
  source: 'console',
}

let mcp: Mcp
let server: Server
beforeAll(async () => {
  mcp = createMcpTransport({
    factory: () => askingServer,
    onClient: () => {},
    isKeyUsable: async () => true,
    clock: fakeClock(),
    random: systemRandom,
    log: silentLog,
  })
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    let text = ''
    for await (const chunk of req) text += String(chunk)
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    await mcp.handle({ req, res, body, principal, requestId: 'req_1', headers: { 'x-request-id': 'req_1' } })
  }
  server = createServer((req, res) => void answer(req, res))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await mcp.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe.each(['modern', 'legacy'] as const)('a tool called by a %s client', (era) => {
  const connect = async (
    capabilities: object,
    answer: () => { action: 'accept' | 'decline'; content?: { sure: boolean } },
  ) => {
    const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
    const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } })
    if ('elicitation' in capabilities) client.setRequestHandler('elicitation/create', answer)
    const { port } = server.address() as AddressInfo
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
    return client
  }

  test('can ask the person in the middle of a call, and continues with the answer', async () => {
    const client = await connect({ elicitation: {} }, () => ({ action: 'accept', content: { sure: true } }))
    const result = await client.callTool({ name: 'ask_first', arguments: {} })
    expect(result.content).toEqual([{ type: 'text', text: 'told true' }])
    await client.close()
  })

  test('cannot ask the person if the client did not announce that it can ask', async () => {
    const client = await connect({}, () => ({ action: 'decline' }))
    const asked = client.callTool({ name: 'ask_first', arguments: {} })
    // The older protocol says it in the result, the newer one as an error of its own.
    if (era === 'legacy') expect(await asked).toMatchObject({ isError: true })
    else await expect(asked).rejects.toMatchObject({ code: -32_021 })
    await client.close()
  })
})
