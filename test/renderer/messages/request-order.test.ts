import { expect, test } from 'vitest'
import { createRequestOrder } from '../../../renderer/rooms/messages/request-order.ts'

test('ignores an answer that arrives after a later one', () => {
  const { begin, isLatest } = createRequestOrder()
  const [first, second, third] = [begin(), begin(), begin()]
  expect(isLatest(second)).toBe(true)
  expect(isLatest(first)).toBe(false)
  expect(isLatest(third)).toBe(true)
  expect(isLatest(second)).toBe(false)
})

test('shows answers that arrive in order', () => {
  const { begin, isLatest } = createRequestOrder()
  expect([begin(), begin(), begin()].map(isLatest)).toEqual([true, true, true])
})
