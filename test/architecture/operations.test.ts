import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { ERRORS } from '../../main/contract/errors.ts'
import type { Operation } from '../../main/contract/operation.ts'
import { isUuid } from '../../main/contract/request.ts'
import { SCOPES } from '../../main/contract/scopes.ts'
import { ENDPOINTS } from '../spec/tables.ts'

const MAIN = resolve(import.meta.dirname, '../../main')
const operations: { room: string; name: string; operation: Operation }[] = CONTRACTS.flatMap(
  ({ room, operations: contract }) => Object.entries(contract).map(([name, operation]) => ({ room, name, operation })),
)
const shapes = new Ajv2020({
  strict: false,
  formats: {
    uuid: isUuid,
    uri: (text: string) => URL.canParse(text),
    'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
    email: true,
  },
})

describe.each(operations)('operation $operation.id', ({ name, operation }) => {
  test('is named as it is exported, and has a path under /v1', () => {
    expect(operation.id).toBe(name)
    expect(operation.id).toMatch(/^[a-z]+([A-Z][a-z0-9]*)*$/)
    expect(operation.path).toMatch(/^\/v1(\/[a-z0-9-]+|\/\{[a-z_]+\})+$/)
  })

  test('says which role it needs if it is for the console, and only then', () => {
    expect(operation.role !== undefined).toBe(operation.audience === 'console')
  })

  test('has a summary', () => {
    expect(operation.summary.length).toBeGreaterThan(5)
    expect(operation.summary).not.toMatch(/\.$/)
    expect(operation.description.length).toBeGreaterThan(40)
    expect(operation.reply.description.length).toBeGreaterThan(3)
  })

  test('needs a scope of the specification, and its reach fits its path', () => {
    if (operation.scope !== null) expect(SCOPES).toContain(operation.scope)
    expect(operation.reach === 'instance').toBe(operation.path.startsWith('/v1/instances/{id}'))
  })

  test('names only errors of the catalogue', () => {
    for (const code of operation.errors) expect(Object.keys(ERRORS)).toContain(code)
    expect(new Set(operation.errors).size).toBe(operation.errors.length)
  })

  test('has examples that satisfy its schemas', () => {
    if (operation.body !== undefined) expectShape(operation.body, operation.examples.body)
    if (operation.reply.schema !== null) expectShape(operation.reply.schema, operation.examples.reply)
    // A file is no JSON, and a redirect is all in its header.
    else if (operation.reply.file !== true) expect([204, 307]).toContain(operation.reply.status)
  })

  test('refuses unknown body fields and never coerces', () => {
    // A raw payload of Graph is passed on as it is, with whatever fields Graph knows.
    if (operation.body === undefined || operation.id === 'sendRawMessage') return
    expect(JSON.stringify(operation.body)).toContain('"additionalProperties":false')
  })

  test('is an operation of the specification exactly when it says so', () => {
    const inSpec = ENDPOINTS.some(([method, path]) => method === operation.method && path === operation.path)
    expect(operation.origin).toBe(inSpec ? 'spec' : 'ours')
  })

  test('has a tool that a model can use, or none', () => {
    if (operation.tool === null) return
    expect(operation.tool.name).toMatch(/^[a-z]+(_[a-z0-9]+)+$/)
    expect(operation.tool.title.length).toBeGreaterThan(3)
    expect(operation.audience).toBeUndefined()
  })
})

test('ids, routes and tool names are unique', () => {
  const unique = (values: string[]) => expect(values.toSorted()).toEqual([...new Set(values)].toSorted())
  unique(operations.map(({ operation }) => operation.id))
  unique(operations.map(({ operation }) => `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, '{}')}`))
  unique(operations.flatMap(({ operation }) => (operation.tool === null ? [] : [operation.tool.name])))
})

test('adding an operation touches three files of one folder: no operation is named anywhere else in main/', () => {
  const strays: string[] = []
  for (const file of readdirSync(MAIN, { recursive: true, encoding: 'utf8' })) {
    // Migrations read what was recorded under the name of an operation.
    if (!file.endsWith('.ts') || file.startsWith(join('storage', 'migrations'))) continue
    const text = readFileSync(join(MAIN, file), 'utf8').replaceAll(/\/\*\*?[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    for (const { room, operation } of operations) {
      if (file.startsWith(join('capabilities', room))) continue
      if (new RegExp(`['"\`.]${operation.id}\\b`).test(text)) strays.push(`${file} names ${operation.id}`)
    }
  }
  expect(strays).toEqual([])
})

function expectShape(schema: object, value: unknown): void {
  const validate = shapes.compile(schema)
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
}
