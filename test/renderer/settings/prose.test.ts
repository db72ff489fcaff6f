import { expect, test } from 'vitest'
import { CONTRACTS } from '../../../main/capabilities/contracts.ts'
import { buildOpenApi } from '../../../main/faces/openapi.ts'
import { blocksOf, plainText } from '../../../renderer/rooms/settings/prose.ts'

test('descriptions are cut into paragraphs, lists, code and strong words', () => {
  expect(blocksOf('Use `a=b` **once**.\nThen wait.\n\n- one\n- two `x`')).toEqual([
    {
      kind: 'paragraph',
      items: [
        [
          { kind: 'text', text: 'Use ' },
          { kind: 'code', text: 'a=b' },
          { kind: 'text', text: ' ' },
          { kind: 'strong', text: 'once' },
          { kind: 'text', text: '. Then wait.' },
        ],
      ],
    },
    {
      kind: 'list',
      items: [
        [{ kind: 'text', text: 'one' }],
        [
          { kind: 'text', text: 'two ' },
          { kind: 'code', text: 'x' },
        ],
      ],
    },
  ])
  expect(blocksOf('')).toEqual([])
})

test('a list may follow its paragraph directly; code blocks, emphasis and links are understood', () => {
  expect(blocksOf('First:\n1. one\n2. two\n   more\n\n```json\n{\n\n}\n```').map(({ kind }) => kind)).toEqual([
    'paragraph',
    'numbers',
    'code',
  ])
  expect(plainText('See [the `docs`](https://a.example), *now*.')).toBe('See the docs, now.')
})

test('no description of the API is shown with raw Markdown', () => {
  const texts: string[] = []
  JSON.stringify(buildOpenApi({ contracts: CONTRACTS, version: '0', baseUrl: 'http://127.0.0.1' }), (key, value) => {
    if ((key === 'description' || key === 'summary') && typeof value === 'string') texts.push(value)
    return value as unknown
  })
  const raw = texts.flatMap((text) =>
    blocksOf(text)
      .filter(({ kind }) => kind !== 'code')
      .flatMap(({ items }) => items.flat())
      .filter(({ kind, text: shown }) => kind !== 'code' && /`|\*\*|\]\(|^#+ |^\|/.test(shown))
      .map(({ text: shown }) => shown),
  )
  expect(raw).toEqual([])
  expect(texts.length).toBeGreaterThan(200)
})
