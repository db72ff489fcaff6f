import { expect, test } from 'vitest'
import type { Block } from '../../../main/kernel/documents/blocks.ts'
import { cutIntoPassages } from '../../../main/kernel/documents/passages.ts'

const text = (words: string, page: number | null = null): Block => ({ text: words, level: null, page })
const heading = (words: string, level: number): Block => ({ text: words, level, page: null })
const sentence = (at: number) => `Sentence ${String(at)} has exactly seven words here.`
const countWords = (words: string) => words.split(' ').length

test('passages have about 200 words, end with a sentence and repeat the end of the one before', () => {
  const sentences = Array.from({ length: 100 }, (_, at) => sentence(at))
  const found = cutIntoPassages([text(sentences.join(' '))])
  expect(found.length).toBeGreaterThan(3)
  for (const { text: words } of found) {
    expect(countWords(words)).toBeLessThanOrEqual(240)
    expect(words).toMatch(/^Sentence .* here\.$/)
  }
  found.slice(1).forEach(({ text: words }, at) => {
    const first = words.split('. ')[0] ?? ''
    expect(found[at]?.text).toContain(first)
  })
  for (const each of sentences) expect(found.some(({ text: words }) => words.includes(each))).toBe(true)
})

test('a heading begins a new passage, and those above it are kept', () => {
  expect(
    cutIntoPassages([
      heading('Shop', 1),
      text('Intro.'),
      heading('Delivery', 2),
      heading('Abroad', 3),
      text('No.'),
      heading('Pay', 2),
      text('Pix.'),
    ]),
  ).toEqual([
    { heading: 'Shop', page: null, text: 'Intro.' },
    { heading: 'Shop › Delivery › Abroad', page: null, text: 'No.' },
    { heading: 'Shop › Pay', page: null, text: 'Pix.' },
  ])
})

test('a passage has the page on which it begins', () => {
  const found = cutIntoPassages(
    [1, 2, 3].map((page) => text(Array.from({ length: 25 }, (_, at) => sentence(at)).join(' '), page)),
  )
  expect(found.map(({ page }) => page)).toEqual([1, 2, 3])
})

test('text without an end is cut as well', () => {
  const found = cutIntoPassages([text('word '.repeat(1_000))])
  for (const { text: words } of found) expect(countWords(words)).toBeLessThanOrEqual(240)
})

test.each([[[]], [[text('  \n ')]], [[heading('Only a heading', 1)]]])('no text is an error', (blocks) => {
  expect(() => cutIntoPassages(blocks)).toThrow('empty')
})
