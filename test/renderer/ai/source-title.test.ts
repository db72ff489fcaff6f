import { expect, test } from 'vitest'
import { sourceTitle } from '../../../renderer/rooms/ai/source-title.ts'

test.each([
  ['document', 'Guide.pdf, Delivery › Abroad, p. 3', 'Guide.pdf, Delivery › Abroad, página 3'],
  ['document', 'Guide.pdf, p. 12', 'Guide.pdf, página 12'],
  ['document', 'Guide.pdf, Delivery', 'Guide.pdf, Delivery'],
  ['faq', 'What is on the map, p. 3', 'What is on the map, p. 3'],
] as const)('of a source of kind %s, %j is shown as %j', (kind, title, shown) => {
  expect(sourceTitle({ kind, title }, (page) => `página ${page}`)).toBe(shown)
})
