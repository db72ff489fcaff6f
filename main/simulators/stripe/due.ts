import type Stripe from 'stripe'
import { expireSession } from './checkout.ts'
import { retry, renew } from './subscriptions.ts'
import { periodOf } from './proration.ts'
import { idOf, needId, type Work } from './unit.ts'

/** An event of a customer that is due at a certain time. */
interface Due {
  readonly at: number
  readonly customer: string
  act(work: Work): void
}

/** The next automatic event of the selected customers. */
export const nextDue = (work: Work, isMeant: (customer: string) => boolean): Due | undefined =>
  allDue(work, isMeant).toSorted((a, b) => a.at - b.at)[0]

/** Events that are due by the customers' own time. */
export const overdue = (work: Work, isMeant: (customer: string) => boolean): Due | undefined =>
  allDue(work, isMeant)
    .filter(({ at, customer }) => at <= work.now(customer))
    .toSorted((a, b) => a.at - b.at)[0]

const allDue = (work: Work, isMeant: (customer: string) => boolean): Due[] => [
  ...renewals(work, isMeant),
  ...retries(work, isMeant),
  ...expiries(work, isMeant),
]

const LIVING = new Set<string>(['active', 'past_due', 'unpaid', 'trialing'])

const renewals = (work: Work, isMeant: (customer: string) => boolean): Due[] =>
  work.unit
    .list('subscription')
    .filter((one) => LIVING.has(one.status) && isMeant(needId(one.customer)))
    .map((one) => ({
      at: periodOf(one).end,
      customer: needId(one.customer),
      act: (now) => renew(now, now.get('subscription', one.id)),
    }))

const retries = (work: Work, isMeant: (customer: string) => boolean): Due[] =>
  work.unit
    .list('invoice')
    .filter((one) => one.status === 'open' && one.next_payment_attempt !== null && isMeant(ownerOf(one)))
    .map((one) => ({
      at: one.next_payment_attempt ?? 0,
      customer: ownerOf(one),
      act: (now) => retry(now, now.get('invoice', one.id)),
    }))

const expiries = (work: Work, isMeant: (customer: string) => boolean): Due[] =>
  work.unit
    .list('checkout_session')
    .filter((one) => one.status === 'open' && isMeant(idOf(one.customer) ?? ''))
    .map((one) => ({
      at: one.expires_at,
      customer: idOf(one.customer) ?? '',
      act: (now) => void expireSession(now, now.get('checkout_session', one.id)),
    }))

const ownerOf = (invoice: Stripe.Invoice) => idOf(invoice.customer) ?? ''
