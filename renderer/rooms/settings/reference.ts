/** The API description of the service (OpenAPI 3.1), prepared for reading. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Content {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

interface Reply {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, Content>>
}

interface RawOperation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Readonly<Record<string, Content>> }
  readonly responses?: Readonly<Record<string, Reply>>
}

export interface OpenApiDocument {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface Field {
  readonly name: string
  readonly depth: number
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

interface Payload {
  readonly fields: readonly Field[]
  readonly example: string | undefined
}

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly (Field & { readonly place: string })[]
  readonly body: Payload | undefined
  readonly replies: readonly {
    readonly status: string
    readonly description: string
    readonly payload: Payload | undefined
  }[]
}

export interface Group {
  readonly tag: string
  readonly description: string
  readonly operations: readonly Operation[]
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
/** Deeper nesting is shown only by its type, because schemas may contain themselves. */
const DEEPEST = 4

/** Operations by tag, in the order of the description's tags. Operations without a tag come last. */
export function groupsOf(description: OpenApiDocument): Group[] {
  const byTag = new Map<string, Operation[]>((description.tags ?? []).map(({ name }) => [name, []]))
  for (const [path, item] of Object.entries(description.paths ?? {})) {
    for (const method of METHODS) {
      const raw = item[method] as RawOperation | undefined
      if (raw === undefined) continue
      const tag = raw.tags?.[0] ?? ''
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationOf(description, method, path, raw)])
    }
  }
  const texts = new Map(description.tags?.map(({ name, description: text = '' }) => [name, text]))
  return [...byTag]
    .filter(([, operations]) => operations.length > 0)
    .map(([tag, operations]) => ({ tag, description: texts.get(tag) ?? '', operations }))
}

function operationOf(all: OpenApiDocument, method: string, path: string, raw: RawOperation): Operation {
  return {
    id: raw.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    parameters: (raw.parameters ?? []).map((one) => {
      const parameter = resolve(all, one)
      return {
        name: parameter.name,
        depth: 0,
        place: parameter.in,
        type: typeOf(all, parameter.schema ?? {}),
        isRequired: parameter.required ?? false,
        description: parameter.description ?? resolve(all, parameter.schema ?? {}).description ?? '',
      }
    }),
    body: payloadOf(all, raw.requestBody?.content),
    replies: Object.entries(raw.responses ?? {}).map(([status, reply]) => {
      const { description = '', content } = resolve(all, reply)
      return { status, description, payload: payloadOf(all, content) }
    }),
  }
}

function payloadOf(all: OpenApiDocument, content: Readonly<Record<string, Content>> | undefined): Payload | undefined {
  const [first] = Object.values(content ?? {})
  if (first === undefined) return undefined
  const example = first.example ?? Object.values(first.examples ?? {})[0]?.value
  return {
    fields: fieldsOf(all, first.schema ?? {}),
    example: example === undefined ? undefined : JSON.stringify(example, null, 2),
  }
}

/** The fields of an object as a flat list. Fields of nested objects have a greater depth. */
export function fieldsOf(all: OpenApiDocument, given: Schema, depth = 0): Field[] {
  const schema = unwrapNullable(all, given)
  const inner = schema.items === undefined ? schema : unwrapNullable(all, schema.items)
  const variants = inner.anyOf ?? inner.oneOf
  if (variants !== undefined && inner.properties === undefined) {
    return variants.flatMap((variant) => fieldsOf(all, variant, depth)).filter(isFirstOfItsName)
  }
  const required = new Set(inner.required)
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => [
    {
      name,
      depth,
      type: typeOf(all, property),
      isRequired: required.has(name),
      description: property.description ?? unwrapNullable(all, property).description ?? '',
    },
    ...(depth < DEEPEST ? fieldsOf(all, property, depth + 1) : []),
  ])
}

const isFirstOfItsName = ({ name, depth }: Field, index: number, fields: readonly Field[]): boolean =>
  fields.findIndex((other) => other.name === name && other.depth === depth) === index || depth > 0

/** `string (date-time) or null`, `array of object`, `"a" | "b"`. */
export function typeOf(all: OpenApiDocument, given: Schema): string {
  const schema = resolve(all, given)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return [...new Set(variants.map((variant) => typeOf(all, variant)))].join(' or ')
  if (schema.allOf !== undefined) return schema.allOf.map((one) => typeOf(all, one)).join(' and ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const type = typeof schema.type === 'string' ? schema.type : (schema.type?.join(' or ') ?? 'any')
  if (type === 'array') return `array of ${typeOf(all, schema.items ?? {})}`
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

/** Resolves references, and unwraps a schema that only adds “or null”. */
function unwrapNullable(all: OpenApiDocument, given: Schema): Schema {
  const schema = resolve(all, given)
  const variants = (schema.anyOf ?? schema.oneOf)?.filter((one) => resolve(all, one).type !== 'null')
  return variants?.length === 1 && variants[0] !== undefined ? resolve(all, variants[0]) : schema
}

function resolve<T extends { readonly $ref?: string }>(all: OpenApiDocument, given: T): T {
  let found: T = given
  for (let steps = 0; found.$ref !== undefined && steps < 10; steps++) {
    const keys = found.$ref.replace(/^#\//, '').split('/')
    const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const at = names.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], all)
    if (at === undefined) return found
    found = at as T
  }
  return found
}

/** The groups with the operations whose name, path or summary contains all these words. */
export function search(groups: readonly Group[], words: string): Group[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [...groups]
  return groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter(({ id, method, path, summary }) => {
        const text = `${id} ${method} ${path} ${summary} ${group.tag}`.toLowerCase()
        return wanted.every((word) => text.includes(word))
      }),
    }))
    .filter(({ operations }) => operations.length > 0)
}
