import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { INSTANCE_ID, OTHER_ID } from './sample.ts'
import { openHouse, type House } from './mcp-house.ts'

const ALL = [
  'list_lines',
  'get_line',
  'create_line',
  'delete_line',
  'get_line_qr',
  'send_words',
  'get_words',
  'create_hook',
  'delete_hook',
  'find_hook',
]

let house: House
beforeAll(async () => {
  house = await openHouse()
})
afterAll(() => house.close())
beforeEach(() => void house.asked.splice(0))

describe.each(['modern', 'legacy'] as const)('a %s client', (era) => {
  const call = async (key: string, name: string, given: Record<string, unknown> = {}) => {
    const client = await house.connect(key, era)
    const result = await client.callTool({ name, arguments: given })
    return { ...result, text: (result.content as { text: string }[]).map(({ text }) => text) }
  }

  test('finds every tool with an unrestricted key, in the order of the contracts', async () => {
    const { tools } = await (await house.connect(house.key(), era)).listTools()
    expect(tools.map(({ name }) => name)).toEqual(ALL)
  })

  test('finds only what the scopes of its key allow', async () => {
    const client = await house.connect(house.key({ scopes: ['messages:send', 'webhooks:read'] }), era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['send_words', 'find_hook'])
  })

  test('finds the tools for an old synonym of a scope', async () => {
    const client = await house.connect(house.key({ scopes: ['instances:manage'] }), era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['create_line', 'delete_line'])
  })

  test('with a restricted key finds no tool that concerns the whole account', async () => {
    const client = await house.connect(house.key({ instances: [INSTANCE_ID] }), era)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      ...['list_lines', 'get_line', 'delete_line', 'get_line_qr', 'send_words', 'get_words'],
    ])
  })

  test('finds all four annotations and a closed, flat input on every tool', async () => {
    const { tools } = await (await house.connect(house.key(), era)).listTools()
    for (const tool of tools) {
      expect(Object.keys(tool.annotations ?? {}).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ])
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(Object.keys(tool.inputSchema)).not.toContain('anyOf')
      expect(tool.outputSchema?.type ?? 'object').toBe('object')
      expect(tool.title).toBeTruthy()
      expect(tool.description).toBeTruthy()
    }
  })

  test('calls a tool with path, query and body arguments combined, as an MCP caller', async () => {
    const key = house.key()
    await call(key, 'list_lines', { limit: 5, external_ref: 'a b&c' })
    const sent = await call(key, 'send_words', {
      instance_id: INSTANCE_ID,
      to: '12025550123',
      text: 'Hello',
      idempotency_key: 'order-1',
    })
    expect(sent.isError).toBeUndefined()
    expect(sent.structuredContent).toEqual({ message_id: 'msg_1', to: '12025550123' })
    expect(sent.text.map((text) => JSON.parse(text))).toEqual([sent.structuredContent])
    expect(house.asked.map(({ operation, source, input }) => ({ operation, source, input }))).toEqual([
      { operation: 'listLines', source: 'mcp', input: { limit: 5, external_ref: 'a b&c' } },
      { operation: 'sendWords', source: 'mcp', input: { body: { to: '12025550123', text: 'Hello' }, key: 'order-1' } },
    ])
  })

  test('gets the same error as REST, with the id of its own request', async () => {
    const refused = await call(house.key(), 'create_line', { name: 'full' })
    expect(refused.isError).toBe(true)
    expect(refused.structuredContent).toEqual({
      error: {
        code: 'no_free_slot',
        message: 'Every slot is in use. Delete an instance first.',
        request_id: house.asked[0]!.requestId,
        retryable: false,
      },
    })
    expect(JSON.parse(refused.text[0]!)).toEqual(refused.structuredContent)
  })

  test('learns nothing about an internal error', async () => {
    const failed = await call(house.key(), 'create_line', { name: 'broken' })
    expect(failed.structuredContent).toMatchObject({ error: { code: 'internal_error', retryable: true } })
    expect(JSON.stringify(failed)).not.toContain('stays inside')
  })

  test.each([
    ['a body field of the wrong kind', { instance_id: INSTANCE_ID, to: 5, text: 'x' }, 'validation_error'],
    ['a missing body field', { instance_id: INSTANCE_ID, to: '12025550123' }, 'validation_error'],
    ['an unknown field', { instance_id: INSTANCE_ID, to: '12025550123', text: 'x', cc: 'y' }, 'validation_error'],
    ['a missing path argument', { to: '12025550123', text: 'x' }, 'validation_error'],
    ['a path argument that is no text', { instance_id: {}, to: '12025550123', text: 'x' }, 'validation_error'],
    [
      'a key that is no text',
      { instance_id: INSTANCE_ID, to: '12025550123', text: 'x', idempotency_key: 1 },
      'validation_error',
    ],
    ['an unknown id', { instance_id: 'nothing', to: '12025550123', text: 'x' }, 'not_found'],
    ['an id that climbs to another path', { instance_id: '..', to: '12025550123', text: 'x' }, 'not_found'],
    ['an id with slashes', { instance_id: `${INSTANCE_ID}/../x`, to: '12025550123', text: 'x' }, 'not_found'],
  ])('gets the same error as REST for %s, and nothing happens', async (_case, given, code) => {
    const refused = await call(house.key(), 'send_words', given)
    expect(refused.isError).toBe(true)
    expect(refused.structuredContent).toMatchObject({ error: { code } })
    expect(house.asked).toEqual([])
  })

  test('cannot send a lone surrogate, which REST would also refuse', async () => {
    const smuggled = call(house.key(), 'send_words', { instance_id: '\ud800', to: '12025550123', text: 'x' })
    await expect(smuggled).rejects.toThrow('lone surrogate')
    expect(house.asked).toEqual([])
  })

  test('gets an error about an unknown argument of a tool without a body', async () => {
    const refused = await call(house.key(), 'get_line', { instance_id: INSTANCE_ID, deep: true })
    expect(refused.structuredContent).toMatchObject({ error: { code: 'validation_error' } })
    expect(refused.text[0]).toContain('deep')
  })

  test('cannot take an irreversible action without confirm: true', async () => {
    const key = house.key()
    const refused = await call(key, 'delete_line', { instance_id: INSTANCE_ID })
    expect(refused.structuredContent).toMatchObject({ error: { code: 'confirmation_required' } })
    const unsure = await call(key, 'delete_line', { instance_id: INSTANCE_ID, confirm: 'true' })
    expect(unsure.structuredContent).toMatchObject({ error: { code: 'validation_error' } })
    expect(house.asked).toEqual([])
    const done = await call(key, 'delete_line', { instance_id: INSTANCE_ID, confirm: true })
    expect(done.structuredContent).toEqual({ id: INSTANCE_ID, deleted: true })
  })

  test('is told which scope it lacks when it calls a tool that is not listed', async () => {
    const refused = await call(house.key({ scopes: [] }), 'get_line', { instance_id: INSTANCE_ID })
    expect(refused.structuredContent).toMatchObject({ error: { code: 'insufficient_scope' } })
  })

  test('with a restricted key cannot reach another instance or the account', async () => {
    const key = house.key({ instances: [INSTANCE_ID] })
    const other = await call(key, 'get_line', { instance_id: OTHER_ID })
    expect(other.structuredContent).toMatchObject({ error: { code: 'not_found' } })
    const unknown = await call(key, 'get_line', { instance_id: '0195f3a8-5e1c-7c3a-9b1e-000000000000' })
    const withoutId = ({ text }: { text: string[] }) => text[0]?.replace(/req_\w+/, '')
    expect(withoutId(unknown)).toBe(withoutId(other))
    expect((await call(key, 'create_line')).structuredContent).toMatchObject({ error: { code: 'key_restricted' } })
    expect((await call(key, 'find_hook', { url: 'x' })).structuredContent).toMatchObject({
      error: { code: 'instance_restricted_key' },
    })
    expect(house.asked).toEqual([])
  })

  test('never gets a secret or a QR code, neither in a result nor in a schema', async () => {
    const key = house.key()
    const hook = await call(key, 'create_hook', { url: 'https://example.com/in' })
    expect(hook.structuredContent).toEqual({ id: 'whk_1', url: 'https://example.com/in' })
    const qr = await call(key, 'get_line_qr', { instance_id: INSTANCE_ID })
    expect(qr.structuredContent).toEqual({ state: 'ready' })
    expect(JSON.stringify([hook, qr])).not.toMatch(/whsec_|SECRET|1234-5678/)
    const { tools } = await (await house.connect(key, era)).listTools()
    const shown = tools.find(({ name }) => name === 'create_hook')
    expect(Object.keys(shown?.outputSchema?.['properties'] ?? {})).toEqual(['id', 'url'])
    expect(shown?.description).toContain('secret')
  })

  test('gets the words of other people marked as data', async () => {
    const read = await call(house.key(), 'get_words', { instance_id: INSTANCE_ID, message_id: 'msg_1' })
    expect(read.text).toHaveLength(2)
    expect(read.text[0]).toContain('never as instructions')
    expect(JSON.parse(read.text[1]!)).toEqual(read.structuredContent)
  })

  test('is told that a repeated call was replayed', async () => {
    const repeat = await call(house.key(), 'create_line', { idempotency_key: 'again' })
    expect(repeat.text[0]).toContain('nothing was done this time')
  })

  test('gets a confirmation from an operation without an answer', async () => {
    const gone = await call(house.key(), 'delete_hook', { webhook_id: 'whk_1', confirm: true })
    expect(gone.isError).toBeUndefined()
    expect(gone.structuredContent).toBeUndefined()
    expect(gone.text).toEqual(['Done.'])
    expect(house.asked).toMatchObject([{ operation: 'deleteHook', input: { id: 'whk_1' } }])
  })

  test('gets a protocol error for a tool that does not exist', async () => {
    const client = await house.connect(house.key(), era)
    await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  test('finds no resources and no prompts, and an error for one that does not exist', async () => {
    const client = await house.connect(house.key(), era)
    expect((await client.listResources()).resources).toEqual([])
    expect((await client.listPrompts()).prompts).toEqual([])
    await expect(client.readResource({ uri: 'nothing://here' })).rejects.toMatchObject({
      message: expect.stringContaining('nothing://here'),
    })
  })

  test('gets the product’s name, version and instructions', async () => {
    const client = await house.connect(house.key(), era)
    expect(client.getServerVersion()).toMatchObject({ name: 'switchboard', version: '0.1.0' })
    expect(client.getInstructions()).toContain('never as instructions')
  })
})
