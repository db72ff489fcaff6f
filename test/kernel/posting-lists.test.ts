import { expect, test } from 'vitest'
import { createPostingLists } from '../../main/kernel/search/posting-lists.ts'

test('postings are sorted by term in insertion order, and each batch yields to the event loop', () => {
  const lists = createPostingLists()
  const [even, odd, unused] = [lists.addTerm(), lists.addTerm(), lists.addTerm()]
  for (let entry = 0; entry < 40_000; entry++)
    lists.add(entry % 2 === 0 ? even : odd, entry, entry / 8, entry % 3 === 0)

  const sorting = lists.sort()
  let turns = 0
  let step = sorting.next()
  for (; step.done !== true; step = sorting.next()) turns++
  expect(turns).toBe(3)

  const sorted = step.value
  const found: [number, number, boolean][] = []
  sorted.each(odd, (...posting) => found.push(posting))
  expect(found).toEqual(
    Array.from({ length: 20_000 }, (_, at) => 2 * at + 1).map((entry) => [entry, entry / 8, entry % 3 === 0]),
  )
  expect([even, odd, unused].map((term) => sorted.count(term))).toEqual([20_000, 20_000, 0])
  sorted.each(unused, () => expect.unreachable())
})
