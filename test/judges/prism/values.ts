import fc, { type Arbitrary } from 'fast-check'

/** A JSON Schema of the served document. */
export interface Schema {
  readonly [keyword: string]: unknown
}

/** Finds what a `$ref` names. */
export type Resolve = (ref: string) => Schema

const UNKNOWN = Symbol('not sent')

/** Values that a schema allows. What the product also asks of them (a public address) comes from `known`. */
export function valuesOf(
  schema: Schema,
  resolve: Resolve,
  known: (name: string) => Arbitrary<unknown> | undefined,
  called = '',
): Arbitrary<unknown> {
  const merge = (one: Schema, two: Schema): Schema => ({
    ...one,
    ...two,
    properties: { ...(one['properties'] as object | undefined), ...(two['properties'] as object | undefined) },
    required: [
      ...((one['required'] as string[] | undefined) ?? []),
      ...((two['required'] as string[] | undefined) ?? []),
    ],
  })

  const values = (given: Schema, name = ''): Arbitrary<unknown> => {
    const { $ref, anyOf, oneOf, allOf, ...rest } = given as Record<string, unknown> &
      Record<string, Schema[] | undefined>
    if (typeof $ref === 'string') return values({ ...resolve($ref), ...rest }, name)
    const choices = anyOf ?? oneOf
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => values(besides(rest, choice), name)))
    if (allOf !== undefined) return values(allOf.reduce(merge, rest), name)
    const sample = given['type'] === 'null' ? undefined : known(name)
    if (sample !== undefined) return sample
    if ('const' in given) return fc.constant(given['const'])
    if (Array.isArray(given['enum'])) return fc.constantFrom(...(given['enum'] as unknown[]))
    return ofType(given)
  }

  /** One branch of a union beside what is said around it: `{required: ['text']}` picks a field of the object. */
  const besides = (around: Schema, branch: Schema): Schema => {
    if (!('properties' in around) && !('type' in around)) return { ...around, ...branch }
    const { not, ...wanted } = branch
    const joined = merge(around, wanted)
    const banned = bannedBy(not as Schema | undefined)
    const properties = Object.entries(joined['properties'] as object).filter(([field]) => !banned.has(field))
    return { ...joined, properties: Object.fromEntries(properties) }
  }

  const ofType = (given: Schema): Arbitrary<unknown> => {
    switch (given['type']) {
      case 'object':
        return objects(given)
      case 'array':
        return lists(given)
      case 'string':
        return texts(given)
      case 'integer':
        return fc.integer({ min: number(given, 'minimum', -1_000), max: number(given, 'maximum', 1_000) })
      case 'number':
        return fc.double({ min: number(given, 'minimum', -1_000), max: number(given, 'maximum', 1_000), noNaN: true })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }

  const objects = (given: Schema): Arbitrary<unknown> => {
    const properties = (given['properties'] as Record<string, Schema> | undefined) ?? {}
    const required = new Set(given['required'] as string[] | undefined)
    const fields = Object.entries(properties).map(([name, schema]) => {
      const value = values(schema, name)
      return [name, required.has(name) ? value : fc.oneof(value, fc.constant(UNKNOWN))] as const
    })
    const free = given['additionalProperties']
    const named = fc
      .record(Object.fromEntries(fields))
      .map((object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== UNKNOWN)))
    const least = number(given, 'minProperties', 0)
    if (typeof free !== 'object' && free !== true) {
      // At least one field where the schema says so: the first that may be sent.
      return least === 0 ? named : named.filter((object) => Object.keys(object).length >= least)
    }
    const key = texts((given['propertyNames'] as Schema | undefined) ?? { minLength: 1, maxLength: 20 })
    const value = free === true ? fc.jsonValue({ maxDepth: 1 }) : values(free as Schema)
    return fc.dictionary(key, value, { minKeys: least, maxKeys: Math.min(4, number(given, 'maxProperties', 4)) })
  }

  const lists = (given: Schema): Arbitrary<unknown> => {
    const minLength = number(given, 'minItems', 0)
    const maxLength = Math.min(number(given, 'maxItems', 5), minLength + 5)
    const items = values((given['items'] as Schema | undefined) ?? {})
    if (given['uniqueItems'] !== true) return fc.array(items, { minLength, maxLength })
    return fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) })
  }

  return values(schema, called)
}

function bannedBy(not: Schema | undefined): ReadonlySet<string> {
  if (not === undefined) return new Set()
  const inner = (not['anyOf'] as Schema[] | undefined) ?? [not]
  return new Set(inner.flatMap((schema) => (schema['required'] as string[] | undefined) ?? []))
}

const number = (schema: Schema, keyword: string, otherwise: number) =>
  typeof schema[keyword] === 'number' ? schema[keyword] : otherwise

/** Text of any script; lengths are counted in code points, as JSON Schema does. */
function texts(schema: Schema): Arbitrary<string> {
  const { pattern, format } = schema
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  }
  if (format === 'uri') return fc.webUrl()
  const minLength = number(schema, 'minLength', 0)
  const most = number(schema, 'maxLength', 40)
  const some = { minLength, maxLength: Math.min(most, minLength + 40) }
  const usual = fc.oneof(
    fc.string(some),
    fc.string({ ...some, unit: 'grapheme-ascii' }),
    fc.string({ ...some, unit: 'binary' }),
  )
  // Exactly as long as allowed, now and then: limits are where mistakes are made.
  const longest = fc.string({ minLength: most, maxLength: most, unit: 'grapheme-ascii' })
  return most > 2_000 ? usual : fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: longest })
}
