import { expect, test } from 'vitest'
import { createRequestOrder } from '../../../renderer/rooms/messages/request-order.ts'

test('an answer that was overtaken by a later question’s changes nothing', () => {
  const { begin, isLatest } = createRequestOrder()
  const [first, second, third] = [begin(), begin(), begin()]
  expect(isLatest(second)).toBe(true)
  expect(isLatest(first)).toBe(false)
  expect(isLatest(third)).toBe(true)
  expect(isLatest(second)).toBe(false)
})

test('answers in the order of their questions are all shown', () => {
  const { begin, isLatest } = createRequestOrder()
  expect([begin(), begin(), begin()].map(isLatest)).toEqual([true, true, true])
})
