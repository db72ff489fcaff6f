import { Type, type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../main/contract/errors.ts'
import { Body, Digits, Nullable, Timestamp, Uuid } from '../../main/contract/shapes.ts'
import { createCheck } from '../../main/faces/validation.ts'

function refusal(schema: TSchema, value: unknown, part: 'body' | 'query' = 'body'): string {
  try {
    createCheck(part, schema)(value)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_error') return error.message
    throw error
  }
  return 'nothing'
}

const text = Type.String({ minLength: 2, maxLength: 4 })
const list = Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true })
const field = (schema: TSchema) => Body({ it: Type.Optional(schema) })

describe('the message of a refusal names the field and its rule', () => {
  const RULES: readonly [schema: TSchema, value: unknown, sentence: string][] = [
    [text, 5, 'it must be a string.'],
    [Type.Integer(), 1.5, 'it must be an integer.'],
    [Type.Boolean(), 'yes', 'it must be a boolean.'],
    [Type.Array(Type.String()), {}, 'it must be an array.'],
    [Body({}), [], 'it must be an object.'],
    [text, 'a', 'it must have at least 2 characters.'],
    [text, 'abcde', 'it must have at most 4 characters.'],
    [Type.String({ minLength: 1 }), '', 'it must have at least 1 character.'],
    [Type.Integer({ minimum: 1, maximum: 64 }), 0, 'it must be 1 or more.'],
    [Type.Integer({ minimum: 1, maximum: 64 }), 65, 'it must be 64 or less.'],
    [list, [], 'it must have at least 1 item.'],
    [list, ['a', 'b', 'c'], 'it must have at most 2 items.'],
    [list, ['a', 'a'], 'it must not repeat an item.'],
    [list, ['a', 5], 'it.1 must be a string.'],
    [Type.Enum(['smv2', 'official']), 'smv3', 'it must be one of smv2, official.'],
    [Type.Literal(true), false, 'it must be true.'],
    [Uuid, 'urn:uuid:0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60', 'it must be a UUID.'],
    [Timestamp, 'yesterday', 'it must be an ISO 8601 time such as 2026-03-01T09:30:00.000Z.'],
    [Type.String({ format: 'uri' }), 'no address', 'it must be a URL such as https://example.com/path.'],
    [Digits, '+1 202', 'it must be a phone number with country code: 7 to 15 digits, no plus sign.'],
    [Type.String({ pattern: '^[a-z]{3}$', description: 'ISO 4217.' }), 'X', 'it must be ISO 4217.'],
    [Type.String({ pattern: '^a+$' }), 'b', 'it must be of the form ^a+$.'],
    [Body({ a: Type.Optional(Type.String()) }, { minProperties: 1 }), {}, 'it must have at least 1 field.'],
    [
      Type.Object({}, { maxProperties: 1, additionalProperties: true }),
      { a: 1, b: 2 },
      'it must have at most 1 field.',
    ],
    [
      Type.Object({}, { propertyNames: Type.String({ maxLength: 1 }) }),
      { ab: 1 },
      'it has the key "ab", which must have at most 1 character.',
    ],
  ]

  test.each(RULES)('%# %j', (schema, value, sentence) => {
    expect(refusal(field(schema), { it: value })).toBe(sentence)
  })

  test('a missing or unknown field is reported for the whole body', () => {
    expect(refusal(Body({ to: Type.String() }), {})).toBe('The body must have to.')
    expect(refusal(Body({}), { too: 1 })).toBe('The body has an unknown field "too".')
    expect(refusal(Type.Object({ limit: Type.Integer() }), {}, 'query')).toBe('The query must have limit.')
  })

  test('a nullable field is reported with its non-null type', () => {
    expect(refusal(field(Nullable(text)), { it: 5 })).toBe('it must be a string.')
    expect(refusal(field(Nullable(text)), { it: '' })).toBe('it must have at least 2 characters.')
    expect(refusal(field(Nullable(text)), { it: null })).toBe('nothing')
  })

  test('a name with a slash or a tilde is shown as it was sent', () => {
    const schema = field(Type.Record(Type.String(), Type.Integer()))
    expect(refusal(schema, { it: { 'a/b~c': 'x' } })).toBe('it.a/b~c must be an integer.')
  })
})

describe('a body', () => {
  test('is never coerced', () => {
    for (const [schema, value] of [
      [Type.Integer(), '5'],
      [Type.Boolean(), 'true'],
      [Type.String(), 5],
      [Nullable(Type.String()), 0],
      [Type.Array(Type.String()), 'a'],
    ] as const) {
      const body = { it: value }
      expect(refusal(field(schema), body)).not.toBe('nothing')
      expect(body).toEqual({ it: value })
    }
  })

  test('gets its defaults', () => {
    const body = {}
    expect(refusal(Body({ active: Type.Optional(Type.Boolean({ default: true })) }), body)).toBe('nothing')
    expect(body).toEqual({ active: true })
  })

  test('keeps an unknown field until it is refused for it', () => {
    const body = { odd: 1 }
    expect(refusal(Body({}), body)).toContain('odd')
    expect(body).toEqual({ odd: 1 })
  })
})

describe('a query', () => {
  test('is text, and is converted to the expected types', () => {
    const query = { limit: '5', deep: 'true', name: '5' }
    const schema = Type.Object({ limit: Type.Integer(), deep: Type.Boolean(), name: Type.String() })
    expect(refusal(schema, query, 'query')).toBe('nothing')
    expect(query).toEqual({ limit: 5, deep: true, name: '5' })
  })

  test('may have unknown parameters', () => {
    expect(refusal(Type.Object({}), { odd: '1' }, 'query')).toBe('nothing')
  })

  test('must not repeat a parameter', () => {
    expect(refusal(Type.Object({ limit: Type.Integer() }), { limit: ['5', '6'] }, 'query')).toBe(
      'limit must be an integer.',
    )
  })
})

describe('a time', () => {
  test.each([
    '2026-03-01T09:30:00.000Z',
    '2026-03-01T09:30Z',
    '2026-03-01T09:30:00+02:00',
    '2024-02-29T23:59:59.999999999Z',
    '0001-01-01T00:00:00Z',
  ])('%s is valid', (value) => {
    expect(refusal(field(Timestamp), { it: value })).toBe('nothing')
  })

  // oxfmt-ignore
  test.each([
    '2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z',
    '2026-01-01T25:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01', '2026-01-01T00:00:00', '20260101T000000Z', '1767225600', 'now', '2026-01-01 00:00:00Z', '+002026-01-01T00:00:00Z',
  ])('%s is invalid', (value) => {
    expect(refusal(field(Timestamp), { it: value })).toContain('must be an ISO 8601 time')
  })
})
