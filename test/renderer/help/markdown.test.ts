import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { toBlocks, toSections } from '../../../renderer/rooms/help/markdown.ts'

test('cuts a README at its headings and leaves out comments and pictures', () => {
  const text = '# Name\n\nIntro.\n\n![A picture](a.png)\n\n## Pair a number\n\n<!-- note -->\nFirst.\n'
  expect(toSections(text)).toEqual([
    { id: 'introduction', title: 'Name', blocks: [paragraph('Intro.')] },
    { id: 'pair-a-number', title: 'Pair a number', blocks: [paragraph('First.')] },
  ])
})

test('reads lists, code, tables and marks inside a line', () => {
  expect(toBlocks('- one\n- two\n  more\n\n1. first\n')).toEqual([
    { kind: 'list', isOrdered: false, items: [[span('one')], [span('two more')]] },
    { kind: 'list', isOrdered: true, items: [[span('first')]] },
  ])
  expect(toBlocks('```sh\nnpm ci\n\n# not a heading\n```\nAfter')).toEqual([
    { kind: 'code', text: 'npm ci\n\n# not a heading' },
    paragraph('After'),
  ])
  expect(toBlocks('| a | b |\n| --- | --- |\n| 1 | `2` |')).toEqual([
    {
      kind: 'table',
      rows: [
        [[span('a')], [span('b')]],
        [[span('1')], [{ kind: 'code', text: '2' }]],
      ],
    },
  ])
  expect(toBlocks('See [docs](https://a.example) and **this**.')).toEqual([
    {
      kind: 'paragraph',
      spans: [
        span('See '),
        { kind: 'link', text: 'docs', href: 'https://a.example' },
        span(' and '),
        { kind: 'strong', text: 'this' },
        span('.'),
      ],
    },
  ])
})

test('reads all of our README: no Markdown is left over, and every section has an id of its own', () => {
  const sections = toSections(readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8'))
  expect(sections.length).toBeGreaterThan(8)
  expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length)
  const texts = sections.flatMap(({ blocks }) => blocks.flatMap((block) => ('spans' in block ? block.spans : [])))
  expect(texts.filter(({ kind, text }) => kind === 'text' && /\*\*|```|!\[|<!--/.test(text))).toEqual([])
})

const span = (text: string) => ({ kind: 'text', text })
const paragraph = (text: string) => ({ kind: 'paragraph', spans: [span(text)] })
