import type { TSchema } from 'typebox'
import type { Steps } from '../../kernel/steps.ts'
import { mapInside, plainSchema, type JsonSchema } from '../json-schema.ts'

/** A schema the document uses, and its name if it becomes a component. */
export interface Usage {
  readonly schema: TSchema
  /** Undefined: it is named only by its `title`. */
  readonly name: string | undefined
}

export interface Components {
  /** The schema with recurring objects replaced by `$ref`. */
  readonly refer: (schema: TSchema) => JsonSchema
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/**
 * Moves recurring objects to components/schemas. An object becomes a component if it is in `known` or has a `title`, or
 * if it occurs twice and a usage names it. Earlier names win.
 */
export function* createComponents(
  known: Readonly<Record<string, TSchema>>,
  usages: readonly Usage[],
): Steps<Components> {
  const seen = yield* countObjects(usages)
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const name = (schema: JsonSchema, wanted: string) => {
    const key = keyOf(schema)
    if (names.has(key) || taken.has(wanted)) return
    names.set(key, wanted)
    taken.add(wanted)
  }
  for (const [wanted, schema] of Object.entries(known)) name(plainSchema(schema), wanted)
  for (const { schema } of seen.values()) if (schema.title !== undefined) name(schema, pascal(schema.title))
  for (const usage of usages) {
    yield
    const schema = plainSchema(usage.schema)
    if (usage.name !== undefined && (seen.get(keyOf(schema))?.count ?? 0) > 1) name(schema, usage.name)
  }

  const refer = (schema: JsonSchema): JsonSchema => {
    const component = names.get(keyOf(schema))
    if (component === undefined) return mapInside(schema, refer)
    const original = seen.get(keyOf(schema))?.schema
    const hasOwnDescription = schema.description !== undefined && schema.description !== original?.description
    return {
      $ref: `#/components/schemas/${component}`,
      ...(hasOwnDescription && { description: schema.description }),
    }
  }
  const schemas: [string, JsonSchema][] = []
  for (const [key, { schema }] of seen) {
    yield
    const component = names.get(key)
    if (component !== undefined) schemas.push([component, mapInside(schema, refer)])
  }
  return {
    refer: (schema) => refer(plainSchema(schema)),
    schemas: Object.fromEntries(schemas.toSorted(([a], [b]) => a.localeCompare(b, 'en'))),
  }
}

interface Seen {
  readonly schema: JsonSchema
  count: number
}

/** Counts every object schema with fields, at any depth. */
function* countObjects(usages: readonly Usage[]): Steps<Map<string, Seen>> {
  const seen = new Map<string, Seen>()
  const visit = (schema: JsonSchema): JsonSchema => {
    if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0) {
      const key = keyOf(schema)
      const entry = seen.get(key) ?? { schema, count: 0 }
      entry.count++
      seen.set(key, entry)
    }
    return mapInside(schema, visit)
  }
  for (const { schema } of usages) {
    yield
    visit(plainSchema(schema))
  }
  return seen
}

/** Schemas that differ only in title or description share a component. */
function keyOf(schema: JsonSchema): string {
  const { description: _description, title: _title, ...rest } = schema
  return JSON.stringify(rest)
}

export const pascal = (words: string) =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
