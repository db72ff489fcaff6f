import { expect, test } from 'vitest'
import { plainText } from '../../../main/kernel/markup/index.ts'
import { cpuTime } from '../../support/cpu-time.ts'

test.each([
  ['*Preço:* _hoje_ ~R$ 12~ R$ 10', 'Preço: hoje R$ 12 R$ 10'],
  ['*_both_*', 'both'],
  ['- *a*\n> b', '- a\n> b'],
  ['`x = __init__`', 'x = __init__'],
  ['2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
  ['https://x.com/_a_*b* ana_b_c@x.com', 'https://x.com/_a_*b* ana_b_c@x.com'],
  ['* not closed', '* not closed'],
])('%j without markup is %j', (markup, plain) => {
  expect(plainText(markup)).toBe(plain)
  expect(plainText(plain), 'again').toBe(plain)
})

test('leaves code unchanged', () => {
  expect(plainText('```\n*a*\n```')).toBe('*a*')
})

test('takes time linear in the length of the text', async () => {
  for (const piece of ['*', '*a', '* a', '_a _', '`', '~']) {
    const text = piece.repeat(60_000)
    expect(await cpuTime(() => plainText(text)), piece).toBeLessThan(2_000)
  }
})
