import { afterAll, beforeAll, expect } from 'vitest'
import type { OrderBody } from '../../../main/contract/billing.ts'
import { ACCOUNT, billingBench } from './billing-bench.ts'

let bench: Awaited<ReturnType<typeof billingBench>>

/** For each file that uses it. */
export function useCrashBench(): void {
  beforeAll(async () => {
    bench = await billingBench()
    const { billing } = await bench.restart()
    await billing.sandbox.saveCard(ACCOUNT, { number: '4242424242424242' })
    for (let i = 0; i < 20; i++) await bench.pass(100)
  })
  afterAll(() => bench.close())
}

interface Order {
  id: string
  status: string
  amount: number
  product: string | null
}

const orders = () =>
  bench.rows<Order>('SELECT id, status, amount_cents AS amount, product FROM billing_orders ORDER BY seq')
const sumOfOrders = () => orders().reduce((sum, { status, amount }) => sum + (status === 'paid' ? amount : 0), 0)

let runs = 0

/** Buys, kills the process at this commit, and lets another one finish. */
async function killAt(atCommit: number, isWritten: boolean, body: OrderBody, way: 'purchase' | 'checkout') {
  const before = orders().length
  const charged = bench.charged()
  const { billing, isDead, death } = await bench.restart({ atCommit, isWritten })
  const key = `key ${String(runs++)}`
  const call = { accountId: ACCOUNT, rawBody: body, idempotencyKey: key, body }
  const act = way === 'purchase' ? billing.purchase(call) : buyOnPage(billing, call)
  const ended = await Promise.race([act.catch(() => 'refused'), death])
  for (let i = 0; i < 40 && !isDead(); i++) await bench.pass(100)
  const wasKilled = isDead()
  const next = await bench.restart()
  for (let i = 0; i < 60; i++) {
    const open = orders().some(({ status }) => status === 'processing')
    const jobs = bench.rows<{ open: number }>(
      `SELECT COUNT(*) AS open FROM jobs WHERE state = 'running' OR (state = 'waiting' AND kind IN
         ('billing.callback', 'billing.follow_up', 'sandbox.stripe_callback'))`,
    )
    if (!open && jobs[0]?.open === 0) break
    await bench.pass(15_000)
  }
  const label = `${way} of ${JSON.stringify(body)}, killed at commit ${String(atCommit)}, ${isWritten ? 'written' : 'not written'}`
  const fresh = orders().slice(before)
  expect(fresh.length, label).toBeLessThanOrEqual(1)
  const [order] = fresh
  if (way === 'purchase') expect(order?.status ?? 'failed', label).toMatch(/^(paid|failed)$/)
  // Charged once or not at all, and what was charged was provisioned.
  expect(bench.charged() - charged, label).toBe(order?.status === 'paid' ? order.amount : 0)
  expect(sumOfOrders(), label).toBe(bench.charged())
  const granted = bench.rows<{ key: string }>(
    `SELECT source_key AS key FROM entitlement_grants g WHERE source = 'billing'
       AND NOT EXISTS (SELECT 1 FROM billing_orders o WHERE o.status = 'paid' AND g.source_key IN (o.id, o.subscription_id))`,
  )
  expect(granted, label).toEqual([])
  const lacking = bench.rows<Order>(
    `SELECT id, status, amount_cents AS amount, product FROM billing_orders o WHERE status = 'paid'
       AND NOT EXISTS (SELECT 1 FROM entitlement_grants g WHERE g.source_key IN (o.id, o.subscription_id))`,
  )
  expect(lacking, label).toEqual([])
  if (way === 'purchase') await expectKeyEnded(next.billing, call, order)
  return { wasKilled, paid: order?.status === 'paid', ended }
}

/** A repeat is answered with what was bought, or may buy because nothing was. */
async function expectKeyEnded(
  billing: Awaited<ReturnType<typeof bench.restart>>['billing'],
  call: Parameters<typeof billing.purchase>[0],
  order: Order | undefined,
): Promise<void> {
  const held = bench.rows<{ state: string }>(
    `SELECT state FROM idempotency_keys WHERE expires_at > 0 AND key = '${call.idempotencyKey ?? ''}'`,
  )
  if (order?.status !== 'paid') return expect(held, 'the key of a purchase that did not happen').toEqual([])
  const repeat = await billing.purchase(call)
  expect(repeat.replayed).toBe(true)
  expect(JSON.parse(repeat.bytes.toString())).toMatchObject({ id: order.id, status: 'paid' })
}

async function buyOnPage(
  billing: Awaited<ReturnType<typeof bench.restart>>['billing'],
  call: Parameters<typeof billing.purchase>[0],
): Promise<string> {
  const { bytes } = await billing.checkouts.create(call)
  const { checkout_id: id } = JSON.parse(bytes.toString()) as { checkout_id: string }
  const order = await billing.checkouts.getOrder(ACCOUNT, id)
  // A person pays on the page, whatever becomes of the process meanwhile.
  await bench.simulator.pages.payCheckout(
    order.sessionId ?? '',
    { number: '4242424242424242', expMonth: 12, expYear: 2034 },
    false,
  )
  return 'paid'
}

/**
 * Kills a process at each of its commits, written and not.
 * @param upTo of a checkout: later ones only process callbacks that change nothing more.
 */
export async function killAtEach(way: 'purchase' | 'checkout', body: OrderBody, upTo = 40): Promise<void> {
  let [kills, paid] = [0, 0]
  for (const isWritten of [false, true]) {
    for (let atCommit = 1; atCommit <= upTo; atCommit++) {
      const { wasKilled, paid: isPaid } = await killAt(atCommit, isWritten, body, way)
      if (isPaid) paid++
      if (!wasKilled) break
      kills++
    }
  }
  expect(kills).toBeGreaterThan(6)
  expect(paid).toBeGreaterThan(4)
}
