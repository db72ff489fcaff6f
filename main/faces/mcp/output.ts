import type { Operation } from '../../contract/operation.ts'
import { fieldsOf, mapInside, plainSchema, type JsonSchema } from '../json-schema.ts'

/**
 * The reply as a tool's output schema, or undefined when the operation answers without an object.
 * No field is required at the root: an error answers `{error}` there, and clients check both against this schema.
 */
export function toolOutput(operation: Operation, redact: ReadonlySet<string>): JsonSchema | undefined {
  if (operation.reply.schema === null) return undefined
  const fields = fieldsOf(plainSchema(operation.reply.schema))
  if (fields === undefined) return undefined
  const { properties } = slim({ type: 'object', properties: fields.properties }, redact)
  return { type: 'object', ...(properties !== undefined && { properties }) }
}

/** What a reader of the answer sees anyway; kept out, because a list of tools is paid for in every conversation. */
const NOT_NEEDED = new Set(['title', 'description', 'examples', 'default', 'format', 'pattern', 'required'])

/** The shape alone: names, types and words to choose from, without the redacted fields. */
function slim(schema: JsonSchema, redact: ReadonlySet<string>): JsonSchema {
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !NOT_NEEDED.has(keyword) && !/^(min|max)[A-Z]?/.test(keyword)),
  )
  const { properties, ...rest } = kept as JsonSchema
  const shown = Object.entries(properties ?? {}).filter(([name]) => !redact.has(name))
  return foldNull(
    mapInside(properties === undefined ? rest : { ...rest, properties: Object.fromEntries(shown) }, (inner) =>
      slim(inner, redact),
    ),
  )
}

/** `anyOf: [{type: string}, {type: null}]` as `type: [string, null]`. */
function foldNull(schema: JsonSchema): JsonSchema {
  const [first, second, ...others] = schema.anyOf ?? []
  if (first === undefined || second?.type !== 'null' || others.length > 0) return schema
  const { anyOf: _anyOf, ...rest } = schema
  const choices: unknown = first['enum']
  if (Array.isArray(choices)) return { ...rest, enum: [...(choices as unknown[]), null] }
  return typeof first.type === 'string' ? { ...rest, ...first, type: [first.type, 'null'] } : schema
}

/** The answer without the redacted fields, at any depth. */
export function withoutFields(value: unknown, redact: ReadonlySet<string>): unknown {
  if (redact.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: unknown) => withoutFields(each, redact))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !redact.has(name))
      .map(([name, each]) => [name, withoutFields(each, redact)]),
  )
}
