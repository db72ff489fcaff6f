import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AccountId } from '../../../main/kernel/ids.ts'
import { asConsole } from '../../support/console.ts'
import { billingWorld, type BillingWorld } from './billing-world.ts'

const HOUR_MS = 3_600_000
const TERMS = {
  amount_cents: 4_900,
  currency: 'brl',
  interval: 'month',
  email: 'billing@client.example',
  tax: { type: 'br_cnpj', value: '01.234.456/5432-10' },
  metered: [{ counter: 'sent', unit_amount_cents: 2 }],
} as const

const stripe = async <T = any>(b: BillingWorld, kind: string): Promise<T[]> =>
  (
    await b.w.rows<{ body: string }>('SELECT body FROM sandbox_stripe_objects WHERE kind = :kind ORDER BY seq', {
      kind,
    })
  ).map(({ body }) => JSON.parse(body) as T)

test('an agency bills a client for usage once a day, with a tax id, and only if billing is turned on', async () => {
  const b = await billingWorld()
  const { w, call, until } = b
  const client = await call('POST', '/v1/agency/accounts', { name: 'Client', slots_allocated: 2 })
  const path = `/v1/agency/accounts/${client.id}/billing`
  expect(await call('GET', '/v1/agency/billing')).toMatchObject({ enabled: false, ready: false, clients: 0 })
  expect((await w.api('GET', path)).status).toBe(404)
  const off = await w.api('PUT', path, TERMS)
  expect([off.status, off.body.error.code]).toEqual([409, 'invalid_state'])
  expect(await stripe(b, 'customer')).toEqual([])

  await call('PATCH', '/v1/agency/billing', { enabled: true })
  expect(await call('PUT', path, TERMS)).toMatchObject({ ...TERMS, status: 'pending', usage_reported_until: null })
  const billed = await until('Stripe has it', async () => {
    const found = await call('GET', path)
    return found.status === 'active' && found
  })
  expect(billed).toMatchObject({ error: null, usage_reported_until: '2026-01-04' })
  expect(await stripe(b, 'customer')).toMatchObject([{ name: 'Client', email: TERMS.email }])
  expect(await stripe(b, 'tax_id')).toMatchObject([TERMS.tax])
  const [subscription] = await stripe(b, 'subscription')
  expect(subscription).toMatchObject({ status: 'active', collection_method: 'send_invoice', currency: 'brl' })
  expect(subscription.items.data.map(({ price }: any) => [price.unit_amount, price.recurring.usage_type])).toEqual([
    [4_900, 'licensed'],
    [2, 'metered'],
  ])
  const [invoice] = (await call('GET', `/v1/agency/accounts/${client.id}/invoices`)).data
  expect(invoice).toMatchObject({ status: 'open', total_cents: 4_900, currency: 'brl' })
  expect(invoice.hosted_url).toContain('/sandbox/stripe/invoice/in_')

  // What the client sends is reported once its day is over, and once only.
  const { key } = await call('POST', `/v1/agency/accounts/${client.id}/keys`, {
    name: 'Theirs',
    scopes: ['instances:read', 'instances:write', 'messages:send'],
  })
  const ask = (method: string, at: string, body?: object) => w.api(method, at, body, { key })
  const { id } = (await ask('POST', '/v1/instances', {})).body
  const { pairing_code } = (await ask('GET', `/v1/instances/${id}/qr`)).body
  await ask('POST', '/v1/sandbox/phones/12025550190/scan', { pairing_code })
  await w.quiet()
  for (let i = 0; i < 3; i++) await ask('POST', `/v1/instances/${id}/messages`, { to: '12025550999', text: 'Hi' })
  await w.quiet()
  w.clock.suspend(20 * HOUR_MS)
  await until('the day is reported', async () => (await call('GET', path)).usage_reported_until === '2026-01-05')
  expect(await stripe(b, 'meter_count')).toMatchObject([{ event_name: 'switchboard_sent', value: 3 }])

  // Other terms change the same subscription; another currency is refused.
  const changed = { ...TERMS, amount_cents: 9_900, metered: [] }
  await call('PUT', path, changed)
  await until('Stripe has the new terms', async () => (await call('GET', path)).status === 'active')
  const subscriptions = await stripe(b, 'subscription')
  expect(subscriptions).toHaveLength(1)
  expect(subscriptions[0].items.data.map(({ price }: any) => price.unit_amount)).toEqual([9_900])
  expect((await w.api('PUT', path, { ...TERMS, currency: 'usd' })).body.error.code).toBe('invalid_state')
  expect((await w.api('PATCH', '/v1/agency/billing', { mode: 'live' })).body.error.code).toBe('invalid_state')

  // What Stripe refuses is said, and ends with better terms.
  await call('PUT', path, { ...changed, tax: null })
  await until('without a tax id', async () => (await call('GET', path)).status === 'active')
  expect(await stripe(b, 'tax_id')).toEqual([])

  expect((await w.api('DELETE', path)).status).toBe(204)
  expect((await w.api('GET', path)).status).toBe(404)
  await until('it has ended', async () => (await stripe(b, 'subscription'))[0].status === 'canceled')
  // Deleting a sub-account ends its billing too.
  const second = await call('POST', '/v1/agency/accounts', { name: 'Second' })
  const at = `/v1/agency/accounts/${second.id}`
  await call('PUT', `${at}/billing`, { ...TERMS, metered: [] })
  await until('the second is billed', async () => (await call('GET', `${at}/billing`)).status === 'active')
  await call('DELETE', `${at}?confirm=true`)
  await until('it has ended', async () =>
    (await stripe(b, 'subscription')).every(({ status }: { status: string }) => status === 'canceled'),
  )
  // A stranger's account, and one that is no sub-account.
  expect((await w.api('PUT', `/v1/agency/accounts/${w.account.id}/billing`, TERMS)).status).toBe(404)
  // A sub-account buys nothing itself: the agency pays for its slots.
  const { key: billingKey } = await call('POST', `/v1/agency/accounts/${client.id}/keys`, {
    name: 'Buys',
    scopes: ['billing:read', 'billing:purchase'],
  })
  const own = await w.api('POST', '/v1/billing/purchases', { plan: 'growth' }, { key: billingKey })
  expect([own.status, own.body.error.code]).toEqual([409, 'invalid_state'])
  expect(own.body.error.message).toContain('belongs to an agency')
})

test('a client’s invoice shows its due date, and since when it is overdue', async () => {
  const { w, call, until } = await billingWorld()
  const client = await call('POST', '/v1/agency/accounts', { name: 'Bakery', slots_allocated: 1 })
  const path = `/v1/agency/accounts/${client.id}/billing`
  await call('PATCH', '/v1/agency/billing', { enabled: true })
  await call('PUT', path, TERMS)
  await until('Stripe has it', async () => (await call('GET', path)).status === 'active')
  const invoice = async () => (await call('GET', `/v1/agency/accounts/${client.id}/invoices`)).data[0]
  const sent = await invoice()
  const daysToPay = (Date.parse(sent.due_at) - Date.parse(sent.created_at)) / (24 * HOUR_MS)
  expect([sent.status, sent.overdue_since, Math.round(daysToPay)]).toEqual(['open', null, 14])
  w.clock.suspend(14 * 24 * HOUR_MS)
  expect(await invoice()).toMatchObject({ status: 'open', due_at: sent.due_at, overdue_since: sent.due_at })
  const own = await asConsole(w, { accountId: client.id as AccountId })('GET', '/v1/billing/invoices')
  expect(own.body.data.at(-1).overdue_since).toBe(sent.due_at)
})

test('invoices are in the language of the client, even if it changes', async () => {
  const b = await billingWorld()
  const { call, until } = b
  const client = await call('POST', '/v1/agency/accounts', { name: 'Padaria Luz' })
  const path = `/v1/agency/accounts/${client.id}/billing`
  await call('PATCH', '/v1/agency/billing', { enabled: true })
  const withFees = { ...TERMS, message_costs: { markup_percent: 0 } }
  const apply = async (terms: object) => {
    await call('PUT', path, terms)
    return until('Stripe has it', async () => {
      const found = await call('GET', path)
      return found.status === 'active' && found
    })
  }
  const names = async () => (await stripe(b, 'product')).map(({ name }: { name: string }) => name).slice(-3)
  const locales = async () => (await stripe(b, 'customer'))[0].preferred_locales

  expect((await apply({ ...withFees, language: 'pt-BR' })).language).toBe('pt-BR')
  expect(await locales()).toEqual(['pt-BR'])
  expect(await names()).toEqual([
    'Serviço de mensagens, Padaria Luz',
    'Mensagens enviadas, Padaria Luz',
    'Tarifas de mensagens, Padaria Luz',
  ])
  const [invoice] = (await call('GET', `/v1/agency/accounts/${client.id}/invoices`)).data
  expect(invoice.description).toContain('Serviço de mensagens, Padaria Luz')

  await apply({ ...withFees, language: 'es' })
  expect(await locales()).toEqual(['es'])
  expect(await names()).toEqual([
    'Servicio de mensajería, Padaria Luz',
    'Mensajes enviados, Padaria Luz',
    'Tarifas de mensajes, Padaria Luz',
  ])
  // As it was before languages could be set.
  expect((await apply(withFees)).language).toBe('en')
  expect(await locales()).toEqual(['en'])
  expect((await names())[0]).toBe('Messaging service, Padaria Luz')
  const other = await b.w.api('PUT', path, { ...withFees, language: 'fr' })
  expect([other.status, other.body.error.code]).toEqual([400, 'validation_error'])
})

test('live billing without keys is refused and never simulated, and the error names the missing settings', async () => {
  const b = await billingWorld()
  await b.card()
  expect(await b.buy({ product: 'slots', tier: '5' })).toMatchObject({ status: 'paid' })
  expect((await b.subscription()).slots).toBe(10_005)
  const view = await b.console('PATCH', '/v1/billing/provider', { mode: 'live' })
  expect(view).toMatchObject({ mode: 'live', ready: false, callback_url: null })
  expect(view.missing.map(({ what }: { what: string }) => what)).toEqual(['restricted_key', 'webhook_secret'])
  // What was bought in the sandbox does not count.
  expect((await b.subscription()).slots).toBe(10_000)
  for (const path of ['purchases', 'checkouts']) {
    const answer = await b.w.api('POST', `/v1/billing/${path}`, { plan: 'growth' })
    expect([answer.status, answer.body.error.code, answer.body.error.retryable]).toEqual([
      503,
      'billing_unavailable',
      true,
    ])
    expect(answer.body.error.message).toContain('restricted key of Stripe is missing')
  }
  expect((await b.w.api('POST', '/v1/sandbox/billing/clock', { days: 1 })).body.error.code).toBe('invalid_state')
  const key = `rk_live_${'a1B2'.repeat(6)}`
  const kept = await b.console('PATCH', '/v1/billing/provider', {
    restricted_key: key,
    webhook_secret: 'whsec_abcdefgh12345',
  })
  expect(kept).toMatchObject({ restricted_key_last4: 'a1B2', webhook_secret_last4: '2345', ready: false })
  expect(JSON.stringify(kept)).not.toContain(key)
  const rows = await b.w.rows<object>('SELECT * FROM billing_provider')
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString('hex'))
  expect(JSON.stringify(await b.w.rows('SELECT * FROM sandbox_stripe_objects'))).not.toContain('rk_live')
  // Nobody answers at api.stripe.com here: nothing was charged, and it says so.
  const checked = await b.w.service.askAsConsole({
    method: 'POST',
    path: '/panel/v1/billing/provider/check',
    headers: {},
  })
  expect(checked.status).toBe(503)
  const back = await b.console('PATCH', '/v1/billing/provider', { mode: 'sandbox', restricted_key: null })
  expect(back).toMatchObject({ mode: 'sandbox', ready: true, restricted_key_last4: null })
  expect((await b.subscription()).slots).toBe(10_005)
})

test('an overdue invoice of a client is shown to the client and the agency as needing attention', async () => {
  const { w, call, until, rest } = await billingWorld()
  const client = await call('POST', '/v1/agency/accounts', { name: 'Bakery', slots_allocated: 1 })
  const path = `/v1/agency/accounts/${client.id}/billing`
  await call('PATCH', '/v1/agency/billing', { enabled: true })
  await call('PUT', path, TERMS)
  await until('Stripe has it', async () => (await call('GET', path)).status === 'active')
  const lines = async (account = {}) => (await asConsole(w, account)('GET', '/v1/overview/attention')).body.data
  const isOfBilling = ({ room }: { room: string }) => room === 'billing'
  expect((await lines()).filter(isOfBilling)).toEqual([])
  await rest()
  const raw = new Database(join(w.home, 'switchboard.db'))
  raw.exec("UPDATE billing_clients SET state = 'past_due'")
  raw.close()
  // The service reads its own last commit.
  await call('PATCH', '/v1/agency/branding', { display_name: 'Agency' })
  expect((await lines()).filter(isOfBilling)).toMatchObject([
    { code: 'client', subject: { id: client.id, name: 'Bakery' } },
  ])
  const asClient = { accountId: client.id as AccountId }
  expect((await lines(asClient)).filter(isOfBilling)).toMatchObject([{ code: 'invoice_overdue' }])

  // Terms that Stripe rejected are no unpaid invoice.
  const now = async (state: string) => {
    const rows = new Database(join(w.home, 'switchboard.db'))
    rows.exec(`UPDATE billing_clients SET state = '${state}'`)
    rows.close()
    await call('PATCH', '/v1/agency/branding', { display_name: `Agency, ${state}` })
  }
  await now('failed')
  expect((await lines()).filter(isOfBilling)).toMatchObject([{ code: 'rejected_client', subject: { name: 'Bakery' } }])
  expect((await lines(asClient)).filter(isOfBilling)).toEqual([])
  await now('past_due')

  // The client finds its own invoice and can pay it; others see nothing of it.
  const listed = (await asConsole(w, asClient)('GET', '/v1/billing/invoices')).body.data
  expect(listed).toMatchObject([{ status: 'open', total_cents: 4_900 }])
  expect(listed[0].hosted_url).toContain('/sandbox/stripe/invoice/in_')
  const { id } = await call('POST', '/v1/agency/accounts', { name: 'Second', slots_allocated: 1 })
  expect((await asConsole(w, { accountId: id })('GET', '/v1/billing/invoices')).body.data).toEqual([])
  expect((await asConsole(w)('GET', '/v1/billing/invoices')).body.data).toEqual([])
  // Stripe says that it is not overdue, and whoever looked is not told so for another day.
  expect((await lines(asClient)).filter(isOfBilling)).toEqual([])
  expect((await lines()).filter(isOfBilling)).toEqual([])
  // What was sent is hidden while the agency bills nobody.
  await call('PATCH', '/v1/agency/billing', { enabled: false })
  expect((await asConsole(w, asClient)('GET', '/v1/billing/invoices')).body.data).toEqual([])
})
