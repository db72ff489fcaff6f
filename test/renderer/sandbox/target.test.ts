import { expect, test } from 'vitest'
import { firstTarget, targetOf } from '../../../renderer/rooms/sandbox/target.ts'

const one = { id: 'one', connected: false }
const two = { id: 'two', connected: true }

test('offers a connected number first', () => {
  expect(firstTarget([one, two])).toBe('two')
  expect(firstTarget([one])).toBe('one')
  expect(firstTarget([])).toBeUndefined()
})

test('applies a fault to the chosen number only', () => {
  expect(
    targetOf(
      [
        { ...two, connected: false },
        { ...one, connected: true },
      ],
      'two',
    )?.id,
  ).toBe('two')
  expect(targetOf([one], 'two')).toBeUndefined()
})
