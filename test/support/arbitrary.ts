import fc from 'fast-check'

/** JSON Schema as our contracts use it. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minimum?: number
  readonly maximum?: number
}

/** Values that have brought down more than one parser. */
// oxfmt-ignore
export const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null, true, false, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, 5e-324, '', ' ', '0', 'null', 'true', '\u0000', '\ufeff', '\u202e',
    '../../etc/passwd', "'; DROP TABLE instances; --", '<script>alert(1)</script>', '${7*7}', '{{7*7}}', '%s%n', '😀'.repeat(50), 'x'.repeat(3_000), 'A\r\nX: y',
    [], {}, [[]], [null], { '': '' }, { constructor: 1 }, { toString: 'x' }, { length: 5 }, { then: 'x' }, { toJSON: 'x' }, ['*'],
  ),
  fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** Values the schema allows. */
export const allowedBy = (schema: unknown): fc.Arbitrary<unknown> => valueOf(schema as Schema, 0)

/** The same, with something odd in one place of eight. */
export const nearly = (schema: unknown): fc.Arbitrary<unknown> => valueOf(schema as Schema, 1 / 8)

function valueOf(schema: Schema, oddness: number): fc.Arbitrary<unknown> {
  const good = goodValueOf(schema, oddness)
  if (oddness === 0) return good
  return fc.oneof({ weight: Math.round(1 / oddness) - 1, arbitrary: good }, { weight: 1, arbitrary: ODD })
}

function goodValueOf(schema: Schema, oddness: number): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valueOf(one, oddness)))
  switch (schema.type) {
    case 'string':
      return textOf(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return listOf(schema, oddness)
    default:
      return objectOf(schema, oddness)
  }
}

function textOf({ pattern, format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString())
  if (pattern === '^[0-9]{7,15}$') return fc.stringMatching(/^[1-9][0-9]{6,14}$/)
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const plain = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) }).filter((text) => {
    // As Ajv counts: by code points.
    const { length } = Array.from(text)
    return length >= minLength && length <= maxLength
  })
  if (maxLength <= 60) return plain
  const long = fc
    .integer({ min: Math.max(minLength, maxLength - 2), max: maxLength })
    .map((length) => 'é'.repeat(length))
  const address = fc.constantFrom(
    'https://hooks.example.com/x',
    'https://catcher.sandbox/fuzz',
    'https://media.sandbox/image.png',
  )
  return fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 1, arbitrary: long },
    { weight: 3, arbitrary: address.filter((text) => text.length <= maxLength) },
  )
}

function listOf(
  { items = {}, minItems = 0, maxItems = 5, uniqueItems }: Schema,
  oddness: number,
): fc.Arbitrary<unknown[]> {
  const one = valueOf(items, oddness)
  const size = { minLength: minItems, maxLength: Math.min(maxItems, 5) }
  if (uniqueItems === true) return fc.uniqueArray(one, { ...size, selector: (value) => JSON.stringify(value) })
  return fc.array(one, size)
}

function objectOf(schema: Schema, oddness: number): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [], additionalProperties, patternProperties } = schema
  const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valueOf(inner, oddness)]))
  const named = fc.record(fields, { requiredKeys: oddness > 0 ? [] : [...required] })
  const free =
    typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties ?? {})[0]
  if (free !== undefined)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), valueOf(free, oddness), { maxKeys: 5 })
  if (additionalProperties === true) return fc.dictionary(fc.string({ maxLength: 10 }), ODD, { maxKeys: 3 })
  if (oddness === 0) return named
  const odd = fc.option(fc.tuple(fc.string({ maxLength: 12 }), ODD), { freq: 8, nil: undefined })
  return fc
    .tuple(named, odd)
    .map(([value, extra]) => (extra === undefined ? value : { ...value, [extra[0]]: extra[1] }))
}
