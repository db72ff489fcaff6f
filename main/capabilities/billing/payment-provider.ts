import type { InvoiceLanguage } from '../../contract/client-billing.ts'
import type { Card, Preview } from '../../contract/billing.ts'
import type { ProviderInvoices } from './invoices.ts'
import type { Interval, PurchaseFailure } from '../../contract/billing-words.ts'

/** A request that takes no money, or whose failure is final. */
export type Asked<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** The provider refuses it, and nothing was done. `code` is the provider's. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | Unanswered

type Unanswered =
  /** Nothing left this machine, or the provider did not take it. */
  | { readonly kind: 'not_sent' }
  /** It may have taken effect. */
  | { readonly kind: 'unknown' }

/** What became of a request to take money. */
export type Charged =
  | { readonly kind: 'paid'; readonly value: Payment }
  | { readonly kind: 'declined'; readonly code: PurchaseFailure; readonly message: string }
  | { readonly kind: 'action_required' }
  | Exclude<Asked<never>, { kind: 'ok' }>

/** What the provider made, as far as it applies. */
export interface Payment {
  readonly amount: number
  readonly currency: string
  readonly subscriptionId: string | null
  readonly paymentId: string | null
  readonly invoiceId: string | null
}

/** A purchase as the provider gets it; the order is committed before. */
export interface PurchaseOrder {
  /** Also the idempotency key at the provider. */
  readonly orderId: string
  readonly customerId: string
  readonly methodId: string
  readonly priceId: string
  readonly amount: number
  readonly currency: string
  readonly description: string
}

/** A subscription as the provider has it now. */
export interface SubscriptionState {
  readonly id: string
  readonly customerId: string
  readonly status: 'active' | 'past_due' | 'incomplete' | 'ended'
  /** Of the last order that changed it. */
  readonly orderId: string | null
  readonly priceId: string | null
  readonly periodEndMs: number | null
  readonly cancelsAtPeriodEnd: boolean
  /** When its latest invoice was due, while that is not paid. */
  readonly unpaidSinceMs: number | null
  readonly latestInvoiceId: string | null
}

export interface CustomerState {
  readonly currency: string | null
  readonly methodId: string | null
  readonly card: Omit<Card, 'expired'> | null
}

/** What an order became at the provider. */
export type OrderState =
  | { readonly kind: 'paid'; readonly payment: Payment }
  | { readonly kind: 'failed'; readonly code: PurchaseFailure }
  /** The provider has nothing of it. */
  | { readonly kind: 'absent' }
  /** Not decided yet. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' }

interface CheckoutOrder {
  readonly orderId: string
  readonly customerId: string
  readonly priceId: string
  readonly isRecurring: boolean
  readonly successUrl: string
  readonly cancelUrl: string
  /** Of the page, and of the customer's invoices from then on. */
  readonly language?: InvoiceLanguage
}

export interface FoundPrice {
  readonly lookupKey: string
  readonly priceId: string
  readonly amount: number
  readonly currency: string
  readonly interval: Interval | null
}

/** Something the provider says has happened. What counts is looked up; an event only says where to look. */
export type PayEvent =
  | { readonly kind: 'order'; readonly orderId: string }
  | { readonly kind: 'subscription'; readonly subscriptionId: string }
  /** Something about the customer or the cards changed. */
  | { readonly kind: 'customer' }
  | { readonly kind: 'card_saved' }
  | {
      readonly kind: 'invoice_paid'
      readonly invoiceId: string
      readonly isRenewal: boolean
      readonly amount: number
      readonly currency: string
      readonly subscriptionId: string | null
    }
  | {
      readonly kind: 'invoice_failed'
      readonly invoiceId: string
      readonly attempt: number
      readonly amount: number
      readonly currency: string
      readonly subscriptionId: string | null
    }
  | { readonly kind: 'refund'; readonly paymentId: string; readonly refunded: number; readonly isWhole: boolean }

export interface Callback {
  readonly id: string
  readonly type: string
  readonly createdMs: number
  readonly customerId: string | null
  readonly events: readonly PayEvent[]
}

/** A service that takes payments. Amounts are in the smallest unit of their currency. */
export interface PaymentProvider {
  createCustomer(account: { accountId: string; name: string }): Promise<Asked<string>>
  customer(customerId: string): Promise<Asked<CustomerState>>
  /** Makes the card that was saved last the one that purchases and renewals are charged to. */
  useNewestCard(customerId: string): Promise<Asked<null>>
  removeCards(customerId: string): Promise<Asked<null>>

  /** The saved card is charged once. */
  charge(order: PurchaseOrder): Promise<Charged>
  /** The saved card is charged now and for each period. */
  subscribe(order: PurchaseOrder): Promise<Charged>
  /** @param at from when on the new price counts, as it was previewed. */
  changePlan(order: PurchaseOrder, subscriptionId: string, at: number): Promise<Charged>
  createCheckout(order: CheckoutOrder): Promise<Asked<{ sessionId: string; url: string; expiresAtMs: number }>>
  expireCheckout(sessionId: string): Promise<Asked<null>>
  setupPage(customerId: string, urls: { successUrl: string; cancelUrl: string }): Promise<Asked<{ url: string }>>
  portal(customerId: string, returnUrl: string): Promise<Asked<{ url: string }>>

  /** What became of an order, as far as the provider can tell now. */
  reconcile(order: {
    readonly orderId: string
    readonly customerId: string
    readonly sessionId: string | null
    readonly changeOf: string | null
    readonly isRecurring: boolean
  }): Promise<OrderState>
  subscription(id: string): Promise<Asked<SubscriptionState>>
  endSubscription(id: string, how: 'at_period_end' | 'keep' | 'now_with_credit'): Promise<Asked<null>>
  /** Charges what is owed. @param key of this try. */
  payInvoice(invoiceId: string, methodId: string, key: string): Promise<Charged>

  prices(lookupKeys: readonly string[]): Promise<Asked<readonly FoundPrice[]>>
  preview(ask: {
    readonly customerId: string
    readonly priceId: string
    readonly subscriptionId: string | null
    readonly at: number
  }): Promise<Asked<Omit<Preview, 'change' | 'blocked'>>>
  /** @param after the id of the invoice before the page. */
  invoices(
    customerId: string,
    page: { after?: string | undefined; rows: number; status?: 'open' },
  ): Promise<Asked<ProviderInvoices>>
  refund(paymentId: string, amount: number | null, key: string): Promise<Asked<null>>
  /** Which rights the key lacks. */
  missingRights(): Promise<Asked<readonly string[]>>

  /** Reads a callback that was accepted before. */
  parseCallback(raw: Buffer): Callback
  /** @throws ApiError unauthorized unless it was signed with the secret within the last five minutes. */
  readCallback(raw: Buffer, signature: string | undefined, secret: string, nowMs: number): Promise<Callback>
}
