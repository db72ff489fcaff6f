import { expect, test } from 'vitest'
import { buildPostings } from '../../main/kernel/search/postings.ts'

/** Words that have nothing in common, and none twice. */
const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `w${((from + n) * 7_919 + 100_003).toString(36)}`)

const turnsOf = (texts: readonly string[]) =>
  [...buildPostings(texts.map((text, n) => ({ id: `${n}`, text, headings: [] })))].length

test('building an index of distinct words yields more often than one of repeated words', () => {
  const different = Array.from({ length: 60 }, (_, n) => words(n * 150, 150).join(' '))
  const repeated = different.map(() => words(0, 150).join(' '))
  // 9,000 words: a turn prepares about 500 new ones.
  expect(turnsOf(different)).toBeGreaterThan(18)
  expect(turnsOf(repeated)).toBeLessThan(12)
})

test('building the list of common words, which takes long, has a turn of its own', () => {
  expect(turnsOf([])).toBe(1)
})
