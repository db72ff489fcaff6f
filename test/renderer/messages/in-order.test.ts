import { expect, test } from 'vitest'
import { inOrder } from '../../../renderer/rooms/messages/in-order.ts'

test('an answer that was overtaken by a later question’s changes nothing', () => {
  const { ask, isNewest } = inOrder()
  const [first, second, third] = [ask(), ask(), ask()]
  expect(isNewest(second)).toBe(true)
  expect(isNewest(first)).toBe(false)
  expect(isNewest(third)).toBe(true)
  expect(isNewest(second)).toBe(false)
})

test('answers in the order of their questions are all shown', () => {
  const { ask, isNewest } = inOrder()
  expect([ask(), ask(), ask()].map(isNewest)).toEqual([true, true, true])
})
