import { expect, test } from 'vitest'
import { charactersIn } from '../../main/contract/message-limits.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['héllo', 5],
  ['e\u0301', 2],
  ['😀', 1],
  ['👩‍💻', 3],
  ['\ud83d', 1],
  ['\ude00\ud83d', 2],
])('%j counts as %i characters', (text, count) => {
  expect(charactersIn(text)).toBe(count)
})
