import { expect, test } from 'vitest'
import { priceOf } from '../../../main/capabilities/ai-providers/prices.ts'
import { cpuTime } from '../../support/cpu-time.ts'

test.each([
  ['gpt-4o', true],
  ['gpt-4o-2024-08-06', true],
  ['openai/gpt-4o-mini', true],
  ['models/gemini-2.5-pro-preview-05-20', true],
  ['claude-3-5-haiku@20241022', true],
  ['claude-3-5-sonnet-latest', true],
  ['gpt-4o-audio', false],
  ['gpt-4other', false],
])('the price of %s is known: %j', (model, isKnown) => expect(priceOf(model) !== null).toBe(isKnown))

test('the price of a model with a long number is looked up quickly', async () => {
  expect(await cpuTime(() => priceOf(`gpt-4o-${'1'.repeat(193)}x`))).toBeLessThan(100)
})
