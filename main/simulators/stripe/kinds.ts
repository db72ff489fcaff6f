import type Stripe from 'stripe'

/** A price whose product is named by its id, as the simulator stores it. */
export type PriceObject = Stripe.Price & { readonly product: string }

/** Not a Stripe object: the simulator's own data about a customer. */
interface CustomerClock {
  readonly id: string
  /** How far the customer's time is ahead. */
  readonly aheadSeconds: number
}

/** An endpoint with its signing secret, which Stripe returns only once. */
export type EndpointObject = Stripe.WebhookEndpoint & { readonly secret: string }

/** A counted meter event; `id` is its identifier. */
interface MeterCount {
  readonly id: string
  readonly event_name: string
  readonly customer: string
  readonly value: number
  readonly timestamp: number
}

/** Every kind of object that the simulator stores. */
export interface Kinds {
  customer: Stripe.Customer
  payment_method: Stripe.PaymentMethod
  setup_intent: Stripe.SetupIntent
  payment_intent: Stripe.PaymentIntent
  charge: Stripe.Charge
  refund: Stripe.Refund
  product: Stripe.Product
  price: PriceObject
  subscription: Stripe.Subscription
  invoice: Stripe.Invoice
  invoiceitem: Stripe.InvoiceItem
  invoice_payment: Stripe.InvoicePayment
  checkout_session: Stripe.Checkout.Session
  portal_session: Stripe.BillingPortal.Session
  event: Stripe.Event
  test_clock: Stripe.TestHelpers.TestClock
  meter: Stripe.Billing.Meter
  tax_id: Stripe.TaxId
  webhook_endpoint: EndpointObject
  customer_clock: CustomerClock
  meter_count: MeterCount
}

export type Kind = keyof Kinds
export type Stored = Kinds[Kind]
