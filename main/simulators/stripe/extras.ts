import type Stripe from 'stripe'
import { StripeFault } from './faults.ts'
import { invalid, type Reader } from './form.ts'
import type { EndpointObject } from './kinds.ts'
import { API_VERSION, type Work } from './unit.ts'

const DAY = 86_400

export function createTestClock(work: Work, params: Reader): Stripe.TestHelpers.TestClock {
  const frozen = params.integer('frozen_time')
  if (frozen === undefined) throw invalid('Missing required param: frozen_time.', 'frozen_time')
  return work.unit.put('test_clock', {
    id: work.id('clock'),
    object: 'test_helpers.test_clock',
    created: work.now(),
    deletes_after: work.now() + 30 * DAY,
    frozen_time: frozen,
    livemode: false,
    name: params.text('name') || null,
    status: 'ready',
    status_details: {},
  })
}

export function createTaxId(work: Work, customer: string, params: Reader): Stripe.TaxId {
  work.get('customer', customer, 'customer')
  const type = params.need('type')
  const tax: Stripe.TaxId = {
    id: work.id('txi'),
    object: 'tax_id',
    country: type.slice(0, 2).toUpperCase(),
    created: work.now(customer),
    customer,
    customer_account: null,
    livemode: false,
    owner: { type: 'customer', customer, customer_account: null },
    type,
    value: params.need('value'),
    verification: { status: 'unavailable', verified_address: null, verified_name: null },
  }
  work.unit.put('tax_id', tax)
  work.tell('customer.tax_id.created', tax)
  return tax
}

export function createMeter(work: Work, params: Reader): Stripe.Billing.Meter {
  const now = work.now()
  return work.unit.put('meter', {
    id: work.id('mtr'),
    object: 'billing.meter',
    created: now,
    customer_mapping: { event_payload_key: 'stripe_customer_id', type: 'by_id' },
    default_aggregation: { formula: 'sum' },
    display_name: params.need('display_name'),
    event_name: params.need('event_name'),
    event_time_window: null,
    livemode: false,
    status: 'active',
    status_transitions: { deactivated_at: null },
    updated: now,
    value_settings: { event_payload_key: 'value' },
  })
}

/** Counts once for each identifier. */
export function createMeterEvent(work: Work, params: Reader): Stripe.Billing.MeterEvent {
  const name = params.need('event_name')
  if (!work.unit.list('meter').some((meter) => meter.event_name === name)) {
    throw invalid(`No active meter found for event_name '${name}'`, 'event_name')
  }
  const payload = params.below('payload')
  const customer = payload.need('stripe_customer_id')
  work.get('customer', customer, 'payload[stripe_customer_id]')
  const value = payload.integer('value') ?? 0
  const identifier = params.text('identifier') || work.id('mev')
  const id = `count_${identifier}`
  if (work.unit.find('meter_count', id) !== undefined) {
    throw new StripeFault(400, {
      type: 'invalid_request_error',
      code: 'duplicate_meter_event',
      message: `An event already exists with identifier ${identifier}.`,
      param: 'identifier',
    })
  }
  const timestamp = params.integer('timestamp') ?? work.now(customer)
  work.unit.put('meter_count', { id, event_name: name, customer, value, timestamp })
  return {
    object: 'billing.meter_event',
    created: work.now(customer),
    event_name: name,
    identifier,
    livemode: false,
    payload: { stripe_customer_id: customer, value: String(value) },
    timestamp,
  }
}

export function createEndpoint(work: Work, params: Reader): EndpointObject {
  const url = params.need('url')
  if (!URL.canParse(url)) throw invalid('Invalid URL: An explicit scheme (such as https) must be provided.', 'url')
  return work.unit.put('webhook_endpoint', {
    id: work.id('we'),
    object: 'webhook_endpoint',
    api_version: params.text('api_version') || API_VERSION,
    application: null,
    created: work.now(),
    description: params.text('description') || null,
    enabled_events: params.texts('enabled_events'),
    livemode: false,
    metadata: params.metadata(),
    secret: `whsec_${work.id('').slice(1)}${work.id('').slice(1, 9)}`,
    status: 'enabled',
    url,
  })
}

export function updateEndpoint(work: Work, before: EndpointObject, params: Reader): EndpointObject {
  return work.unit.put('webhook_endpoint', {
    ...before,
    ...(params.has('url') && { url: params.need('url') }),
    ...(params.has('enabled_events') && { enabled_events: params.texts('enabled_events') }),
    ...(params.has('disabled') && { status: params.boolean('disabled') === true ? 'disabled' : 'enabled' }),
    metadata: params.metadata(before.metadata),
  })
}

export const withoutSecret = ({ secret: _secret, ...shown }: EndpointObject): Stripe.WebhookEndpoint => shown

export const accountObject = (id: string): Stripe.Account => ({
  id,
  object: 'account',
  charges_enabled: true,
  country: 'US',
  default_currency: 'usd',
  details_submitted: true,
  email: 'sandbox@switchboard.example',
  payouts_enabled: true,
  type: 'standard',
  settings: null,
  business_profile: null,
  business_type: null,
  capabilities: { card_payments: 'active', transfers: 'active' },
  metadata: {},
})
