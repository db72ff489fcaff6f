import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brokenRules } from '../support/axe.ts'
import { pairedInstance } from '../support/sandbox.ts'
import { openConsole, type ConsoleWindow } from '../support/window.ts'

/** Buying, ending and being billed in the window, with the hosted pages of the simulated payment provider. */
const SOON = { timeout: 60_000 }
const CARDS = { works: '4242424242424242', declinedLater: '4000000000000341', challenge: '4000000000003220' }

let w: ConsoleWindow
let page: Page

beforeAll(async () => {
  w = await openConsole({ SWITCHBOARD_SLOTS: '1' })
  page = w.page
  await pairedInstance(w.api, '12025550100', 'Bakery Luz')
})
afterAll(() => w.remove())

const paid = async () =>
  (await w.api('GET', '/v1/billing/purchases')).body.data.filter(({ status }: { status: string }) => status === 'paid')
const subscription = async () => (await w.api('GET', '/v1/billing/subscription')).body
const saveCard = (number: string) => w.api('PUT', '/v1/sandbox/billing/card', { number })
const dialog = () => page.getByRole('dialog')
const button = (name: string | RegExp) => page.getByRole('button', { name })
const close = () => dialog().getByRole('button', { name: 'Close' }).last().click()
const violations = (of: Page) => brokenRules(of)

/** Presses what leads to a page of the payment provider. */
async function hostedPage(press: () => Promise<void>): Promise<Page> {
  const [opened] = await Promise.all([w.context.waitForEvent('page'), press()])
  await opened.waitForLoadState()
  return opened
}
async function enterCard(on: Page, number: string): Promise<void> {
  await on.getByLabel('Card number').fill(number)
  await on.getByLabel('Expiry date').fill('12/34')
}

describe('an account without a card', () => {
  test('sees the exact amount, pays on the hosted page, and the dialog then shows the payment', async () => {
    await w.open('/billing')
    await button('Choose: Starter').click()
    await dialog().getByText('Due today').waitFor()
    await expect.poll(() => dialog().innerText()).toContain('No money is charged')
    const hosted = await hostedPage(() => button('Continue to payment').click())
    expect(await violations(hosted)).toEqual([])
    await enterCard(hosted, CARDS.works)
    await hosted.getByRole('button', { name: 'Pay $19.00' }).click()
    await hosted.getByText('Payment complete').waitFor()
    await hosted.close()
    await dialog().getByText('Payment complete: Starter').waitFor(SOON)
    await close()
    await page.getByText('Visa •••• 4242').waitFor()
    expect(await paid()).toMatchObject([{ plan: 'starter', amount_cents: 1_900 }])
  })
})

describe('an account with a card', () => {
  test('upgrades in two clicks and pays only the difference; a double click charges once', async () => {
    await button('Upgrade: Growth').first().click()
    const pay = button('Pay $60.00 now')
    await pay.dblclick()
    await dialog().getByText('Purchase complete: Growth').waitFor(SOON)
    await close()
    expect(await paid()).toMatchObject([{ plan: 'growth', amount_cents: 6_000 }, { plan: 'starter' }])
  })

  test('retries a purchase whose response was lost without paying twice', async () => {
    let isLost = false
    await page.route('**/panel/v1/billing/purchases', async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.continue()
      isLost = true
      await route.fetch()
      return route.abort()
    })
    await button('Buy: Guided setup').click()
    await button('Pay $99.00 now').click()
    await dialog().getByRole('button', { name: 'Try again' }).click()
    await dialog().getByText('Purchase complete: Guided setup').waitFor(SOON)
    await close()
    const setups = (await paid()).filter(({ product }: { product: string | null }) => product === 'setup')
    expect(setups).toHaveLength(1)
  })

  test('shows why the bank declined or that it requires confirmation, and the payment is confirmed on the hosted page', async () => {
    await saveCard(CARDS.declinedLater)
    await button('Buy: Unlimited calls').first().click()
    await button('Pay $29.00 now').click()
    await dialog().getByText('The bank declined the card').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await saveCard(CARDS.challenge)
    await page.getByText('Visa •••• 3220').waitFor()
    await button('Buy: Unlimited calls').first().click()
    await button('Pay $29.00 now').click()
    await dialog().getByText('Your bank asks you to confirm this payment').waitFor()
    const before: number = (await paid()).length
    const hosted = await hostedPage(() => button('Confirm on the payment page').click())
    await enterCard(hosted, CARDS.challenge)
    await hosted.getByRole('button', { name: 'Pay $29.00' }).click()
    expect(await violations(hosted)).toEqual([])
    await hosted.getByRole('button', { name: 'Confirm payment' }).click()
    await hosted.getByText('Payment complete').waitFor()
    await hosted.close()
    await dialog().getByText('Payment complete: Unlimited calls').waitFor(SOON)
    await close()
    expect(await paid()).toHaveLength(before + 1)
  })

  test('cannot choose a plan that is too small, and sees how many numbers exceed it', async () => {
    for (const name of ['Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'])
      expect((await w.api('POST', '/v1/instances', { name })).status).toBe(201)
    await w.open('/billing')
    await button('Downgrade: Starter').click()
    const note = await dialog()
      .getByText(/Delete \d numbers? first/)
      .innerText()
    expect(note).toMatch(/It has \d slots, but 8 are in use/)
    expect(
      await dialog()
        .getByRole('button', { name: /^Pay|^Change/ })
        .count(),
    ).toBe(0)
    await page.keyboard.press('Escape')
  })

  test('cancels its plan, and then keeps it', async () => {
    await button('End plan').click()
    await dialog().getByRole('button', { name: 'End plan' }).click()
    await page
      .getByText(/^Ends on /)
      .first()
      .waitFor()
    expect((await subscription()).cancel_at_period_end).toBe(true)
    await button('Keep plan').click()
    await button('End plan').waitFor()
    expect((await subscription()).cancel_at_period_end).toBe(false)
  })

  test('replaces its card on the hosted page, and manages it in the billing portal', async () => {
    const hosted = await hostedPage(() => button('Replace').click())
    await enterCard(hosted, CARDS.declinedLater)
    await hosted.getByRole('button', { name: 'Save card' }).click()
    await hosted.getByText('The card is saved').waitFor()
    await hosted.getByRole('link', { name: 'Back to Switchboard' }).click()
    await hosted.getByText('You can close this tab').waitFor()
    await hosted.close()
    await page.getByText('Visa •••• 0341').waitFor(SOON)
    const portal = await hostedPage(() => button('Billing portal').click())
    await portal.getByRole('heading', { name: 'Billing portal' }).waitFor()
    expect(await violations(portal)).toEqual([])
    await portal.close()
  })
})

describe('a payment that fails', () => {
  test('is announced with what stops and when, and can be paid on the invoice page', async () => {
    await w.api('POST', '/v1/sandbox/billing/clock', { days: 32 })
    await w.open('/overview')
    await page.getByText(/A payment failed. Sending stops in \d days/).waitFor(SOON)
    await page.getByRole('link', { name: 'Pay', exact: true }).click()
    await page.getByText(/^The payment on .* failed$/).waitFor()
    await w.api('POST', '/v1/sandbox/billing/clock', { days: 8 })
    await page.getByText(/^Sending stopped on .* because a payment is overdue$/).waitFor(SOON)
    await page.getByText('Messages still arrive, numbers').waitFor()
    expect(await violations(page)).toEqual([])
    const invoice = await hostedPage(() =>
      page
        .getByRole('list', { name: 'Open invoices' })
        .getByRole('link', { name: /^Pay \$/ })
        .first()
        .click(),
    )
    await enterCard(invoice, CARDS.works)
    await invoice.getByRole('button', { name: /^Pay/ }).click()
    await invoice.getByText('Paid').first().waitFor()
    await invoice.close()
    await saveCard(CARDS.works)
  })

  test('is in the history, and its invoice has a PDF', async () => {
    await w.open('/billing?tab=history')
    await page.getByText('Payment for Growth failed').first().waitFor()
    await w.open('/billing?tab=invoices')
    const link = page.getByRole('link', { name: /^PDF/ }).first()
    const pdf = await fetch((await link.getAttribute('href')) ?? '')
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
  })
})

describe('a payment without a response', () => {
  test('is shown as processing: the dialog can be closed, and the history lists the payment', async () => {
    await expect.poll(async () => (await subscription()).status, SOON).toBe('active')
    // More than one: what the card just saved causes at the provider may meet the first.
    await w.api('POST', '/v1/sandbox/billing/faults', { kind: 'close_after_read', times: 5 })
    await w.api('POST', '/v1/sandbox/billing/faults', { kind: 'lose_callbacks', times: 20 })
    await w.open('/billing')
    await button('Buy: Extra slots').first().click()
    await button('Pay $5.00 now').click()
    await dialog().getByText('The payment is processing').waitFor(SOON)
    await close()
    await w.open('/billing?tab=history')
    await page.getByText('Extra slots, $5.00: processing').waitFor()
  })
})

describe('the operator', () => {
  test('bills a client with its own price and tax ID', async () => {
    const made = await w.api('POST', '/v1/agency/accounts', { name: 'North bakery', slots_allocated: 1 })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { id } = made.body
    await w.open(`/clients/${id}?tab=billing`)
    await page.getByRole('link', { name: 'Set up client billing' }).click()
    await page.getByRole('switch', { name: 'Bill clients' }).click()
    await page.getByText('Choose a client to set its price.').waitFor()
    await w.open(`/clients/${id}?tab=billing`)
    await button('Start billing').click()
    await page.getByText('Enter an amount such as 49.00.').waitFor()
    await page.getByRole('textbox', { name: 'Price' }).fill('49,50')
    await page.getByLabel('Invoices to').fill('billing@bakery.example')
    await page.getByRole('combobox', { name: 'Tax ID' }).click()
    await page.getByRole('option', { name: /^CNPJ/ }).click()
    await page.getByLabel('Number').fill('01.234.456/5432-10')
    await page.getByLabel('Message sent').fill('0.02')
    await page.getByRole('textbox', { name: 'AI tokens' }).fill('0.00000001')
    await button('Start billing').click()
    await page.getByText('Enter a price above 0, such as 0.0025, up to $10,000.00.').waitFor()
    await page.getByRole('textbox', { name: 'AI tokens' }).fill('0,0001')
    await page.getByRole('textbox', { name: 'Call time' }).fill('0.0025')
    await button('Start billing').click()
    await page.getByText('Billed', { exact: true }).waitFor(SOON)
    expect((await w.api('GET', `/v1/agency/accounts/${id}/billing`)).body).toMatchObject({
      ...{ amount_cents: 4_950, currency: 'usd', interval: 'month', status: 'active' },
      tax: { type: 'br_cnpj' },
      metered: [{ counter: 'sent', unit_amount_cents: 2 }],
      usage_prices: [
        { counter: 'sent', per: 1, amount_cents_decimal: '2' },
        { counter: 'call_seconds', per: 60, amount_cents_decimal: '0.25' },
        { counter: 'ai_tokens', per: 1_000, amount_cents_decimal: '0.01' },
      ],
    })
    await w.open(`/clients/${id}?tab=billing`)
    await page.getByRole('combobox', { name: 'Unit of the price: AI tokens' }).getByText('per 1,000').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'AI tokens' }).inputValue()).toBe('0.0001')
  })

  test('goes live after seeing what is missing, and never sees a key again', async () => {
    await w.open('/billing?tab=provider')
    await page.getByRole('radio', { name: 'Live' }).click()
    await button('Go live').click()
    await page.getByText('Not ready: nothing can be bought yet').waitFor()
    await page.getByText('The signing secret of the webhook endpoint at Stripe is missing.').waitFor()
    await page.getByLabel('Webhook signing secret').fill('whsec_abcdefgh12345678')
    await button('Save').last().click()
    await page.getByText('…5678').waitFor()
    expect(await page.content()).not.toContain('whsec_abcdefgh12345678')
    expect(await violations(page)).toEqual([])
    await w.open('/billing')
    await page.getByText('Purchases are not available yet').waitFor()
    await expect.poll(() => page.getByText('No money is charged').count()).toBe(0)
  })
})
