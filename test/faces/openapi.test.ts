import { createRequire } from 'node:module'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { CONTRACTS } from '../../main/capabilities/contracts.ts'
import { effectsOf } from '../../main/contract/effects.ts'
import { ERRORS } from '../../main/contract/errors.ts'
import { EVENT_TYPES } from '../../main/contract/events.ts'
import type { RoomContract } from '../../main/contract/operation.ts'
import { isUuid } from '../../main/contract/request.ts'
import { buildOpenApi, openApiYaml, operationFor } from '../../main/faces/openapi.ts'
import { allAtOnce, takingTurns } from '../../main/kernel/steps.ts'
import { shortestOf, slowness } from '../support/loop-stretch.ts'

import { hooksContract, linesContract, SAMPLE_ROOMS } from './sample.ts'

const BASE_URL = 'http://127.0.0.1:4780'
const steps = (contracts: readonly RoomContract[]) => buildOpenApi({ contracts, version: '0.1.0', baseUrl: BASE_URL })
const build = (contracts: readonly RoomContract[]) => allAtOnce(steps(contracts))

/** A CommonJS package: imported, its class would arrive one `default` deeper in some loaders than in others. */
const { default: ResponseValidator } = createRequire(import.meta.url)('openapi-response-validator') as {
  default: new (parts: object) => { validateResponse(status: number, body: unknown): unknown }
}

interface Media {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Record<string, { $ref: string }>
}

/** Every media type with an example in the document, with the path that leads to it. */
function* mediaIn(node: unknown, path: readonly string[] = []): Generator<[string, Media]> {
  if (typeof node !== 'object' || node === null) return
  if (path.at(-2) === 'content' && 'schema' in node) yield [path.join(' '), node as Media]
  for (const [key, value] of Object.entries(node)) yield* mediaIn(value, [...path, key])
}

describe.each([
  ['the sample', SAMPLE_ROOMS as readonly RoomContract[]],
  ['the product', CONTRACTS],
])('the document of %s', (_name, rooms) => {
  const document = build(rooms)
  const yaml = allAtOnce(openApiYaml(document))
  const operations = rooms.flatMap((room) => Object.values(room.operations))
  const isPublic = ({ audience }: { audience?: string }) => audience !== 'console'

  test('is a valid OpenAPI 3.1 document, as it is served', async () => {
    const validator = new Validator()
    const verdict = await validator.validate(yaml)
    expect(verdict.errors).toBeUndefined()
    expect(verdict.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('is the same in YAML, without anchors', () => {
    expect(parse(yaml)).toEqual(document)
    expect(parse(yaml, { version: '1.1' })).toEqual(document)
    expect(yaml).not.toMatch(/^\s*[\w-]+: [&*]\w/m)
  })

  test('is the same YAML whether it is written in parts or as a whole', () => {
    expect(yaml).toBe(stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 }))
  })

  test('is built without blocking the event loop', async () => {
    const make = async () => takingTurns(openApiYaml(await takingTurns(steps(rooms))))
    const stretch = await shortestOf(3, make, 50)
    expect(stretch < 50 ? stretch : stretch / slowness()).toBeLessThan(50)
  })

  test('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(0)
    for (const [, kind = '', name = ''] of references) expect(document.components[kind]).toHaveProperty(name)
  })

  test('uses every component it has', () => {
    const text = JSON.stringify(document)
    for (const kind of ['schemas', 'responses', 'headers', 'examples', 'parameters']) {
      for (const name of Object.keys(document.components[kind] as object)) {
        expect(text, name).toContain(`"#/components/${kind}/${name}"`)
      }
    }
  })

  test('gives examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, formats: { uuid: isUuid, 'date-time': true, uri: true, email: true } })
    ajv.addSchema({ $id: 'document', components: document.components })
    const shared = document.components['examples'] as Record<string, { value: unknown }>
    let checked = 0
    for (const [path, { schema, example, examples = {} }] of mediaIn(document)) {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
      const validate = ajv.compile(JSON.parse(text))
      const referred = Object.values(examples).map(({ $ref }) => shared[$ref.split('/').at(-1)!]?.value)
      const values = [...(example === undefined ? [] : [example]), ...referred]
      for (const value of values) {
        expect(validate(value), `${path}: ${ajv.errorsText(validate.errors)}`).toBe(true)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(operations.length)
  })

  test('has an entry for each public operation and none for those of the console', () => {
    const listed = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(listed.sort()).toEqual(
      operations
        .filter(isPublic)
        .map(({ id }) => id)
        .sort(),
    )
  })

  test('states for each operation what its contract declares', () => {
    for (const operation of operations.filter(isPublic)) {
      const entry = document.paths[operation.path]![operation.method.toLowerCase()]!
      const names = (entry['parameters'] as { name: string }[]).map(({ name }) => name)
      expect(entry['x-origin']).toBe(operation.origin)
      expect(entry['x-effects']).toEqual(effectsOf(operation))
      expect(entry['x-effects-by-argument'] !== undefined).toBe('by' in operation.effects)
      expect(entry['security']).toEqual([{ ApiKey: operation.scope === null ? [] : [operation.scope] }])
      expect(names.includes('confirm'), operation.id).toBe(operation.confirm !== undefined)
      expect(names.includes('Idempotency-Key'), operation.id).toBe(operation.idempotencyKey === true)
      expect(new Set(names).size, operation.id).toBe(names.length)
      const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(names.slice(0, placeholders.length)).toEqual(placeholders)
      expect(entry['description']).toContain(operation.scope ?? 'Scope: none')
    }
  })

  test('describes every parameter', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, entry] of Object.entries(methods)) {
        for (const { name, description } of entry['parameters'] as { name: string; description?: string }[]) {
          expect(description, `${method} ${path} ${name}`).toMatch(/./)
        }
      }
    }
  })

  test('documents the request id and rate limit headers on every answer', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        for (const [status, response] of Object.entries(operationFor(document, method, path)!.operation.responses)) {
          expect(Object.keys(response.headers ?? {}), `${method} ${path} ${status}`).toEqual(
            expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining']),
          )
        }
      }
    }
  })

  test('lists each error of an operation under its status, in the common error shape', () => {
    for (const operation of operations.filter(isPublic)) {
      const { responses } = operationFor(document, operation.method, operation.path)!.operation
      for (const code of [...operation.errors, 'unauthorized', 'rate_limited', 'internal_error'] as const) {
        const response = responses[ERRORS[code].status]
        expect(response?.['x-error-codes'], `${operation.id} ${code}`).toContain(code)
        expect(response?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
        expect(response?.description).toContain(ERRORS[code].when)
      }
      expect(responses[429]?.headers).toHaveProperty('Retry-After')
    }
  })

  test('has every event in the form that a receiver gets', () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES])
    const headers = document.components['parameters'] as Record<string, { name: string }>
    for (const { post } of Object.values(document.webhooks)) {
      expect(
        (post['parameters'] as { $ref: string }[]).map(({ $ref }) => headers[$ref.split('/').at(-1)!]?.name),
      ).toEqual([
        'X-Service-Event-Id',
        'X-Service-Timestamp',
        'X-Service-Attempt',
        'X-Service-Signature',
        'X-Service-Signature-Previous',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ])
    }
  })

  test('has unique operation ids', () => {
    const ids = [...JSON.stringify(document).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('finding the operation of a request', () => {
  const document = build(SAMPLE_ROOMS)

  test('works by its path with ids and query', () => {
    expect(operationFor(document, 'GET', '/v1/instances/0195f3a8?deep=1')?.operation.operationId).toBe('getLine')
    expect(operationFor(document, 'delete', '/v1/instances/0195f3a8')?.path).toBe('/v1/instances/{id}')
  })

  test('prefers a literal path over one with a placeholder', () => {
    expect(operationFor(document, 'GET', '/v1/webhooks/find')?.operation.operationId).toBe('findHook')
  })

  test('returns undefined if the document has none', () => {
    expect(operationFor(document, 'GET', '/v1/nothing')).toBeUndefined()
    expect(operationFor(document, 'PUT', '/v1/instances')).toBeUndefined()
    expect(operationFor(document, 'GET', '/v1/instances/')).toBeUndefined()
  })

  test('allows an answer to be validated against the document', () => {
    const { operation } = operationFor(document, 'GET', '/v1/instances')!
    const validator = new ResponseValidator({ responses: operation.responses, components: document.components })
    expect(validator.validateResponse(200, linesContract.listLines.examples.reply)).toBeUndefined()
    expect(validator.validateResponse(200, { data: [{}], next_cursor: null, has_more: false })).toBeDefined()
    expect(validator.validateResponse(418, {})).toMatchObject({ message: expect.stringContaining('unknown status') })
  })
})

test('repeated schemas become components named after their type', () => {
  const { components, paths } = build(SAMPLE_ROOMS)
  expect(Object.keys(components.schemas)).toEqual(['Error', 'EventInstance', 'Line', 'MessageError'])
  const listed = paths['/v1/instances']?.['get']?.responses['200']
  expect(JSON.stringify(listed)).toContain('"items":{"$ref":"#/components/schemas/Line"}')
})

test('a replayed answer, a credential and a body are documented', () => {
  const { operation } = operationFor(build(SAMPLE_ROOMS), 'POST', '/v1/instances')!
  expect(operation.responses[201]?.headers).toHaveProperty('Idempotent-Replayed')
  expect(operation['requestBody']).toMatchObject({ required: false })
  const hook = operationFor(build(SAMPLE_ROOMS), 'POST', '/v1/webhooks')!.operation
  expect(hook.responses[201]?.headers).toHaveProperty('Cache-Control')
  expect(hook['requestBody']).toMatchObject({
    required: true,
    content: { 'application/json': { example: hooksContract.createHook.examples.body } },
  })
})

test('a room without a description stops the start', () => {
  expect(() => build([{ room: 'attic', operations: linesContract }])).toThrow(/no description of the room attic/)
})
