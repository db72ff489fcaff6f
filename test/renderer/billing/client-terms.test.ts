import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyOf, formOf, wrongFields, type Terms } from '../../../renderer/rooms/billing/client-terms.ts'
import { fineAmountText, readFineAmount } from '../../../renderer/app/money.ts'

const TERMS: Terms = {
  account_id: '0197f0c2-6a3e-7c51-9d2b-5f8e1a7c4b60',
  ...{
    amount_cents: 4_900,
    currency: 'usd',
    interval: 'month',
    email: 'billing@client.example',
    language: 'es',
    tax: null,
  },
  metered: [{ counter: 'call_seconds', unit_amount_cents: 1 }],
  usage_prices: [
    { counter: 'call_seconds', per: 1, amount_cents_decimal: '1' },
    { counter: 'ai_tokens', per: 1_000, amount_cents_decimal: '0.01' },
  ],
  ...{ message_costs: { markup_percent: 15 }, message_costs_left_out: [] },
  ...{ status: 'active', error: null, usage_reported_until: null, current_period_end: null },
  updated_at: '2026-03-01T09:30:00.000Z',
}

describe('prices of metered use', () => {
  test.each([
    ['usd', '0.0001', '0.01'],
    ['usd', '0,0025', '0.25'],
    ['usd', '0.02', '2'],
    ['usd', '10000', '1000000'],
    ['jpy', '0.0001', '0.0001'],
    ['jpy', '12', '12'],
    ['kwd', '0.0001', '0.1'],
  ])('%s %s is %s of the smallest unit', (currency, text, cents) => {
    expect(readFineAmount(text, currency)).toBe(cents)
  })

  test.each(['', '-1', '1e3', '0.0000001', '1.2.3', 'a'])('"%s" is not a price', (text) => {
    expect(readFineAmount(text, 'usd')).toBeUndefined()
  })

  test('every possible price is shown and parsed back unchanged', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('usd', 'jpy', 'kwd'),
        fc.constantFrom('en', 'es', 'pt-BR'),
        fc.integer({ min: 1, max: 10_000_000_000 }),
        (currency, locale, tenThousandths) => {
          const fine = String(tenThousandths % 10_000)
            .padStart(4, '0')
            .replace(/0+$/, '')
          const cents = `${String(Math.floor(tenThousandths / 10_000))}${fine === '' ? '' : `.${fine}`}`
          expect(readFineAmount(fineAmountText(cents, currency, locale), currency)).toBe(cents)
        },
      ),
    )
  })
})

test('terms are shown and sent back unchanged, with the unit of each price', () => {
  const form = formOf(TERMS, 'en')
  expect(form.metered).toEqual({ sent: '', received: '', calls: '', call_seconds: '0.01', ai_tokens: '0.0001' })
  expect(form.per).toEqual({ sent: 1, received: 1, calls: 1, call_seconds: 1, ai_tokens: 1_000 })
  expect(bodyOf(form).usage_prices).toEqual(TERMS.usage_prices)
  expect(bodyOf(form)).not.toHaveProperty('metered')
  expect(wrongFields(form)).toEqual([])
})

test.each(['es', 'pt-BR'])('prices have the decimal comma of the language in %s', (locale) => {
  const form = formOf(TERMS, locale)
  expect([form.amount, form.metered.ai_tokens]).toEqual(['49,00', '0,0001'])
  expect(bodyOf(form)).toEqual(bodyOf(formOf(TERMS, 'en')))
})

test('a new price is for a minute and for 1,000 tokens, and no price is zero or beyond the limit', () => {
  const form = formOf(undefined, 'en')
  expect(form.per).toMatchObject({ call_seconds: 60, ai_tokens: 1_000 })
  const wrong = (text: string) =>
    wrongFields({ ...form, amount: '1', email: 'a@b.example', metered: { ...form.metered, ai_tokens: text } })
  expect(wrong('0.0001')).toEqual([])
  expect(wrong('10000')).toEqual([])
  for (const text of ['0', '0.0000', '10000.0001', 'much']) expect(wrong(text), text).toEqual(['ai_tokens'])
})

test('a markup is a whole percentage, and is not sent if it is off', () => {
  const form = { ...formOf(TERMS, 'en'), markup: '15 %' }
  expect(bodyOf(form).message_costs).toEqual({ markup_percent: 15 })
  expect(bodyOf({ ...form, hasMessageCosts: false }).message_costs).toBeNull()
  for (const markup of ['', '-1', '1.5', '1001', 'much']) {
    expect(wrongFields({ ...form, markup }), markup).toEqual(['markup'])
    expect(wrongFields({ ...form, markup, hasMessageCosts: false }), markup).toEqual([])
  }
})
