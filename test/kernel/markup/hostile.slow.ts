import { expect, test } from 'vitest'
import { markupOfMarkdown } from '../../../main/kernel/markup/index.ts'
import { FILLERS, filled, growingFences } from './fillers.ts'

const MB = 1_048_576

test.each(FILLERS)('a megabyte of %j is converted in seconds', (piece) => {
  const from = performance.now()
  markupOfMarkdown(filled(piece, MB))
  expect(performance.now() - from).toBeLessThan(30_000)
})

test('a megabyte of fences of all lengths is converted in seconds', () => {
  const from = performance.now()
  markupOfMarkdown(growingFences(1_400))
  expect(performance.now() - from).toBeLessThan(30_000)
})
