import { expect, test } from 'vitest'
import type { Block } from '../../../main/kernel/documents/blocks.ts'
import { cutIntoPassages } from '../../../main/kernel/documents/passages.ts'

const text = (words: string, page: number | null = null): Block => ({ text: words, level: null, page })
const heading = (words: string, level: number): Block => ({ text: words, level, page: null })
const sentence = (at: number) => `Sentence ${String(at)} has exactly seven words here.`
const countWords = (words: string) => words.split(' ').length

test('passages have about 120 words, end with a sentence and repeat the end of the one before', () => {
  const sentences = Array.from({ length: 100 }, (_, at) => sentence(at))
  const found = cutIntoPassages([text(sentences.join(' '))])
  expect(found.length).toBeGreaterThan(3)
  for (const { text: words } of found) {
    expect(countWords(words)).toBeLessThanOrEqual(144)
    expect(words).toMatch(/^Sentence .* here\.$/)
  }
  found.slice(1).forEach(({ text: words }, at) => {
    const first = words.split('. ')[0] ?? ''
    expect(found[at]?.text).toContain(first)
  })
  for (const each of sentences) expect(found.some(({ text: words }) => words.includes(each))).toBe(true)
})

test.each([
  ['one word', 'é'.repeat(200_000)],
  ['a language without spaces', '我们的商店每天营业到晚上八点。'.repeat(5_000)],
  ['characters of two units', `a${'🙂'.repeat(20_000)}`],
])('a text of %s is cut into short passages', (_, long) => {
  const found = cutIntoPassages([text(long)]).map(({ text: words }) => words)
  expect(found.join('').replaceAll(' ', '')).toBe(long)
  for (const words of found) {
    expect(words.length).toBeLessThan(1_500)
    expect(words.isWellFormed()).toBe(true)
  }
})

test('a text of long addresses is cut into short passages', () => {
  const addresses = Array.from(
    { length: 2_000 },
    (_, at) => `https://shop.example/a-page-with-a-long-name/${at}/and/parts`,
  )
  const found = cutIntoPassages([text(addresses.join(' '))]).map(({ text: words }) => words)
  for (const words of found) expect(words.length).toBeLessThan(2_000)
  expect([...new Set(found.flatMap((words) => words.split(' ')))]).toEqual(addresses)
})

test('a heading begins a new passage, and the headings above it are kept', () => {
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

test('a passage states the page on which it begins', () => {
  const found = cutIntoPassages(
    [1, 2, 3].map((page) => text(Array.from({ length: 15 }, (_, at) => sentence(at)).join(' '), page)),
  )
  expect(found.map(({ page }) => page)).toEqual([1, 2, 3])
})

test('a paragraph that fits is not split or repeated', () => {
  const paragraphs = Array.from({ length: 6 }, (_, part) =>
    Array.from({ length: 8 }, (_, at) => sentence(part * 10 + at)).join(' '),
  )
  const found = cutIntoPassages(paragraphs.map((words) => text(words)))
  expect(found.map(({ text: words }) => words).join('\n')).toBe(paragraphs.join('\n'))
  for (const { text: words } of found) for (const part of words.split('\n')) expect(paragraphs).toContain(part)
})

test('each part of a table begins with its header, and each part of a list with the sentence before the list', () => {
  const row = (at: number): Block => ({ ...text(`Service number ${String(at)} · ${String(at)} euros`), role: 'row' })
  const item = (at: number): Block => ({ ...text(`the tool number ${String(at)}`), role: 'item' })
  const rows = Array.from({ length: 60 }, (_, at) => row(at))
  const items = Array.from({ length: 90 }, (_, at) => item(at))
  const header: Block = { ...text('Service · Price'), role: 'header' }
  const tables = cutIntoPassages([text('Our prices.'), header, ...rows])
  const lists = cutIntoPassages([text('Hello. You do not need to bring:'), ...items])
  expect(tables.length).toBeGreaterThan(2)
  expect(lists.length).toBeGreaterThan(2)
  for (const { text: words } of tables.slice(1)) expect(words).toMatch(/^Service · Price\nService number/)
  for (const { text: words } of lists.slice(1)) expect(words).toMatch(/^You do not need to bring:\nthe tool/)
})

test('a heading path that is too long loses its outermost headings', () => {
  const [found] = cutIntoPassages([
    heading('A'.repeat(190), 1),
    heading('Delivery', 2),
    heading('Abroad', 3),
    text('No.'),
  ])
  expect(found?.heading).toBe('Delivery › Abroad')
})

test('a document with too many passages is split into larger ones before it is refused', () => {
  const words = Array.from({ length: 110_000 }, () => sentence(1)).join(' ')
  const found = cutIntoPassages([text(words)])
  expect(found.length).toBeLessThanOrEqual(5_000)
  expect(countWords(found[0]?.text ?? '')).toBeGreaterThan(144)
})

test('text without sentence ends is split as well', () => {
  const found = cutIntoPassages([text('word '.repeat(1_000))])
  for (const { text: words } of found) expect(countWords(words)).toBeLessThanOrEqual(160)
})

test.each([[[]], [[text('  \n ')]], [[heading('Only a heading', 1)]]])('empty text is an error', (blocks) => {
  expect(() => cutIntoPassages(blocks)).toThrow('empty')
})
