import { isDestructive } from '../../contract/effects.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { fieldsOf, mapInside, plainSchema, type Fields, type JsonSchema } from '../json-schema.ts'
import { pathParams } from '../path-params.ts'
import { leadingSentences } from './summary.ts'

/** The HTTP request of a tool call. */
export interface ToolRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Arguments = Readonly<Record<string, unknown>>

export interface ToolInput {
  /** One flat object: path, query, body, `confirm` and `idempotency_key` side by side. */
  readonly schema: JsonSchema
  /**
   * Maps the arguments to path, query, headers and body. The request pipeline validates them, so that a model gets
   * the same errors as REST clients; only arguments that cannot be mapped are rejected here.
   * @throws ApiError validation_error, not_found.
   */
  toRequest(given: Arguments): ToolRequest
}

const NO_FIELDS: Fields = { properties: {}, required: [] }

/** Needs no description: the name `instance_id` is clear enough. */
const ID: JsonSchema = { type: 'string' }
const CONFIRM: JsonSchema = {
  type: 'boolean',
  description: 'true only after the person agreed.',
}
const IDEMPOTENCY_KEY: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: LIMITS.idempotencyKeyLength,
  description: 'A unique value of your choice: repeating the call with it is safe.',
}

/** @throws Error at start if two parts of the operation share a field name, or the body is not an object. */
export function toolInput(operation: Operation): ToolInput {
  const path = pathParams(operation)
  const query = operation.query === undefined ? NO_FIELDS : objectFields(operation, operation.query, 'query')
  const body = operation.body === undefined ? undefined : objectFields(operation, operation.body, 'body')
  const properties: Record<string, JsonSchema> = {}
  const put = (name: string, schema: JsonSchema) => {
    if (name in properties) throw new Error(`tool of ${operation.id}: two arguments are named ${name}`)
    properties[name] = terse(schema)
  }

  for (const { fullName, description } of path)
    put(fullName, fullName.endsWith('_id') ? ID : { type: 'string', description })
  for (const [name, schema] of Object.entries(query.properties)) put(name, withoutLongChoice(schema))
  const omitted = operation.tool?.omit ?? []
  for (const [name, schema] of Object.entries(body?.properties ?? {})) if (!omitted.includes(name)) put(name, schema)
  const isConfirmed = isDestructive(operation)
  if (isConfirmed) put('confirm', CONFIRM)
  if (operation.idempotencyKey === true) put('idempotency_key', IDEMPOTENCY_KEY)
  const required = [...path.map(({ fullName }) => fullName), ...query.required, ...(body?.required ?? [])]

  return {
    schema: { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false },
    toRequest(given) {
      const left = new Map(Object.entries(given))
      const take = (name: string) => {
        const value = left.get(name)
        left.delete(name)
        return value
      }
      const filled = path.reduce<string>(
        (text, { name, fullName }) => text.replace(`{${name}}`, () => segment(fullName, take(fullName))),
        operation.path,
      )
      const asked = new URLSearchParams()
      for (const name of Object.keys(query.properties)) {
        const value = take(name)
        if (value !== undefined) asked.set(name, parameter(name, value))
      }
      const confirm = isConfirmed && isTrue('confirm', take('confirm'))
      if (operation.confirm !== undefined && confirm) asked.set('confirm', 'true')
      const headers = operation.idempotencyKey === true ? idempotencyHeader(take('idempotency_key')) : {}
      const request = { method: operation.method, path: withQuery(filled, asked), headers }
      // The rest is the body. The request pipeline rejects unknown fields by name.
      if (body !== undefined) return { ...request, body: Object.fromEntries(left) }
      const [unknown] = left.keys()
      if (unknown !== undefined)
        throw new ApiError('validation_error', `This tool has no argument ${JSON.stringify(unknown)}.`)
      return request
    },
  }
}

function objectFields(operation: Operation, schema: object, part: string): Fields {
  const fields = fieldsOf(plainSchema(schema))
  if (fields === undefined)
    throw new Error(`tool of ${operation.id}: its ${part} is not an object, so it has no flat input`)
  return fields
}

/**
 * Keywords left out of tool schemas: the request pipeline checks them, descriptions mention them, and every token
 * costs money.
 */
const OMITTED_KEYWORDS = new Set([
  ...['title', 'examples', 'pattern', 'format', 'minLength', 'maxLength'],
  ...['minProperties', 'maxProperties', 'propertyNames', 'minItems', 'maxItems', 'uniqueItems'],
])
const ARGUMENT_CHARACTERS = 70

/** What a model needs to fill in an argument: type, choices and the beginning of the description. */
function terse(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !OMITTED_KEYWORDS.has(keyword) && !isEmpty(value))
  const { description, ...rest }: JsonSchema = Object.fromEntries(kept)
  const words = description === undefined ? {} : { description: leadingSentences(description, ARGUMENT_CHARACTERS) }
  return { ...foldNull(mapInside(rest, terse)), ...words }
}

/** Drops long enums from filters to save tokens. */
function withoutLongChoice(schema: JsonSchema): JsonSchema {
  const { enum: choices, ...rest } = schema
  return Array.isArray(choices) && choices.length > LONG_CHOICE ? { type: 'string', ...rest } : schema
}

const LONG_CHOICE = 8

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * Folds a nullable enum into one enum with null. Other types are not folded into `type: [string, null]`: some model
 * providers accept a single type only and reject the whole tool.
 */
function foldNull(schema: JsonSchema): JsonSchema {
  const [first, second, ...others] = schema.anyOf ?? []
  if (first === undefined || second?.type !== 'null' || others.length > 0) return schema
  const { anyOf: _anyOf, ...rest } = schema
  const choices: unknown = first['enum']
  return Array.isArray(choices) ? { ...rest, ...first, enum: [...(choices as unknown[]), null] } : schema
}

/**
 * Encodes a value as a path segment. `.` and `..` would reach another operation, encoded or not, so they are 404 like
 * any malformed id.
 */
function segment(name: string, value: unknown): string {
  if (value === undefined) throw new ApiError('validation_error', `${name} is missing.`)
  const text = parameter(name, value)
  if (text === '' || text === '.' || text === '..') throw new ApiError('not_found', `Nothing has this ${name}.`)
  return encodeURIComponent(text.toWellFormed())
}

function parameter(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ApiError('validation_error', `${name} must be a string, a number or a boolean.`)
}

function isTrue(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw new ApiError('validation_error', `${name} must be true or false.`)
}

function idempotencyHeader(value: unknown): Record<string, string> {
  if (value === undefined) return {}
  if (typeof value === 'string') return { 'idempotency-key': value }
  throw new ApiError('validation_error', 'idempotency_key must be a string.')
}

function withQuery(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
