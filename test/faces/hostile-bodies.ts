import { LIMITS } from '../../main/contract/limits.ts'
import type { Operation } from '../../main/contract/operation.ts'

/** JSON Schema as our contracts use it. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** Parts of which texts of any length are made. */
export const PARTS: readonly string[] = [
  ...[
    ' ',
    '"',
    '{',
    '{a|b}',
    '{{a}}',
    '#',
    '1',
    'x',
    '\n',
    'a\n',
    '\u0301\u0316',
    '[a](',
    '<a ',
    '**a',
    '@a',
    '/',
    '\\',
  ],
  ...['.1-', 'a ', 'é', '😀', ',', ';,', "'", '%', '- ', '| ', '$', '(', 'Q: a\n', '\u0000', 'faq', 'STOP '],
]

function textOf({ part, bytes }: Wish, most: number): string {
  const partBytes = Buffer.byteLength(JSON.stringify(part)) - 2
  const length = Math.max(1, Math.min(most, Math.floor((bytes / partBytes) * part.length)))
  return cutTo(part.repeat(Math.ceil(length / part.length)), length)
}

/** Never in the middle of a surrogate pair: such a text is refused before anything reads it. */
function cutTo(text: string, length: number): string {
  const cut = text.slice(0, Math.max(length, 0))
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** Where a schema names no limit. */
const FREE = { text: 200_000, items: 5_000, keys: 50 }
/** Leaves room for the names of fields. */
const BODY_BYTES = LIMITS.bodyBytes * 0.8

/** JSON of this size that costs more than most. @param bytes of all of it. */
export const hostileJson = (bytes: number): Readonly<Record<string, () => unknown>> => ({
  ...{
    text: () => 'x'.repeat(bytes),
    digits: () => '1 '.repeat(bytes / 2),
    list: () => Array.from({ length: bytes / 4 }, () => 'a'),
  },
  ...Object.fromEntries(Object.entries(ODD).map(([what, make]) => [what, () => make(bytes, Infinity)])),
})

/** A part, and how many bytes of it fit. */
interface Wish {
  readonly part: string
  readonly bytes: number
  /** Put where a schema allows anything. */
  readonly filling?: (bytes: number) => unknown
}

/** What costs most to read, check and write again. @param values at most. */
const ODD: Readonly<Record<string, (bytes: number, values: number) => unknown>> = {
  'small objects': (bytes, values) => Array.from({ length: Math.min(bytes / 3, values / 2) }, () => ({})),
  'distinct fields': (bytes, values) =>
    Array.from({ length: Math.min(bytes / 14, values) / LIMITS.bodyFields }, (_, at) => distinctFields(at)),
  'deep lists': (bytes, values) => Array.from({ length: Math.min(bytes / 181, values / 91) }, () => nested(90)),
}
/** Leaves room for the rest of the body. */
const VALUES = LIMITS.bodyValues * 0.9

const distinctFields = (part: number) =>
  Object.fromEntries(Array.from({ length: LIMITS.bodyFields }, (_, at) => [`k${part * LIMITS.bodyFields + at}`, 1]))
const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)])

/** Bodies of the largest size that are made of a text: the example, one that no schema allows, and one for each further field. */
export function hostileBodies(operation: Operation, example: unknown, part: string): Record<string, () => Buffer> {
  const schema: Schema | undefined = operation.body
  if (schema === undefined) return {}
  const given = typeof example === 'object' && example !== null ? (example as Record<string, unknown>) : {}
  const wish = { part, bytes: BODY_BYTES }
  const bytesOf = (make: () => unknown) => () => Buffer.from(JSON.stringify(make()))
  const bodies: Record<string, () => Buffer> = {
    example: bytesOf(() => stretched(schema, given, wish)),
    invalid: bytesOf(() => replaced(given, textOf(wish, Infinity))),
  }
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (!(name in given))
      bodies[name] = bytesOf(() => ({ ...given, [name]: stretched(property, undefined, wish, name) }))
  return { ...bodies, ...filledBodies(schema, given, wish) }
}

/** The example with each filling in each field, and beside the fields, where a schema allows anything. */
function filledBodies(schema: Schema, given: Record<string, unknown>, wish: Wish): Record<string, () => Buffer> {
  const bodies: Record<string, () => Buffer> = {}
  for (const [what, make] of Object.entries(ODD)) {
    const filling = (bytes: number) => make(bytes, VALUES)
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      if (isFree(property))
        bodies[`${what} in ${name}`] = () =>
          Buffer.from(
            JSON.stringify({ ...given, [name]: stretched(property, given[name], { ...wish, filling }, name) }),
          )
    if (schema.additionalProperties === true)
      bodies[`${what} beside the fields`] = () => Buffer.from(JSON.stringify({ ...given, more: filling(wish.bytes) }))
  }
  return bodies
}

/** Whether the schema allows anything somewhere. */
function isFree({
  type,
  const: only,
  enum: choices,
  anyOf,
  properties,
  patternProperties,
  items,
  ...rest
}: Schema): boolean {
  if (only !== undefined || choices !== undefined) return false
  const { additionalProperties: free } = rest
  const inner = [...(anyOf ?? []), ...Object.values({ ...properties, ...patternProperties }), ...(items ? [items] : [])]
  if (typeof free === 'object') inner.push(free)
  return free === true || (type === undefined && anyOf === undefined) || inner.some(isFree)
}

/** What names something that must exist stays as it is. */
const IS_NAME = /(^|_)(id|ids|url|to|number|numbers|phone|code|product|card)$/

function stretched(schema: Schema, example: unknown, wish: Wish, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return example ?? schema.enum[0]
  if (schema.anyOf !== undefined) {
    const branch = schema.anyOf.find(
      ({ type }) => example !== undefined && example !== null && type === typeOf(example),
    )
    return stretched(branch ?? schema.anyOf.find(({ type }) => type !== 'null') ?? {}, example, wish, name)
  }
  switch (schema.type) {
    case 'string':
      return stretchedText(schema, example, wish, name)
    case 'array': {
      const [first] = Array.isArray(example) ? (example as unknown[]) : []
      const count = schema.maxItems ?? FREE.items
      const one = stretched(schema.items ?? {}, first, { ...wish, bytes: wish.bytes / count }, name)
      return Array.from({ length: count }, (_, at) => unlike(one, at))
    }
    case 'object':
      return stretchedObject(schema, example, wish)
    case 'boolean':
      return example ?? true
    case 'integer':
    case 'number':
      return example ?? 1
    default:
      return wish.filling?.(wish.bytes) ?? example ?? textOf(wish, FREE.text)
  }
}

function stretchedText({ pattern, format, maxLength }: Schema, example: unknown, wish: Wish, name: string): unknown {
  if (example !== undefined && (IS_NAME.test(name) || pattern !== undefined || format !== undefined)) return example
  if (pattern !== undefined) return '1'.repeat(Math.min(maxLength ?? 11, 11))
  return textOf(wish, maxLength ?? FREE.text)
}

function stretchedObject(schema: Schema, example: unknown, wish: Wish): Record<string, unknown> {
  const given = typeOf(example) === 'object' ? (example as Record<string, unknown>) : {}
  const { properties = {}, additionalProperties: free, patternProperties = {}, maxProperties } = schema
  const made: Record<string, unknown> = { ...given }
  const names = Object.keys(given).length === 0 ? Object.keys(properties) : Object.keys(given)
  for (const name of names)
    made[name] = stretched(properties[name] ?? {}, given[name], { ...wish, bytes: wish.bytes / names.length }, name)
  const value = typeof free === 'object' ? free : Object.values(patternProperties)[0]
  const keys = maxProperties ?? FREE.keys
  if (value !== undefined)
    for (let at = 0; at < keys; at++)
      made[`key_${at}`] = stretched(value, undefined, { ...wish, bytes: wish.bytes / 2 / keys })
  else if (free === true && wish.filling !== undefined) made['more'] = wish.filling(wish.bytes)
  else if (free === true) {
    made['text'] = textOf({ ...wish, bytes: wish.bytes / 2 }, FREE.text)
    made['list'] = Array.from({ length: Math.min(FREE.items, Math.ceil(wish.bytes / 50)) }, () => wish.part)
  }
  return made
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** The items of a list are different, as far as they are texts or have a number. */
function unlike(item: unknown, at: number): unknown {
  if (typeof item === 'string') {
    const end = String(at)
    if (/^\d{7,15}$/.test(item)) return String(Number(item) + at)
    return at === 0 ? item : cutTo(item, item.length - end.length) + end
  }
  if (typeOf(item) !== 'object') return item
  const { phone, ...rest } = item as Record<string, unknown>
  return typeof phone === 'string' ? { phone: unlike(phone, at), ...rest } : item
}

function replaced(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.slice(0, 1).map((one) => replaced(one, text))
  if (typeof value !== 'object' || value === null) return text
  const [first, ...rest] = Object.entries(value)
  return first === undefined ? { text } : { [first[0]]: replaced(first[1], text), ...Object.fromEntries(rest) }
}

/** Files of this size: a header that is read, and rows of the text. */
export function hostileFile(part: string, bytes: number): Buffer {
  const header = part.includes('\n') ? 'phone,question,answer\n' : 'phone,name,question,answer\n12025550177,'
  return Buffer.from(header + part.repeat(Math.ceil(bytes / Buffer.byteLength(part)))).subarray(0, bytes)
}

/** The query with a text in every parameter that takes any; as long as a line of a request may be. */
export function hostileQuery({ query }: Operation, part: string): string {
  const properties = Object.entries((query as Schema | undefined)?.properties ?? {})
  const free = properties.filter(([name, { type }]) => type === 'string' && name !== 'confirm')
  if (free.length === 0) return ''
  const length = Math.floor(12_000 / free.length / encodeURIComponent(part).length)
  return free.map(([name]) => `${name}=${encodeURIComponent(part).repeat(Math.max(1, length))}`).join('&')
}
