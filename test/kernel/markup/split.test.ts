import { expect, test } from 'vitest'
import { splitText } from '../../../main/kernel/markup/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const split = (text: string, limit: number, isFewest = false) => splitText(text, { limit, isFewest }).parts

const SENTENCE = 'Abrimos de segunda a sexta, das oito às dezoito horas. '
const PARAGRAPH = SENTENCE.repeat(4).trim()

test('a text that fits is one message', () => {
  expect(splitText('a'.repeat(100), { limit: 100, isFewest: false })).toEqual({ parts: ['a'.repeat(100)], rest: null })
  expect(splitText('', { limit: 100, isFewest: false })).toEqual({ parts: [], rest: null })
})

test('prefers to split at an empty line, then at a line break, a sentence end or a space', () => {
  expect(split(`${PARAGRAPH}\n\n${PARAGRAPH}`, PARAGRAPH.length + 120)).toEqual([PARAGRAPH, PARAGRAPH])
  expect(split(`${PARAGRAPH}\n${PARAGRAPH}`, PARAGRAPH.length + 120)).toEqual([PARAGRAPH, PARAGRAPH])
  const sentences = split(PARAGRAPH, 130)
  expect(sentences).toEqual([SENTENCE.repeat(2).trim(), SENTENCE.repeat(2).trim()])
  expect(split('um dois três quatro', 12)).toEqual(['um dois três', 'quatro'])
})

test('uses as few messages as possible where each costs', () => {
  const text = `${'a '.repeat(30).trim()}\n\n${'b '.repeat(65).trim()}`
  expect(split(text, 100).length).toBe(3)
  const fewest = split(text, 100, true)
  expect(fewest.length).toBe(2)
  expect(fewest.join(' ').replaceAll(/\s+/g, ' ')).toBe(text.replaceAll(/\s+/g, ' '))
})

test('never splits a URL, formatted text or code within a line', () => {
  for (const whole of ['https://x.com/a_long/path-to-something', '*bold words of a bubble*', '`code with spaces`'])
    for (let before = 40; before < 60; before++) {
      const text = `${'w '.repeat(before / 2)}${whole} ${'z '.repeat(20)}`
      const parts = split(text, 60)
      expect(parts.filter((part) => part.includes(whole)).length, JSON.stringify(parts)).toBe(1)
    }
})

test('closes a code block and opens it again in the next message', () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
  const parts = split(['Here:', '```', ...lines, '```', 'Done.'].join('\n'), 100)
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(100)
    expect(part.split('```').length % 2, part).toBe(1)
    expect(part).not.toMatch(/```\n```/)
  }
  const code = parts
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('line '))
  expect(code).toEqual(lines)
})

test('never splits what a reader sees as one character', () => {
  const family = '👨‍👩‍👧‍👦'
  for (const limit of [50, 51, 52, 53, 60]) {
    const parts = split(family.repeat(40), limit)
    expect(parts.join('')).toBe(family.repeat(40))
    for (const part of parts) expect(part.length % family.length, part).toBe(0)
  }
})

test('ends with an offer when more is left, and keeps the rest', () => {
  const text = Array.from({ length: 40 }, (_, at) => `Paragraph ${at}. ${SENTENCE}`.trim()).join('\n\n')
  const ending = '\n\nShall I go on?'
  const first = splitText(text, { limit: 300, isFewest: false, most: 3, ending })
  expect(first.parts.length).toBe(3)
  expect(first.parts.filter((part) => part.endsWith(ending)).length).toBe(1)
  expect(first.parts.at(-1)).toMatch(/go on\?$/)
  for (const part of first.parts) expect(part.length).toBeLessThanOrEqual(300)
  const said = [...first.parts.map((part) => part.replace(ending, '')), first.rest].join('\n\n')
  expect(said.split(/\s+/)).toEqual(text.split(/\s+/))
})

test('loses no word of any text', () => {
  const pieces = [
    '*',
    '_',
    '~',
    '`',
    '```\n',
    '\n```\n',
    '\n\n',
    '\n',
    '. ',
    ' ',
    'https://x.com/a_b ',
    '点',
    '👩‍👧',
    '- ',
    '> ',
  ]
  let state = 7
  const below = (most: number) => (state = (state * 48_271) % 2_147_483_647) % most
  for (let round = 0; round < 600; round++) {
    let text = ''
    let words = 0
    while (text.length < 400) text += below(3) > 0 ? `w${words++}w ` : (pieces[below(pieces.length)] ?? '')
    const limit = 40 + below(120)
    const parts = split(text, limit, round % 2 === 0)
    const all = parts.join('\n')
    for (let at = 0; at < words; at++) expect(all.includes(`w${at}w`), `w${at}w of ${JSON.stringify(text)}`).toBe(true)
    for (const part of parts) expect(part.length, JSON.stringify(text)).toBeLessThanOrEqual(limit)
  }
})

test('takes time linear in the length of the text', async () => {
  for (const piece of ['a', 'a ', '*a* ', '```\na\n', '`', 'https://x.com ', '\n']) {
    const text = piece.repeat(100_000 / piece.length)
    expect(await cpuTime(() => splitText(text, { limit: 4_000, isFewest: true })), piece).toBeLessThan(4_000)
  }
})
