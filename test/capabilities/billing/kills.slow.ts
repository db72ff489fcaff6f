import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { later, pause, testHome, until } from '../../support/service-process.ts'

const KILLS = 8

test('a service that is killed during purchases charges and provisions each purchase at most once', async () => {
  const home = testHome()
  onTestFinished(() => home.remove())
  const { key } = await home.key('Buyer')
  const first = await home.start()
  expect((await first.api(key)('PUT', '/v1/sandbox/billing/card', { number: '4242424242424242' })).status).toBe(200)
  // The library is loaded with the first purchase; the kills are to come later.
  expect((await first.api(key)('POST', '/v1/billing/purchases', { product: 'setup' })).status).toBe(201)
  await first.end('SIGTERM')

  for (let i = 0; i < KILLS; i++) {
    const service = await home.start()
    const api = service.api(key)
    await api('POST', '/v1/billing/purchases', { product: 'setup' })
    const headers = { 'idempotency-key': `kill-${String(i)}` }
    void api(
      'POST',
      '/v1/billing/purchases',
      { product: i % 2 === 0 ? 'setup' : 'slots', ...(i % 2 && { tier: '1' }) },
      headers,
    ).catch(() => {})
    await pause(i * 8)
    await service.end('SIGKILL')
  }

  // Ten minutes later everything is known.
  const last = await home.start(later(10))
  const api = last.api(key)
  const purchases = await until(
    'no purchase is processing',
    async () => {
      const { data } = (await api('GET', '/v1/billing/purchases?limit=200')).body
      return data.every(({ status }: { status: string }) => status !== 'processing') && data
    },
    60_000,
  )
  await last.end('SIGTERM')
  const db = new Database(join(home.dir, 'switchboard.db'), { readonly: true })
  onTestFinished(() => void db.close())
  const charges = (
    db.prepare(`SELECT body FROM sandbox_stripe_objects WHERE kind = 'charge'`).all() as { body: string }[]
  ).map(({ body }) => JSON.parse(body) as { amount_captured: number })
  const paid = purchases.filter(({ status }: { status: string }) => status === 'paid')
  expect(paid.length).toBeGreaterThan(KILLS)
  expect(charges).toHaveLength(paid.length)
  expect(charges.reduce((sum, { amount_captured: amount }) => sum + amount, 0)).toBe(
    paid.reduce((sum: number, { amount_cents: amount }: { amount_cents: number }) => sum + amount, 0),
  )
  const grants = db.prepare(`SELECT COUNT(*) AS n FROM entitlement_grants WHERE source = 'billing'`).get() as {
    n: number
  }
  expect(grants.n).toBe(paid.length)
})
