import { expect, test } from 'vitest'
import { blocksOf } from '../../../renderer/rooms/settings/prose.ts'

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
