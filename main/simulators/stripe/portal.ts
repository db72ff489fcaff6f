import type Stripe from 'stripe'
import type { Reader } from './form.ts'
import type { Work } from './unit.ts'

const HOUR = 3_600

/** A page on which a customer changes cards and the subscription. Removes expired sessions. */
export function createPortalSession(work: Work, params: Reader): Stripe.BillingPortal.Session {
  const customer = params.need('customer')
  work.get('customer', customer, 'customer')
  const now = work.now()
  for (const old of work.unit.list('portal_session')) if (old.created < now - HOUR) work.unit.remove(old.id)
  const id = `bps_${work.id('').slice(1)}${work.id('').slice(1)}`
  return work.unit.put('portal_session', {
    id,
    object: 'billing_portal.session',
    configuration: 'bpc_sandbox',
    created: now,
    customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: params.text('return_url') || null,
    url: work.page(`/portal/${id}`),
  })
}
