import { expect, test } from 'vitest'
import { markupOfMarkdown } from '../../../main/kernel/markup/index.ts'
import { FILLERS, filled, growingFences } from './fillers.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const MB = 1_048_576

test.each(FILLERS)('a megabyte of %j is converted in seconds', async (piece) => {
  expect(await cpuTime(() => markupOfMarkdown(filled(piece, MB)))).toBeLessThan(30_000)
})

test('a megabyte of fences of all lengths is converted in seconds', async () => {
  expect(await cpuTime(() => markupOfMarkdown(growingFences(1_400)))).toBeLessThan(30_000)
})
