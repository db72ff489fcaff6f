import { expect, test } from 'vitest'
import { clientInfoOf } from '../../main/faces/mcp/client-info.ts'

const initialize = (clientInfo: unknown) => ({ method: 'initialize', params: { clientInfo } })

test('a client is named by its title, else by its name', () => {
  expect(clientInfoOf(initialize({ name: 'claude-ai', version: '0.1.0' }))).toEqual({
    name: 'claude-ai',
    version: '0.1.0',
  })
  expect(clientInfoOf(initialize({ name: 'claude-ai', title: 'Claude', version: '1' }))?.name).toBe('Claude')
})

test('a stateless client is identified from the metadata of each request', () => {
  const _meta = { 'io.modelcontextprotocol/clientInfo': { name: 'cursor', version: '2' } }
  expect(clientInfoOf({ method: 'tools/list', params: { _meta } })).toEqual({ name: 'cursor', version: '2' })
})

test('a name cannot hide, reorder or flood the text beside it', () => {
  expect(clientInfoOf(initialize({ name: 'a\u202Eb\nc', version: '\u0000' }))).toEqual({ name: 'a b c', version: '' })
  expect(clientInfoOf(initialize({ name: 'x'.repeat(5_000), version: 1 }))?.name).toHaveLength(100)
})

test.each([undefined, null, 'text', [], {}, { method: 'initialize' }, initialize(null), initialize({ name: 7 })])(
  'no client is named by %j',
  (body) => expect(clientInfoOf(body)).toBeUndefined(),
)
