import { expect, test } from 'vitest'
import { decimalOfMicros, microsInput, microsOf, microsText } from '../../../renderer/app/micros.ts'

test.each([
  [3_400, '0.0034', '$0.0034'],
  [0, '0', '$0.00'],
  [1, '0.000001', '$0.000001'],
  [1_500_000, '1.5', '$1.50'],
  [9_007_199_254_740_991, '9007199254.740991', '$9,007,199,254.740991'],
])('%i millionths are %s', (micros, decimal, text) => {
  expect(decimalOfMicros(micros)).toBe(decimal)
  expect(microsText(micros, 'usd', 'en')).toBe(text)
})

test.each([
  ['0.0034', 3_400],
  ['0,0159', 15_900],
  [' 2 ', 2_000_000],
  ['0.0000001', undefined],
  ['-1', undefined],
  ['', undefined],
  ['1.', undefined],
  ['a', undefined],
])('parses “%s” as %s', (text, micros) => {
  expect(microsOf(text)).toBe(micros)
})

test.each([
  ['en', 3_400, '0.0034'],
  ['pt-BR', 3_400, '0,0034'],
  ['es', 1_234_500_000, '1234,5'],
])('a field in %s shows %i millionths as %s and accepts it', (locale, micros, text) => {
  expect(microsInput(micros, locale)).toBe(text)
  expect(microsOf(text)).toBe(micros)
})
