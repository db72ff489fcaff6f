import type { TSchema } from 'typebox'

/** A JSON Schema as plain data, without TypeBox types. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly [keyword: string]: unknown
}

/** A copy without TypeBox's hidden fields. */
export function plainSchema(schema: TSchema): JsonSchema {
  // JSON in, JSON out: TypeBox schemas are JSON Schema 2020-12 once their hidden fields are gone.
  return JSON.parse(JSON.stringify(schema), freeKeys) as JsonSchema
}

/** TypeBox's pattern for any key. */
const ANY_KEY = '^.*$'

/** Turns it into `additionalProperties`: client generators and model providers do not support `patternProperties`. */
function freeKeys(_key: string, value: unknown): unknown {
  if (!isSchema(value) || !isSchema(value['patternProperties'])) return value
  const { patternProperties, ...rest } = value
  const { [ANY_KEY]: any, ...others } = patternProperties
  if (!isSchema(any) || Object.keys(others).length > 0) return value
  return { ...rest, additionalProperties: Object.keys(any).length === 0 ? true : any }
}

const ONE = ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'contains'] as const
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const NAMED = ['properties', 'patternProperties', '$defs'] as const

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema with `change` applied to each schema directly inside it. */
export function mapInside(schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const changed: Record<string, unknown> = { ...schema }
  for (const keyword of ONE) {
    const inner = schema[keyword]
    if (isSchema(inner)) changed[keyword] = change(inner)
  }
  for (const keyword of LIST) {
    const inner: unknown = schema[keyword]
    if (Array.isArray(inner)) changed[keyword] = inner.map((each: unknown) => (isSchema(each) ? change(each) : each))
  }
  for (const keyword of NAMED) {
    const inner = schema[keyword]
    if (!isSchema(inner)) continue
    changed[keyword] = Object.fromEntries(
      Object.entries(inner).map(([name, each]) => [name, isSchema(each) ? change(each) : each]),
    )
  }
  return changed
}

/** The fields of an object schema, combined from unions and intersections. */
export interface Fields {
  readonly properties: Readonly<Record<string, JsonSchema>>
  /** Fields that every variant requires. */
  readonly required: readonly string[]
}

/**
 * The fields of a schema whose values are objects, merging the branches of a union or intersection at its root.
 * Undefined if its values can be anything else. For consumers that do not support unions at the root.
 */
export function fieldsOf(schema: JsonSchema, isObject = false): Fields | undefined {
  const parts: Fields[] = []
  // A branch such as {required: ['text']} has no type of its own if the enclosing schema states it.
  const known = schema.type === 'object' || (isObject && schema.type === undefined)
  if (known) parts.push({ properties: schema.properties ?? {}, required: schema.required ?? [] })
  for (const variants of [schema.anyOf, schema.oneOf]) {
    if (variants === undefined) continue
    const branches = variants.map((variant) => fieldsOf(variant, known))
    if (!branches.every((branch) => branch !== undefined)) return undefined
    parts.push({
      properties: layered(branches, 'anyOf'),
      required:
        branches[0]?.required.filter((name) => branches.every((branch) => branch.required.includes(name))) ?? [],
    })
  }
  for (const part of schema.allOf ?? []) {
    const branch = fieldsOf(part, known)
    if (branch === undefined) return undefined
    parts.push(branch)
  }
  if (parts.length === 0) return undefined
  return {
    properties: layered(parts, 'allOf'),
    required: [...new Set(parts.flatMap((part) => part.required))],
  }
}

/** One schema per field. If branches differ, all variants go under `combine`. */
function layered(branches: readonly Fields[], combine: 'anyOf' | 'allOf'): Record<string, JsonSchema> {
  const versions = new Map<string, Map<string, JsonSchema>>()
  for (const branch of branches) {
    for (const [name, schema] of Object.entries(branch.properties)) {
      const seen = versions.get(name) ?? new Map<string, JsonSchema>()
      versions.set(name, seen.set(JSON.stringify(schema), schema))
    }
  }
  return Object.fromEntries(
    [...versions].map(([name, seen]) => {
      const [only, ...others] = seen.values()
      return [name, others.length === 0 && only !== undefined ? only : { [combine]: [...seen.values()] }]
    }),
  )
}
