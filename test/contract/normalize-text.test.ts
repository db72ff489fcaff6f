import { expect, test } from 'vitest'
import { termsOf } from '../../main/capabilities/contacts/name-terms.ts'
import { slugOf } from '../../main/capabilities/instances/slug.ts'
import { variableKey } from '../../main/contract/campaign-text.ts'
import { normalizeText } from '../../main/contract/normalize-text.ts'
import { fold } from '../../main/kernel/search/index.ts'
import { cpuTime } from '../support/cpu-time.ts'

const FORMS = ['NFC', 'NFD', 'NFKD'] as const

test('text of every language is normalized like the platform does', () => {
  const texts = ['João Ünal 😀', 'Tiếng Việt', 'שָׁלוֹם עֲלֵיכֶם', 'हिन्दी', '각', 'ｶﾞｷﾞ', 'a' + '\u0301'.repeat(30), 'ﬁ']
  for (const text of texts) for (const form of FORMS) expect(normalizeText(text, form)).toBe(text.normalize(form))
})

test('more than 30 combining marks of a letter are cut off', () => {
  expect(normalizeText(`a${'\u0301'.repeat(40)}b`, 'NFD')).toBe(`a${'\u0301'.repeat(30)}b`)
})

const marks = (pair: string) => `x${pair.repeat(32_768)}`

test.each([
  ['a search', fold, '\u0301\u0316'],
  ['the name of a contact', termsOf, '\u0301\u0316'],
  ['the name of an instance', slugOf, '\u0301\u0316'],
  ['a variable', variableKey, '\u0301\u0316'],
  ['halfwidth marks', (text: string) => normalizeText(text, 'NFKD'), '\u0301\uff9e'],
])('65,536 combining marks are handled quickly in %s', async (_name, read: (text: string) => unknown, pair) => {
  expect(await cpuTime(() => read(marks(pair)))).toBeLessThan(250)
})
