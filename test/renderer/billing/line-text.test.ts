import { expect, test } from 'vitest'
import { INVOICE_WORDS } from '../../../main/capabilities/billing/stripe/invoice-words.ts'
import { OFFERS } from '../../../main/capabilities/billing/catalogue.ts'
import { readLine, readSold } from '../../../renderer/rooms/billing/line-text.ts'

test.each([
  ['1 × Growth (at $79.00 / month)', { words: 'one', name: 'Growth', quantity: 1 }],
  ['5 × Extra slots (at R$10.00 / month)', { words: 'several', name: 'Extra slots', quantity: 5 }],
  ['Unused time on Starter after 10 Feb 2027', { words: 'unused', name: 'Starter', quantity: 1 }],
  ['Remaining time on Growth', { words: 'remaining', name: 'Growth', quantity: 1 }],
  ['Consulting, March', undefined],
])('%s is shown as the product', (description, line) => expect(readLine(description)).toEqual(line))

test.each(OFFERS)('$name ($quantity) is recognized by its name on invoices', ({ name, plan, product, quantity }) => {
  const written = quantity > 1 ? `${name} (${quantity})` : name
  expect(readSold(written)).toEqual({ ...(plan === null ? { product } : { plan }), quantity })
})

test('an unknown name is kept', () => expect(readSold('Consulting (2)')).toBeUndefined())

test.each(Object.values(INVOICE_WORDS))('an invoice for "$service" is in the language of the window', ({ service }) => {
  const line = { words: 'service', name: 'Bakery, Luz', quantity: 1 }
  expect(readLine(`1 × ${service}, Bakery, Luz (at $49.00 / month)`)).toEqual(line)
  expect(readLine(`${service}, Bakery, Luz`)).toEqual(line)
})
