import fc, { type Arbitrary } from 'fast-check'
import type { OperationToFuzz } from './document.ts'
import { valuesOf, type Resolve } from './values.ts'
import { NUMBERS } from './pool.ts'
import { byTheWords, type Body } from './words.ts'

/** A request as it was thought up: ids are picked from what exists when it is made. */
export interface Recipe {
  readonly operation: OperationToFuzz
  /** For each placeholder: which of those that exist, or a text that is no id of anything. */
  readonly ids: readonly (number | string)[]
  readonly query: Body
  /** undefined: none is sent. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly key: 'valid' | 'none' | 'wrong'
}

/** Texts that stand where an id belongs, and must reach nothing and break nothing. */
const NO_IDS = [
  ...['x', '..', '.', '%00', 'null', 'undefined', '-1', '1e400', "' OR 1=1 --", '{id}', '*', 'ë', '💬'],
  ...[
    'urn:uuid:0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10',
    '{0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10}',
    'a/../b',
    'a'.repeat(300),
  ],
  ...[
    '0195f3a8-5e1c-7c3a-9b1e-2f6d8a4c7e10',
    'msg_01KCW8ZJ4N3Q7V0F5T2B9XEMRD',
    'whk_0',
    'dlv_0',
    'evt_0',
    'deliveries',
  ],
]

const KEY_CHARACTERS = ['a', 'b', 'Z', '0', '9', '-', '_', '.', ':']
const ORDERS = ['order-1', 'order-2', 'order-3']
const DIGITS = fc.stringMatching(/^[0-9]{7,15}$/)

const iso = (date: Date) => date.toISOString()
const minutesAgo = (minutes: number) => iso(new Date(Date.now() - minutes * 60_000))
const openPlace = (name: string) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(`{${name}}`) }, { weight: 1, arbitrary: fc.constantFrom('x', '*', 'ë') })

/** Values that a schema cannot describe, so that requests get past the first check often enough. */
const KNOWN: Readonly<Record<string, Arbitrary<unknown>>> = {
  url: fc.constantFrom('https://catcher.sandbox/fuzz', 'https://catcher.sandbox/other', 'https://example.com/hook'),
  media_url: fc.constantFrom(
    'https://media.sandbox/image.png',
    'https://media.sandbox/document.pdf',
    'https://media.sandbox/missing',
  ),
  // Live engines are refused in this build, and a catcher that never answers would be waited for.
  network: fc.constant('sandbox'),
  // Few enough that some name a send that was made.
  idempotency_key: fc.oneof(fc.constantFrom(...ORDERS), fc.string({ minLength: 1, maxLength: 200 })),
  hang: fc.constant(false),
  number: fc.oneof(fc.constantFrom(...NUMBERS), DIGITS),
  to: fc.oneof(fc.constantFrom(...NUMBERS), DIGITS),
  delay_ms: fc.integer({ min: 0, max: 20 }),
  // What a period may begin with, and any time at all.
  since: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 6 * 24 * 60 }).map(minutesAgo) },
    { weight: 1, arbitrary: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map(iso) },
  ),
  // Put in by the pool, which knows what exists when the request is made.
  message_id: openPlace('message_id'),
  group_id: openPlace('group_id'),
  smv2_instance_id: fc.oneof(
    { weight: 3, arbitrary: fc.constant('{smv2_instance_id}') },
    { weight: 1, arbitrary: fc.uuid() },
  ),
}

/** What JSON can say and no body may hold, whatever its schema. The door's own tests are about these. */
const UNFIT = /"__proto__":|"constructor":|\\ud[89a-f]/
const isFit = (value: unknown) => value === undefined || !UNFIT.test(JSON.stringify(value))

export function recipes(operations: readonly OperationToFuzz[], resolve: Resolve): Arbitrary<Recipe> {
  return fc.oneof(...operations.map((operation) => recipeOf(operation, resolve)))
}

function recipeOf(operation: OperationToFuzz, resolve: Resolve): Arbitrary<Recipe> {
  const placed = (where: string) => operation.parameters.filter((parameter) => parameter.in === where)
  const id = fc.oneof({ weight: 7, arbitrary: fc.nat(50) }, { weight: 1, arbitrary: fc.constantFrom(...NO_IDS) })
  const valid = (schema: object, called = '') => valuesOf({ ...schema }, resolve, (name) => KNOWN[name], called)

  const query = placed('query').map(({ name, schema, required }) => {
    const text = valid(schema, name).map(String)
    const odd = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('-1', '0', '1e9', 'true', '[]', 'null', '%'))
    const some = fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: odd })
    return [name, fc.option(some, { nil: undefined, freq: required ? 12 : 2 })] as const
  })
  const asked = fc
    .record(Object.fromEntries(query))
    .map((given) =>
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && isFit(value))),
    )
  const takesKey = placed('header').some(({ name }) => name === 'Idempotency-Key')
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ORDERS) },
    { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom(...KEY_CHARACTERS) }) },
    { weight: 1, arbitrary: fc.constant('k'.repeat(201)) },
  )
  const headers = takesKey
    ? fc.option(name, { nil: undefined }).map((key) => (key === undefined ? {} : { 'idempotency-key': key }))
    : fc.constant({})

  return fc.record({
    operation: fc.constant(operation),
    ids: fc.array(id, { minLength: 2, maxLength: 2 }),
    query: asked,
    body: bodies(operation, valid),
    headers,
    key: fc.oneof(
      { weight: 40, arbitrary: fc.constant('valid' as const) },
      { weight: 1, arbitrary: fc.constantFrom('none' as const, 'wrong' as const) },
    ),
  })
}

/** What schema and words allow, what the schema alone allows, the same with one thing spoilt, and anything at all. */
function bodies(operation: OperationToFuzz, valid: (schema: object) => Arbitrary<unknown>): Arbitrary<unknown> {
  if (operation.fileTypes.length > 0) return fc.option(fc.string({ maxLength: 200 }), { nil: undefined })
  if (operation.body === undefined) {
    return operation.method === 'GET'
      ? fc.constant(undefined)
      : fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant({ odd: 1 }) })
  }
  const good = valid(operation.body).map((body) => byTheWords(operation, body))
  const wordless = valid(operation.anyBody ?? operation.body)
  const spoilt = fc.tuple(valid(operation.body), fc.nat(20), fc.jsonValue({ maxDepth: 2 })).map(spoil)
  const anything = fc.jsonValue({ maxDepth: 3 })
  return fc
    .oneof(
      { weight: 10, arbitrary: good },
      { weight: 3, arbitrary: wordless },
      { weight: 3, arbitrary: spoilt },
      { weight: 1, arbitrary: anything },
      { weight: operation.isBodyRequired ? 1 : 3, arbitrary: fc.constant(undefined) },
    )
    .filter((body) => body === undefined || isFit(body))
}

function spoil([body, at, value]: [unknown, number, unknown]): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return value
  const fields = [...Object.keys(body), 'odd']
  return { ...body, [fields[at % fields.length] ?? 'odd']: value }
}
