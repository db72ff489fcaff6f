import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { buildOpenApi } from '../../../main/faces/openapi.ts'
import { allAtOnce } from '../../../main/kernel/steps.ts'
import { plainText, toBlocks, toSections, type Block } from '../../../renderer/parts/markdown.ts'

test('splits a README at headings, without comments and pictures', () => {
  const text = '# Name\n\nIntro.\n\n![A picture](a.png)\n\n## Pair a number\n\n<!-- note -->\nFirst.\n'
  expect(toSections(text).map(({ markdown, ...rest }) => ({ ...rest, blocks: toBlocks(markdown) }))).toEqual([
    { id: 'introduction', title: 'Name', blocks: [paragraph('Intro.')] },
    { id: 'pair-a-number', title: 'Pair a number', blocks: [paragraph('First.')] },
  ])
})

test('parses lists, code, tables and inline formatting', () => {
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
  expect(toBlocks('')).toEqual([])
})

test('a list may follow its paragraph directly, and a title is plain text', () => {
  expect(toBlocks('First:\n1. one\n2. two\n   more\n\n```json\n{\n\n}\n```').map(({ kind }) => kind)).toEqual([
    'paragraph',
    'list',
    'code',
  ])
  expect(plainText('See [the `docs`](https://a.example), *now*.')).toBe('See the docs, now.')
})

test('HTML is shown as text', () => {
  expect(toBlocks('A <b>bold</b> & <img src=x onerror=y>')).toEqual([
    { kind: 'paragraph', spans: ['A ', '<b>', 'bold', '</b>', ' & ', '<img src=x onerror=y>'].map(span) },
  ])
})

test('shows no description of the API with raw Markdown', () => {
  const texts: string[] = []
  JSON.stringify(
    allAtOnce(buildOpenApi({ contracts: CONTRACTS, version: '0', baseUrl: 'http://127.0.0.1' })),
    (key, value) => {
      if ((key === 'description' || key === 'summary') && typeof value === 'string') texts.push(value)
      return value as unknown
    },
  )
  expect(texts.flatMap(toBlocks).flatMap(rawMarks)).toEqual([])
  expect(texts.length).toBeGreaterThan(200)
})

test('parses our README without leftover Markdown and with unique section ids', () => {
  const sections = toSections(readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8'))
  expect(sections.length).toBeGreaterThan(8)
  expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length)
  expect(sections.flatMap(({ markdown }) => toBlocks(markdown)).flatMap(rawMarks)).toEqual([])
})

const span = (text: string) => ({ kind: 'text', text })
const paragraph = (text: string) => ({ kind: 'paragraph', spans: [span(text)] })

/** What a reader would see of Markdown that was not understood. */
function rawMarks(block: Block): string[] {
  if (block.kind === 'code') return []
  const spans = 'spans' in block ? block.spans : block.kind === 'list' ? block.items.flat() : block.rows.flat(2)
  return spans
    .filter(({ kind, text }) => kind !== 'code' && /`|\*\*|\]\(|^#+ |^\||<!--/.test(text))
    .map(({ text }) => text)
}
