import { expect, test } from 'vitest'
import { modelNamesIn } from '../../../main/capabilities/ai-providers/ask.ts'

const listOf = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `model-${at}` }))

test.each(['data', 'models'])('the models in `%s` are listed in order and without duplicates', (field) => {
  const list = [{ id: 'b' }, { name: 'models/a' }, { id: 'b' }, { id: 3 }, null, 'c', { id: '' }]
  expect(modelNamesIn({ [field]: list })).toEqual(['a', 'b'])
})

test('no more models are named than a provider can have', () => {
  expect(modelNamesIn({ data: listOf(5_000) })).toHaveLength(5_000)
  expect(modelNamesIn({ data: listOf(50_000) })).toHaveLength(5_000)
})

test.each([undefined, null, 'models', [], { data: 'models' }])('%j has no models', (answer) => {
  expect(modelNamesIn(answer)).toEqual([])
})
