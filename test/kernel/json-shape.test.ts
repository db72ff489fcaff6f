import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonShape } from '../../main/kernel/json-shape.ts'

const NO_LIMITS = { values: Infinity, depth: 1_000 }
const shapeOf = (text: string, limits = NO_LIMITS) => jsonShape(Buffer.from(text), limits)

interface Walked {
  readonly values: number
  readonly fields: number
  readonly depth: number
}

/** The same, from the value. An empty list or object has no value inside, but no comma either. */
function walked(value: unknown): Walked {
  if (typeof value !== 'object' || value === null) return { values: 1, fields: 0, depth: 0 }
  const inner = Object.values(value).map(walked)
  const most = (name: 'fields' | 'depth') => Math.max(0, ...inner.map((one) => one[name]))
  return {
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    fields: Math.max(Array.isArray(value) ? 0 : inner.length, most('fields')),
    depth: 1 + most('depth'),
  }
}

describe('the JSON shape scan', () => {
  test('counts the values, and an empty list or object counts as one more', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const { values, fields, depth } = shapeOf(text)
        const expected = walked(JSON.parse(text))
        expect({ fields, depth }).toEqual({ fields: expected.fields, depth: expected.depth })
        // A text can hold brackets too.
        const emptied = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
        expect(values).toBe(expected.values + (emptied.match(/\[\]|\{\}/g)?.length ?? 0))
      }),
      { examples: [['[{"[]":0}]'], ['{"a,b:[{\\"":[1,2,"\\\\",{"c":{}}]}']] },
    )
  })

  test('finds lone surrogates however they are escaped, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\ud83d', '\ude00', 'a', '\\', '"', '\u0000', 'u', 'd', '8')), (units) => {
        const text = units.join('')
        for (const value of [text, { [text]: 1 }])
          expect(shapeOf(JSON.stringify(value)).hasLoneSurrogate).toBe(!text.isWellFormed())
      }),
      { examples: [[['\ud83d', '\ude00']], [['\ud83d', '\ud83d', '\ude00']], [['\\', 'u', 'd', '8', '0', '0']]] },
    )
    expect(shapeOf(String.raw`"\uD83D\uDE00 \ud83d\ude00 \uD7FF \uE000"`).hasLoneSurrogate).toBe(false)
    for (const text of [String.raw`"\uDBFF"`, String.raw`"\uDC00\uD800"`, String.raw`["a\udfff"]`])
      expect(shapeOf(text).hasLoneSurrogate).toBe(true)
  })

  test.each([
    ['1e308', false],
    ['[1e309]', true],
    ['{"a":-1E+400}', true],
    ['1e-400', false],
    [`[${'9'.repeat(308)}]`, false],
    [`[${'9'.repeat(400)}]`, true],
    ['"1e400"', false],
  ])('tells whether a number is infinite: %s', (text, expected) => {
    expect(shapeOf(text).hasInfiniteNumber).toBe(expected)
  })

  test('stops at a limit', () => {
    expect(shapeOf('[1,2,3,4,5]', { values: 3, depth: 5 }).values).toBe(4)
    expect(shapeOf(`${'['.repeat(50)}1${']'.repeat(50)}`, { values: 100, depth: 5 }).depth).toBe(6)
  })
})
