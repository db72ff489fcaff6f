import type { Operation } from '../../contract/operation.ts'
import { fieldsOf, plainSchema, type JsonSchema } from '../json-schema.ts'

/**
 * The output schema of a tool: its fields and their types only, because every conversation pays for the list of tools.
 * Undefined if the operation does not return an object. No field is required: errors return `{error}` instead, and some
 * clients validate those against the schema too.
 */
export function toolOutput(operation: Operation, redact: ReadonlySet<string>): JsonSchema | undefined {
  if (operation.reply.schema === null) return undefined
  const fields = fieldsOf(plainSchema(operation.reply.schema))
  if (fields === undefined) return undefined
  const shown = Object.entries(fields.properties).filter(([name]) => !redact.has(name))
  return { type: 'object', properties: Object.fromEntries(shown.map(([name, schema]) => [name, kindOf(schema)])) }
}

/** The type keyword, such as `{type: [string, null]}`; `{}` if the value can be anything. */
function kindOf(schema: JsonSchema): JsonSchema {
  const types = [...new Set(typesOf(schema))]
  const [only] = types
  if (only === undefined || types.includes(ANY)) return {}
  return { type: types.length === 1 ? only : types }
}

const ANY = 'any'

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema.type !== undefined) return [schema.type].flat()
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return variants.flatMap(typesOf)
  if (schema.allOf !== undefined) return typesOf(schema.allOf[0] ?? {})
  const choices: unknown = schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']])
  if (!Array.isArray(choices)) return [ANY]
  return choices.map((choice: unknown) => (choice === null ? 'null' : typeof choice))
}

/** Removes the redacted fields, at any depth. */
export function withoutFields(value: unknown, redact: ReadonlySet<string>): unknown {
  if (redact.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: unknown) => withoutFields(each, redact))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !redact.has(name))
      .map(([name, each]) => [name, withoutFields(each, redact)]),
  )
}
