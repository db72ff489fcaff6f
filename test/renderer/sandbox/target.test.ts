import { expect, test } from 'vitest'
import { firstTarget, targetOf } from '../../../renderer/rooms/sandbox/target.ts'

const one = { id: 'one', connected: false }
const two = { id: 'two', connected: true }

test('a connected number is offered first', () => {
  expect(firstTarget([one, two])).toBe('two')
  expect(firstTarget([one])).toBe('one')
  expect(firstTarget([])).toBeUndefined()
})

test('a fault strikes the number that was chosen, whatever happens to it, and never another', () => {
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
