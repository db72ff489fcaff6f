import { expect } from 'vitest'
import { settle } from '../../support/clock.ts'
import { worldOfTest, type World, type WorldOptions } from '../../support/world.ts'

export const CARDS = {
  works: '4242424242424242',
  declinedLater: '4000000000000341',
  challenge: '4000000000003220',
  declined: '4000000000000002',
  expired: '4000000000000069',
} as const

/** A world with billing at hand. */
export interface BillingWorld {
  readonly w: World
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any>
  /** As somebody in the window. */
  console(method: string, path: string, body?: unknown): Promise<any>
  card(number?: string, more?: object): Promise<void>
  buy(body: object, headers?: Record<string, string>): Promise<any>
  subscription(): Promise<any>
  purchases(): Promise<any[]>
  /** What the purchases that are paid cost, less what was refunded. */
  paidInAll(): Promise<number>
  history(): Promise<any[]>
  fault(kind: string, times?: number): Promise<void>
  advance(days: number): Promise<any>
  /** Repeats until it holds: callbacks travel over a real socket. */
  until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T>
  /** Lets callbacks arrive and jobs run. */
  rest(): Promise<void>
  /** What was charged at the simulator, less what was refunded. */
  charged(): Promise<number>
}

export async function billingWorld(options: WorldOptions = {}): Promise<BillingWorld> {
  return onWorld(await worldOfTest(options))
}

export function onWorld(w: World): BillingWorld {
  const call: BillingWorld['call'] = async (method, path, body, headers = {}) => {
    const answer = await w.api(method, path, body, { headers })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }
  const until: BillingWorld['until'] = async (what, look) => {
    for (let i = 0; i < 400; i++) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await w.clock.advance(50)
      await new Promise((resolve) => setImmediate(resolve))
      await settle(2)
    }
    throw new Error(`waited in vain: ${what}`)
  }
  const openJobs = async () => {
    const [row] = await w.rows<{ open: number }>(
      `SELECT COUNT(*) AS open FROM jobs
       WHERE kind IN ('billing.callback', 'billing.follow_up', 'billing.pay_debts', 'sandbox.stripe_callback')
         AND state IN ('waiting', 'running')`,
    )
    return row?.open ?? 0
  }
  const made: BillingWorld = {
    w,
    call,
    async console(method, path, body) {
      const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
      const headers = payload === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await w.service.askAsConsole({ method, path: `/panel${path}`, headers, payload })
      const shown = await new Response(answer.body).text()
      expect(answer.status, `${method} ${path}: ${shown}`).toBeLessThan(300)
      return shown === '' ? undefined : JSON.parse(shown)
    },
    async card(number = CARDS.works, more = {}) {
      await call('PUT', '/v1/sandbox/billing/card', { number, ...more })
    },
    buy: (body, headers) => call('POST', '/v1/billing/purchases', body, headers),
    subscription: () => call('GET', '/v1/billing/subscription'),
    purchases: async () => (await call('GET', '/v1/billing/purchases')).data,
    async paidInAll() {
      const all: { status: string; amount_cents: number; refunded_cents: number }[] = await made.purchases()
      const paid = all.filter(({ status }) => status === 'paid')
      return paid.reduce((sum, { amount_cents, refunded_cents }) => sum + amount_cents - refunded_cents, 0)
    },
    async history() {
      const rows = await w.rows<{ kind: string; at: number; amount: number | null; detail: string | null }>(
        'SELECT kind, at, amount_cents AS amount, detail FROM billing_history ORDER BY at, seq',
      )
      return rows
    },
    async fault(kind, times = 1) {
      await call('POST', '/v1/sandbox/billing/faults', { kind, times })
    },
    advance: (days) => call('POST', '/v1/sandbox/billing/clock', { days }),
    until,
    async rest() {
      let calm = 0
      await until('billing comes to rest', async () => {
        calm = (await openJobs()) === 0 ? calm + 1 : 0
        return calm > 3
      })
    },
    async charged() {
      const rows = await w.rows<{ body: string }>(`SELECT body FROM sandbox_stripe_objects WHERE kind = 'charge'`)
      return rows
        .map(({ body }) => JSON.parse(body) as { amount_captured: number; amount_refunded: number })
        .reduce((sum, charge) => sum + charge.amount_captured - charge.amount_refunded, 0)
    },
  }
  return made
}

/** Refused with this status and code; nothing else is looked at. */
export async function refused(
  b: BillingWorld,
  status: number,
  code: string,
  body: object,
  path = '/v1/billing/purchases',
): Promise<string> {
  const answer = await b.w.api('POST', path, body)
  expect([answer.status, answer.body?.error?.code], answer.text).toEqual([status, code])
  return answer.body.error.message as string
}
