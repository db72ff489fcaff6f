import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Scope } from '../../main/contract/scopes.ts'
import { lineOf, OPERATIONS, pathWith, type Ids } from '../support/operations.ts'
import { world, type World } from '../support/world.ts'
import { ENDPOINTS, SCOPES } from './tables.ts'

let w: World
let ids: Ids
const keys = new Map<Scope, string>()
let document: { paths: Record<string, Record<string, { 'x-origin': string; security: unknown }>> }

beforeAll(async () => {
  w = await world()
  const instance = await w.pair()
  ids = { instances: instance.id }
  for (const scope of SCOPES) keys.set(scope, (await w.key({ scopes: [scope] })).key)
  document = parse((await w.api('GET', '/openapi.yaml')).text)
})
afterAll(() => w.close())

const rows = ENDPOINTS.map(([method, path, scope]) => ({ method, path, scope, line: `${method} ${path}` }))

/** A request that fails in its body or its id at the latest, so that asking changes nothing. */
const ask = (method: string, path: string, key: string) =>
  w.api(method, pathWith(path, ids), method === 'GET' ? undefined : [], { key })

describe.each(rows)('$line', ({ method, path, scope, line }) => {
  test('is an operation of the specification, with its scope', () => {
    const operation = OPERATIONS.find((one) => lineOf(one) === line)
    expect(operation).toMatchObject({ origin: 'spec', scope })
    expect(document.paths[path]?.[method.toLowerCase()]).toMatchObject({
      'x-origin': 'spec',
      security: [{ ApiKey: scope === null ? [] : [scope] }],
    })
  })

  test('accepts a key that has only its scope', async () => {
    for (const [own, key] of keys) {
      if (scope !== null && own !== scope) continue
      const { status, body } = await ask(method, path, key)
      expect([401, 403, 405], `${line} with ${own}: ${JSON.stringify(body)}`).not.toContain(status)
      expect(status).toBeLessThan(500)
    }
  })

  test('refuses a key that has every other scope', async () => {
    if (scope === null) return
    const mark = await w.mark()
    for (const [other, key] of keys) {
      if (other === scope) continue
      const { status, body } = await ask(method, path, key)
      expect([status, body.error.code], `${line} with ${other}`).toEqual([403, 'insufficient_scope'])
      expect(body.error.message).toContain(scope)
    }
    expect(await w.typesSince(mark)).toEqual([])
  })
})

test('every operation marked as specified is in the specification', () => {
  const lines = rows.map(({ line }) => line)
  const claimed = OPERATIONS.filter(({ origin }) => origin === 'spec').map(lineOf)
  expect(claimed.filter((line) => !lines.includes(line))).toEqual([])
  expect(claimed.toSorted()).toEqual(lines.toSorted())
})

test('every operation marked as ours is not in the specification', () => {
  const lines = rows.map(({ line }) => line)
  expect(
    OPERATIONS.filter(({ origin }) => origin === 'ours')
      .map(lineOf)
      .filter((line) => lines.includes(line)),
  ).toEqual([])
})

test('offers assistants only tools of existing operations', async () => {
  const tools = await toolsOf(w)
  const offered = OPERATIONS.flatMap(({ tool }) => (tool === null ? [] : [tool.name]))
  expect(tools.toSorted()).toEqual(offered.toSorted())
})

async function toolsOf({ wire }: World): Promise<string[]> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  }
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }
  const { body } = await wire('POST', '/mcp?toolsets=all', request, { headers })
  return body.result.tools.map(({ name }: { name: string }) => name)
}
