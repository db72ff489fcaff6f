import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { fieldsOf, mapInside, plainSchema, type Fields, type JsonSchema } from '../json-schema.ts'
import { pathParams } from '../path-params.ts'
import { leadingSentences } from './summary.ts'

/** What a tool call becomes at the door. */
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
   * Puts the arguments where REST takes them. Their rules are the door's to check, so that a model reads the sentence
   * REST would say; here only what could not be put anywhere is refused.
   * @throws ApiError validation_error, not_found.
   */
  toRequest(given: Arguments): ToolRequest
}

const NO_FIELDS: Fields = { properties: {}, required: [] }

/** `instance_id` says what it is. */
const ID: JsonSchema = { type: 'string' }
const CONFIRM: JsonSchema = {
  type: 'boolean',
  description: 'true only after the person agreed.',
}
const IDEMPOTENCY_KEY: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: LIMITS.idempotencyKeyLength,
  description: 'Your own name for this act: a repeat with it does not act twice.',
}

/** @throws Error at start when two parts of the operation have a field of the same name, or the body is no object. */
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
  for (const [name, schema] of Object.entries(body?.properties ?? {})) put(name, schema)
  const isConfirmed = operation.confirm !== undefined || operation.destructive === true
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
      // What is left is the body's; the door names a field that it does not know.
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

/** Rules the door checks and the description says; a model reads words better, and pays for each. */
const FOR_MACHINES = new Set([
  ...['title', 'examples', 'pattern', 'format', 'minLength', 'maxLength'],
  ...['minProperties', 'maxProperties', 'propertyNames', 'minItems', 'maxItems', 'uniqueItems'],
])
const ARGUMENT_CHARACTERS = 70

/** What a model needs to fill the argument in: kind, choices, and what is said about it first. */
function terse(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !FOR_MACHINES.has(keyword) && !isEmpty(value))
  const { description, ...rest }: JsonSchema = Object.fromEntries(kept)
  const words = description === undefined ? {} : { description: leadingSentences(description, ARGUMENT_CHARACTERS) }
  return { ...foldNull(mapInside(rest, terse)), ...words }
}

/** A filter need not list every word it could filter by. */
function withoutLongChoice(schema: JsonSchema): JsonSchema {
  const { enum: choices, ...rest } = schema
  return Array.isArray(choices) && choices.length > LONG_CHOICE ? { type: 'string', ...rest } : schema
}

const LONG_CHOICE = 8

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/**
 * A choice that may also be null, as one more choice. A single type is not folded into `type: [string, null]`: some
 * model providers take one type only and refuse the whole tool.
 */
function foldNull(schema: JsonSchema): JsonSchema {
  const [first, second, ...others] = schema.anyOf ?? []
  if (first === undefined || second?.type !== 'null' || others.length > 0) return schema
  const { anyOf: _anyOf, ...rest } = schema
  const choices: unknown = first['enum']
  return Array.isArray(choices) ? { ...rest, ...first, enum: [...(choices as unknown[]), null] } : schema
}

/**
 * A value as one segment of a path. `.` and `..` would walk to another operation, encoded or not, and are no id of
 * anything: like any malformed id they are 404.
 */
function segment(name: string, value: unknown): string {
  if (value === undefined) throw new ApiError('validation_error', `${name} is missing.`)
  const text = parameter(name, value)
  if (text === '' || text === '.' || text === '..')
    throw new ApiError('not_found', `There is nothing with this ${name}.`)
  return encodeURIComponent(text.toWellFormed())
}

function parameter(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ApiError('validation_error', `${name} must be a text, a number or a boolean.`)
}

function isTrue(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw new ApiError('validation_error', `${name} must be true or false.`)
}

function idempotencyHeader(value: unknown): Record<string, string> {
  if (value === undefined) return {}
  if (typeof value === 'string') return { 'idempotency-key': value }
  throw new ApiError('validation_error', 'idempotency_key must be a text.')
}

function withQuery(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
