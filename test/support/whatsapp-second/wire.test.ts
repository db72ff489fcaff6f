import { decodeBinaryNode, encodeBinaryNode, type BinaryNode } from 'baileys'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Node } from './node.ts'
import { decode, encode } from './wire.ts'

const word = fc.oneof(
  fc.constantFrom('iq', 'message', 'participant', 'notification', 'read-self', 'linkCode', 'x'),
  fc.constantFrom('12025550101@s.whatsapp.net', '184000000000000:3@lid', '120363020000000007@g.us', '@s.whatsapp.net'),
  fc.stringMatching(/^[0-9.-]{1,40}$/),
  fc.stringMatching(/^[0-9A-F]{1,40}$/),
  fc.stringMatching(/^[a-z]{1,20}$/),
  fc.constantFrom('Olá 🌱', '3EB0C8C11584AD84861B1B', 'a'.repeat(300)),
)
const bytes = fc.uint8Array({ minLength: 1, maxLength: 1_500 }).map((array) => Buffer.from(array))
const { element } = fc.letrec<{ element: Node }>((tie) => ({
  element: fc.record(
    {
      tag: word,
      attrs: fc.dictionary(word, word, { maxKeys: 4 }).map((attrs) => ({ ...attrs })),
      content: fc.oneof({ maxDepth: 3 }, bytes, fc.array(tie('element'), { minLength: 1, maxLength: 2 })),
    },
    { requiredKeys: ['tag', 'attrs'] },
  ),
}))

/** The library may return text where this module returns bytes, so both are converted to the same form. */
const plain = (node: Node | BinaryNode): unknown => ({
  ...{ tag: node.tag, attrs: { ...node.attrs } },
  ...(node.content !== undefined && {
    content: Array.isArray(node.content) ? node.content.map(plain) : Buffer.from(node.content as Uint8Array),
  }),
})

test('what is written here the library reads, compressed or not', async () => {
  await fc.assert(
    fc.asyncProperty(element, async (node) => {
      expect(plain(await decodeBinaryNode(encode(node)))).toEqual(plain(node))
    }),
    { numRuns: 60, seed: 7 },
  )
})

test('what the library writes is read here', () => {
  fc.assert(
    fc.property(element, (node) => {
      expect(plain(decode(encodeBinaryNode(node as BinaryNode)))).toEqual(plain(node))
    }),
    { numRuns: 60, seed: 7 },
  )
})
