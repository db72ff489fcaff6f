import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import { fieldsOf, plainSchema } from '../../main/faces/json-schema.ts'
import { createToolbox } from '../../main/faces/mcp/tools.ts'
import { parseToolFilter } from '../../main/faces/mcp/toolsets.ts'
import { leadingSentences } from '../../main/faces/mcp/summary.ts'
import type { Principal } from '../../main/kernel/access.ts'
import type { AccountId } from '../../main/kernel/ids.ts'

import { linesContract } from './sample.ts'

const everybody: Principal = {
  kind: 'key',
  role: null,
  accountId: 'account' as AccountId,
  accountName: 'My agency',
  key: null,
  scopes: SCOPES,
  allowedInstanceIds: null,
  ratePerMinute: 600,
  source: 'api',
}

const toolsOf = (...operations: Operation[]) => {
  const named = Object.fromEntries(operations.map((operation, at) => [String(at), operation]))
  return createToolbox([{ room: 'sample', operations: named }]).listFor(everybody)
}

describe('a contract that cannot become a tool stops the start', () => {
  const base: Operation = linesContract.sendWords
  test.each<[string, Operation[], RegExp]>([
    ['two tools of one name', [base, base], /two tools are named send_words/],
    ['a name that is no verb and noun', [{ ...base, tool: { ...base.tool!, name: 'Send' } }], /verb_noun/],
    [
      'two arguments of one name',
      [{ ...base, query: Type.Object({ to: Type.String() }) }],
      /two arguments are named to/,
    ],
    [
      'a field that is named like the key of idempotency',
      [{ ...base, body: Type.Object({ idempotency_key: Type.String() }) }],
      /two arguments are named idempotency_key/,
    ],
    ['a body that is no object', [{ ...base, body: Type.Array(Type.String()) }], /not an object/],
    ['a credential that nobody takes out', [{ ...base, noStore: true }], /needs redact/],
    ['an operation of the console', [{ ...base, audience: 'console' }], /console operation/],
  ])('%s', (_case, operations, message) => {
    expect(() => toolsOf(...operations)).toThrow(message)
  })
})

describe('the input of a tool', () => {
  test('merges the variants of a body, for clients without support for unions at the root', () => {
    const body = Type.Union([
      Type.Object({ to: Type.String(), text: Type.String() }),
      Type.Object({ to: Type.String(), media_url: Type.String() }),
    ])
    const [tool] = toolsOf({ ...linesContract.sendWords, body })
    expect(tool?.definition.inputSchema).toEqual({
      type: 'object',
      properties: {
        instance_id: { type: 'string' },
        to: { type: 'string' },
        text: { type: 'string' },
        media_url: { type: 'string' },
        idempotency_key: { type: 'string', description: expect.any(String) },
      },
      required: ['instance_id', 'to'],
      additionalProperties: false,
    })
  })

  test('maps each argument to its place in the REST request', () => {
    const [tool] = toolsOf({ ...linesContract.deleteLine, query: Type.Object({ why: Type.Optional(Type.String()) }) })
    expect(tool?.toRequest({ instance_id: 'a/b c', why: 'x&y=z', confirm: true })).toEqual({
      method: 'DELETE',
      path: '/v1/instances/a%2Fb%20c?why=x%26y%3Dz&confirm=true',
      headers: {},
    })
    expect(tool?.toRequest({ instance_id: 'a', confirm: false }).path).toBe('/v1/instances/a')
  })
})

test('sandbox tools are listed only on request', () => {
  const toolbox = createToolbox([
    { room: 'instances', operations: { getLine: linesContract.getLine } },
    { room: 'sandbox', operations: { sendWords: linesContract.sendWords } },
  ])
  const names = (toolsets?: string[]) =>
    toolbox.listFor(everybody, { toolsets }).map(({ definition }) => definition.name)
  expect(names()).toEqual(['get_line'])
  expect(names(['sandbox'])).toEqual(['send_words'])
  expect(names(['all'])).toEqual(['get_line', 'send_words'])
  expect(names(['default'])).toEqual(names())
  expect(names(['default', 'sandbox'])).toEqual(names(['all']))
  expect(names(['sandbox', 'default'])).toEqual(names(['all']))
  expect(names(['messaging'])).toEqual(['get_line'])
  expect(names(['testing'])).toEqual(['send_words'])
  expect(names(['nothing of the sort', ''])).toEqual([])
})

test('read-only mode lists only tools that change nothing', () => {
  const toolbox = createToolbox([{ room: 'instances', operations: linesContract }])
  const shown = toolbox.listFor(everybody, { readOnly: true })
  expect(shown.map(({ definition }) => definition.annotations.readOnlyHint)).toEqual(shown.map(() => true))
  expect(shown.map(({ definition }) => definition.name)).toEqual(['list_lines', 'get_line', 'get_line_qr', 'get_words'])
})

test('the QR code tool is not read-only, because the first read begins pairing', () => {
  const toolbox = createToolbox(CONTRACTS)
  const names = (readOnly: boolean) =>
    toolbox.listFor(everybody, { toolsets: ['all'], readOnly }).map(({ definition }) => definition.name)
  expect(names(true)).toContain('get_instance_connection')
  expect(names(true)).not.toContain('get_instance_qr')
  expect(names(false)).toContain('get_instance_qr')
  expect(toolbox.find('get_instance_qr')?.definition.annotations.readOnlyHint).toBe(false)
})

test('a URL selects which tools are listed', () => {
  expect(parseToolFilter('/mcp')).toEqual({ toolsets: undefined, readOnly: false })
  expect(parseToolFilter('/mcp?toolsets=messages,%20sandbox')).toEqual({
    toolsets: ['messages', 'sandbox'],
    readOnly: false,
  })
  expect(parseToolFilter('/mcp/readonly?toolsets=all')).toEqual({ toolsets: ['all'], readOnly: true })
  expect(parseToolFilter('/mcp?toolsets=/readonly')).toEqual({ toolsets: ['/readonly'], readOnly: false })
})

describe('reading schemas', () => {
  test('branches that only require fields keep the fields of the object around them', () => {
    const schema = plainSchema(
      Type.Object(
        { text: Type.Optional(Type.String()), url: Type.Optional(Type.String()) },
        {
          oneOf: [{ required: ['text'] }, { required: ['url'] }],
        },
      ),
    )
    expect(fieldsOf(schema)).toEqual({
      properties: { text: { type: 'string' }, url: { type: 'string' } },
      required: [],
    })
  })

  test('a value that may be something other than an object has no fields', () => {
    expect(fieldsOf(plainSchema(Type.Union([Type.Object({}), Type.Null()])))).toBeUndefined()
  })

  test('records with any keys use additionalProperties', () => {
    expect(plainSchema(Type.Record(Type.String(), Type.String()))).toEqual({
      type: 'object',
      additionalProperties: { type: 'string' },
    })
    expect(plainSchema(Type.Record(Type.String(), Type.Unknown()))).toEqual({
      type: 'object',
      additionalProperties: true,
    })
  })

  test('a text is cut at the end of a sentence', () => {
    expect(leadingSentences('Reads `GET …/qr`, e.g. 5. Then stops. Never here.', 40)).toBe(
      'Reads `GET …/qr`, e.g. 5. Then stops.',
    )
    expect(leadingSentences('One long sentence stays whole.\n\nNot this.', 5)).toBe('One long sentence stays whole.')
  })
})

test('a rarely needed tool is listed only when its toolset is requested', () => {
  const rare = { ...linesContract.deleteLine, tool: { ...linesContract.deleteLine.tool, onRequest: true as const } }
  const box = createToolbox([{ room: 'lines', operations: { sendWords: linesContract.sendWords, rare } }])
  const names = (toolsets?: string[]) => box.listFor(everybody, { toolsets }).map(({ definition }) => definition.name)
  expect(names()).toEqual(['send_words'])
  expect(names(['lines'])).toEqual(['send_words', rare.tool.name])
  expect(names(['all'])).toEqual(names(['lines']))
})

describe('the built-in tools', () => {
  const tools = createToolbox(CONTRACTS).listFor(everybody, { toolsets: ['all'] })

  test('fit into 25 kB together by default', () => {
    const listed = createToolbox(CONTRACTS).listFor(everybody)
    const sizes = listed.map(({ definition }) => [definition.name, JSON.stringify(definition).length] as const)
    const total = JSON.stringify(listed.map(({ definition }) => definition)).length
    expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(25_000)
  })

  test('take arguments of one type each, because some model providers refuse a tool with a list of types', () => {
    for (const { definition } of tools) {
      expect(JSON.stringify(definition.inputSchema), definition.name).not.toMatch(/"type":\[|patternProperties/)
    }
  })

  test('come in the same order every time', () => {
    const again = createToolbox(CONTRACTS).listFor(everybody, { toolsets: ['all'] })
    expect(again.map(({ definition }) => definition)).toEqual(tools.map(({ definition }) => definition))
  })

  test.each(tools.map((tool) => [tool.definition.name, tool] as const))('%s contains no credential', (_name, tool) => {
    const { schema } = tool.operation.reply
    const fields = schema === null ? undefined : fieldsOf(plainSchema(schema))
    const credentials = ['secret', 'qr', 'pairing_code', 'token', 'key_value']
    const shown = Object.keys(fields?.properties ?? {}).filter((field) => !tool.redact.has(field))
    expect(shown.filter((field) => credentials.includes(field))).toEqual([])
  })
})
