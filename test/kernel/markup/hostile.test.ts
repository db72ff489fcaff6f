import { expect, test } from 'vitest'
import { markupOfMarkdown } from '../../../main/kernel/markup/index.ts'
import { FILLERS, filled, growingFences } from './fillers.ts'
import { cpuTime } from '../../support/cpu-time.ts'

/** Pieces that mean something in Markdown, or nearly do. */
const PIECES = [
  ...['**', '*', '***', '__', '_', '~~', '~', '`', '``', '```', '\n```\n', '\n```js\n', '\n~~~\n', '\\', '\\*', '\\\\'],
  ...[
    '\n',
    '\n\n',
    '\n\n\n',
    ' ',
    '  ',
    '\t',
    '\n# ',
    '\n> ',
    '\n>',
    '\n- ',
    '\n* ',
    '\n+ ',
    '\n  - ',
    '\n1. ',
    '\n1) ',
  ],
  ...[
    '[',
    ']',
    '](',
    '(',
    ')',
    '![',
    '](https://x.com/',
    '](/a)',
    '<',
    '>',
    '<br>',
    '&nbsp;',
    '&amp;',
    '|',
    '\n|',
    '|\n',
  ],
  ...[
    '\n|---|---|\n',
    '\n---\n',
    '\n***\n',
    '#',
    '!',
    '.',
    ':',
    'https://x.com/a_b',
    'a@b.co',
    '__init__',
    '👩‍👧',
    '点',
    '"',
  ],
] as const

/** A text of random pieces with words of its own: w1w, w2w … */
function hostileText(seed: number, length: number): { readonly text: string; readonly words: readonly string[] } {
  let state = seed * 2_654_435_761
  const below = (most: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return Math.floor(((state >>> 0) / 2 ** 32) * most)
  }
  const words: string[] = []
  let text = ''
  while (text.length < length) {
    if (below(3) > 0) text += PIECES[below(PIECES.length)] ?? ''
    else {
      const word = `w${words.length}w`
      words.push(word)
      text += word
    }
  }
  return { text, words }
}

/** The word after an opening fence names a language, and is the only one that is dropped. */
const withoutLanguages = (text: string): string =>
  text.replaceAll('<br>', '\n').replaceAll(/^[ \t]*(?:`{3,}|~{3,})[ \t]*[\w.+#-]+[ \t]*$/gm, '')

const SEEDS = Array.from({ length: 4_000 }, (_, at) => at + 1)

test('converting twice changes nothing', () => {
  for (const seed of SEEDS) {
    const { text } = hostileText(seed, 10 + (seed % 120))
    const once = markupOfMarkdown(text)
    expect(markupOfMarkdown(once), JSON.stringify(text)).toBe(once)
  }
})

test('no word is lost, whatever markup surrounds it', () => {
  for (const seed of SEEDS) {
    const { text, words } = hostileText(seed, 10 + (seed % 120))
    const markup = markupOfMarkdown(text)
    const kept = withoutLanguages(text)
    for (const word of words.filter((each) => kept.includes(each)))
      expect(markup.includes(word), `${word} of ${JSON.stringify(text)} in ${JSON.stringify(markup)}`).toBe(true)
  }
})

test('a lone surrogate changes nothing around it', () => {
  expect(markupOfMarkdown('**a** \uD83D **b**')).toBe('*a* \uD83D *b*')
})

/** Twice as much takes twice as long: what grows with the square would take minutes. */
test('a long text of one repeated piece is converted in linear time', async () => {
  for (const piece of FILLERS) {
    const text = filled(piece, 32_768)
    expect(await cpuTime(() => markupOfMarkdown(text)), piece).toBeLessThan(3_000)
  }
})

test('fences of all lengths are scanned once', async () => {
  expect(await cpuTime(() => markupOfMarkdown(growingFences(300)))).toBeLessThan(3_000)
})
