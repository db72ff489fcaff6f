import { expect, test } from 'vitest'
import { worldOfTest, type World } from '../support/world.ts'
import { onWorld } from '../capabilities/billing/billing-world.ts'

const pathOf = (url: string) => new URL(url).pathname

/** As a browser: asks for pages, and sends forms from the page itself. */
function browser(w: World, language = 'en') {
  const headers = { accept: 'text/html', 'accept-language': language }
  return {
    get: (path: string) => w.wire('GET', path, undefined, { key: null, headers }),
    post: (path: string, fields: Record<string, string>) =>
      w.wire('POST', path, new URLSearchParams(fields).toString(), {
        key: null,
        headers: { ...headers, origin: `http://${w.host}`, 'content-type': 'application/x-www-form-urlencoded' },
      }),
  }
}

const CARD = { number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' }

test('the checkout page says sandbox in three languages, accepts only test cards, and shows the bank’s step', async () => {
  const w = await worldOfTest()
  const b = onWorld(w)
  const made = await b.call('POST', '/v1/billing/checkouts', { plan: 'starter' })
  const path = pathOf(made.checkout_url)
  const said = {
    en: ['no money moves', 'Pay $19.00'],
    'pt-BR': ['nenhum dinheiro', 'Pagar US$'],
    es: ['no se mueve dinero', 'Pagar'],
  }
  for (const [language, words] of Object.entries(said)) {
    const page = await browser(w, language).get(path)
    expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(page.text).toContain(`<html lang="${language}">`)
    for (const word of words) expect(page.text, language).toContain(word)
    for (const name of ['number', 'expiry', 'cvc']) {
      expect(page.text).toContain(`<label for="${name}">`)
      expect(page.text).toContain(`id="${name}"`)
    }
  }
  const { get, post } = browser(w)
  for (const fields of [
    { ...CARD, number: '4111111111111111' },
    { ...CARD, number: '4000000000000002' },
    { ...CARD, expiry: '13/34' },
    { ...CARD, number: '<script>alert(1)</script>' },
  ]) {
    const page = await post(path, fields)
    expect(page.status, JSON.stringify(fields)).toBe(400)
    expect(page.text).toContain('role="alert"')
    expect(page.text).not.toMatch(/4111111111111111|<script/)
  }
  const challenge = await post(path, { ...CARD, number: '4000000000003220' })
  expect(challenge.text).toContain('Your bank asks you to confirm')
  expect(await b.charged()).toBe(0)
  const paid = await post(path, { ...CARD, number: '4000000000003220', confirmed: 'yes' })
  expect([paid.status, paid.headers['location']]).toEqual([303, path])
  expect((await get(path)).text).toContain('Payment complete')
  expect((await post(path, CARD)).status).toBe(400)
  expect(await b.charged()).toBe(1_900)
  await b.until('it is provisioned', async () => (await b.subscription()).plan === 'starter')

  const gone = await get('/sandbox/stripe/checkout/cs_test_unknown')
  expect([gone.status, gone.text.includes('does not exist')]).toEqual([404, true])
  const program = await w.wire('GET', '/sandbox/stripe/portal/bps_unknown', undefined, { key: null })
  expect([program.status, program.body.error.code]).toEqual([404, 'not_found'])
  const foreign = await w.wire('POST', path, 'number=1', {
    key: null,
    headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(foreign.status).toBe(403)
})

test('the portal changes cards and the subscription, and an invoice is paid on its page', async () => {
  const w = await worldOfTest()
  const b = onWorld(w)
  await b.card()
  await b.buy({ plan: 'starter' })
  await b.rest()
  const { url } = await b.console('POST', '/v1/billing/portal-sessions')
  const { get, post } = browser(w)
  const path = pathOf(url)
  const page = await get(path)
  expect(page.text).toContain('visa ending in 4242')
  const id = /name="id" value="(sub_\w+)"/.exec(page.text)?.[1] ?? ''
  expect((await post(path, { action: 'end', id })).status).toBe(303)
  await b.until('it ends', async () => (await b.subscription()).cancel_at_period_end)
  expect((await get(path)).text).toContain('Ends on February 5, 2026')
  await post(path, { action: 'keep', id })
  await b.until('it goes on', async () => !(await b.subscription()).cancel_at_period_end)
  expect((await post(path, { ...CARD, number: '5555 5555 5555 4444' })).status).toBe(303)
  await b.rest()
  expect((await b.console('GET', '/v1/billing/overview')).card).toMatchObject({ brand: 'mastercard', last4: '4444' })
  // Somebody else's card cannot be removed through this page.
  expect((await post(path, { action: 'remove', id: 'pm_unknown' })).status).toBe(400)

  await b.card('4000000000000341')
  await b.advance(32)
  await b.rest()
  const { open_invoice: open } = await b.console('GET', '/v1/billing/overview')
  const invoice = pathOf(open.hosted_url)
  expect((await get(invoice)).text).toContain('Unpaid')
  expect((await get(`${invoice}0`)).status).toBe(404)
  expect((await post(invoice, CARD)).status).toBe(303)
  expect((await get(invoice)).text).toContain('Paid')
  await b.until('it is active again', async () => (await b.subscription()).status === 'active')
})
