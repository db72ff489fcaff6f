import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHouse, type House } from './mcp-house.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house.close())

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 2, method, params })

async function openSession(key: string): Promise<{ id: string; stream: Response }> {
  const opened = await house.post(key, INITIALIZE)
  const id = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': id }
  return { id, stream: await fetch(house.url, { headers }) }
}

describe('a key that is revoked', () => {
  test('ends its listening stream within a second, and no other', async () => {
    const [gone, stays] = [house.key(), house.key()]
    const [{ stream }, other] = [await openSession(gone), await openSession(stays)]
    expect(stream.status).toBe(200)
    let isOpen = true
    const ended = stream.text().finally(() => (isOpen = false))
    await house.clock.advance(2_000)
    expect(isOpen).toBe(true)
    house.revoke(gone)
    await house.clock.advance(1_000)
    await ended
    const again = await house.post(stays, rpc('tools/list', {}), { 'mcp-session-id': other.id })
    expect(again.status).toBe(200)
    await other.stream.body?.cancel()
  })
})

test('an account that opens streams without limit leaves some for others', async () => {
  const account = 'busy'
  const [first, second, third] = [house.key({ account }), house.key({ account }), house.key({ account })]
  const opened: Response[] = []
  for (const key of [first, second]) for (let n = 0; n < 32; n++) opened.push((await openSession(key)).stream)
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]))
  const { stream: refused } = await openSession(third)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringMatching(/^This account has as many MCP streams open as it may: 64,/) },
  })
  const { stream: others } = await openSession(house.key({ account: 'other' }))
  expect(others.status).toBe(200)

  await opened[0]?.body?.cancel()
  await expect.poll(async () => (await openSession(third)).stream.status).toBe(200)
  for (const stream of [...opened, others]) await stream.body?.cancel()
})

test('a missing scope is reported before any error in the arguments', async () => {
  const key = house.key({ scopes: ['webhooks:read'] })
  const client = await house.connect(key, 'modern')
  for (const given of [{}, { instance_id: '..' }, { instance_id: 5, nonsense: true }]) {
    const { structuredContent } = await client.callTool({ name: 'delete_line', arguments: given })
    expect(structuredContent).toMatchObject({ error: { code: 'insufficient_scope' } })
  }
})

test.each(['wbhooks', 'webhooks,attic', '', 'constructor'])('?toolsets=%s is refused by name', async (toolsets) => {
  const headers = {
    authorization: `Bearer ${house.key()}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const answer = await fetch(`${house.url}?toolsets=${toolsets}`, {
    ...{ method: 'POST', headers, body: JSON.stringify(INITIALIZE) },
  })
  expect(answer.status).toBe(400)
  const { error } = (await answer.json()) as { error: { message: string } }
  expect(error.message).toMatch(/^Unknown toolset ".*"\. Use one or more of: default, all, messaging, .*webhooks/)
})
