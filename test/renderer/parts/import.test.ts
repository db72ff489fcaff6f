import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assignColumn,
  guessMapping,
  listMissing,
  listUnused,
  type ImportField,
} from '../../../renderer/parts/column-mapping.ts'
import { findFileProblem } from '../../../renderer/parts/file-check.ts'

const FIELDS: readonly ImportField[] = [
  { key: 'phone', label: 'Phone number', isRequired: true, aliases: ['Telefone', 'Teléfono', 'WhatsApp'] },
  { key: 'name', label: 'Name', isRequired: false, aliases: ['Nome', 'Nombre'] },
]
const columns = (...names: string[]) => names.map((name) => ({ name, samples: [] }))

describe('matching columns to fields', () => {
  test.each([
    [['Name', 'Phone number'], { name: 0, phone: 1 }],
    [['TELÉFONO', 'nombre '], { phone: 0, name: 1 }],
    [['phone_number', 'City'], { phone: 0 }],
    [['Phone', 'Telefone'], { phone: 0 }],
    [['City', ''], {}],
  ])('%j', (names, mapping) => {
    expect(guessMapping(FIELDS, columns(...names))).toEqual(mapping)
  })

  test('moves a column from the field that had it', () => {
    expect(assignColumn({ phone: 0, name: 1 }, 'name', 0)).toEqual({ name: 0 })
    expect(assignColumn({ phone: 0, name: 1 }, 'phone', undefined)).toEqual({ name: 1 })
  })

  test('two fields never share a column, and every other column is listed as unused', () => {
    const step = fc.tuple(fc.constantFrom('phone', 'name', 'city'), fc.option(fc.nat(3), { nil: undefined }))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let mapping = guessMapping(FIELDS, columns('Name', 'Phone', 'a', 'b'))
        for (const [key, index] of steps) mapping = assignColumn(mapping, key, index)
        const used = Object.values(mapping)
        expect(new Set(used).size).toBe(used.length)
        expect(listUnused(columns('Name', 'Phone', 'a', 'b'), mapping)).toHaveLength(4 - used.length)
      }),
    )
  })

  test('names the required fields without a column', () => {
    expect(listMissing(FIELDS, { name: 0 }).map(({ key }) => key)).toEqual(['phone'])
    expect(listMissing(FIELDS, { phone: 0 })).toEqual([])
  })
})

test.each([
  ['people.csv', 12, undefined],
  ['PEOPLE.CSV', 100, undefined],
  ['people.xlsx', 12, 'ending'],
  ['people.csv', 0, 'empty'],
  ['people.csv', 101, 'tooLarge'],
])('a file %s of %i bytes: %s', (name, size, problem) => {
  expect(findFileProblem({ name, size }, { endings: ['.csv'], maxBytes: 100 })).toBe(problem)
})
