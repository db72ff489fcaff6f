import { expect, test } from 'vitest'
import { markupOfMarkdown } from '../../../main/kernel/markup/index.ts'
import { GOLDEN } from './golden.ts'

test.each(GOLDEN)('converts %j to %j', (markdown, markup) => {
  expect(markupOfMarkdown(markdown)).toBe(markup)
  expect(markupOfMarkdown(markup), 'converted again').toBe(markup)
})
