import type { InvoiceLanguage } from '../../contract/client-billing.ts'
import type { Card, Preview } from '../../contract/billing.ts'
import type { ProviderInvoices } from './invoices.ts'
import type { Interval, PurchaseFailure } from '../../contract/billing-words.ts'

/** A request that takes no money, or whose failure is final. */
export type Asked<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** The provider refused, and nothing was changed. `code` is the provider's. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | Unanswered

type Unanswered =
  /** Nothing was sent, or the provider did not accept it. */
  | { readonly kind: 'not_sent' }
  /** The request may have taken effect. */
  | { readonly kind: 'unknown' }

/** Result of a charge. */
export type Charged =
  | { readonly kind: 'paid'; readonly value: Payment }
  | { readonly kind: 'declined'; readonly code: PurchaseFailure; readonly message: string }
  | { readonly kind: 'action_required' }
  | Exclude<Asked<never>, { kind: 'ok' }>

/** What the provider created. Fields are set if they apply. */
export interface Payment {
  readonly amount: number
  readonly currency: string
  readonly subscriptionId: string | null
  readonly paymentId: string | null
  readonly invoiceId: string | null
}

/** A purchase for the provider; its order is already committed. */
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

/** The current state of a subscription at the provider. */
export interface SubscriptionState {
  readonly id: string
  readonly customerId: string
  readonly status: 'active' | 'past_due' | 'incomplete' | 'ended'
  /** The last order that changed it. */
  readonly orderId: string | null
  readonly priceId: string | null
  readonly periodEndMs: number | null
  readonly cancelsAtPeriodEnd: boolean
  /** Due date of its latest invoice while that is unpaid. */
  readonly unpaidSinceMs: number | null
  readonly latestInvoiceId: string | null
}

export interface CustomerState {
  readonly currency: string | null
  readonly methodId: string | null
  readonly card: Omit<Card, 'expired'> | null
}

/** The state of an order at the provider. */
export type OrderState =
  | { readonly kind: 'paid'; readonly payment: Payment }
  | { readonly kind: 'failed'; readonly code: PurchaseFailure }
  /** The provider has no record of it. */
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
  /** Language of the page, and of the customer's later invoices. */
  readonly language?: InvoiceLanguage
}

export interface FoundPrice {
  readonly lookupKey: string
  readonly priceId: string
  readonly amount: number
  readonly currency: string
  readonly interval: Interval | null
}

/** An event reported by the provider. It only says what to read; the state that is then read decides. */
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

/** A payment provider. Amounts are in the smallest unit of their currency. */
export interface PaymentProvider {
  createCustomer(account: { accountId: string; name: string }): Promise<Asked<string>>
  customer(customerId: string): Promise<Asked<CustomerState>>
  /** Makes the most recently saved card the one for purchases and renewals. */
  useNewestCard(customerId: string): Promise<Asked<null>>
  removeCards(customerId: string): Promise<Asked<null>>

  /** Charges the saved card once. */
  charge(order: PurchaseOrder): Promise<Charged>
  /** Charges the saved card now and for each period. */
  subscribe(order: PurchaseOrder): Promise<Charged>
  /** @param at the time from which the new price applies, as previewed. */
  changePlan(order: PurchaseOrder, subscriptionId: string, at: number): Promise<Charged>
  createCheckout(order: CheckoutOrder): Promise<Asked<{ sessionId: string; url: string; expiresAtMs: number }>>
  expireCheckout(sessionId: string): Promise<Asked<null>>
  setupPage(customerId: string, urls: { successUrl: string; cancelUrl: string }): Promise<Asked<{ url: string }>>
  portal(customerId: string, returnUrl: string): Promise<Asked<{ url: string }>>

  /** The current state of an order at the provider. */
  reconcile(order: {
    readonly orderId: string
    readonly customerId: string
    readonly sessionId: string | null
    readonly changeOf: string | null
    readonly isRecurring: boolean
  }): Promise<OrderState>
  subscription(id: string): Promise<Asked<SubscriptionState>>
  endSubscription(id: string, how: 'at_period_end' | 'keep' | 'now_with_credit'): Promise<Asked<null>>
  /** Charges what is owed. @param key idempotency key of this attempt. */
  payInvoice(invoiceId: string, methodId: string, key: string): Promise<Charged>

  prices(lookupKeys: readonly string[]): Promise<Asked<readonly FoundPrice[]>>
  preview(ask: {
    readonly customerId: string
    readonly priceId: string
    readonly subscriptionId: string | null
    readonly at: number
  }): Promise<Asked<Omit<Preview, 'change' | 'blocked'>>>
  /** @param after id of the last invoice of the previous page. */
  invoices(
    customerId: string,
    page: { after?: string | undefined; rows: number; status?: 'open' },
  ): Promise<Asked<ProviderInvoices>>
  refund(paymentId: string, amount: number | null, key: string): Promise<Asked<null>>
  /** Permissions that the key lacks. */
  missingRights(): Promise<Asked<readonly string[]>>

  /** Reads a callback that was verified before. */
  parseCallback(raw: Buffer): Callback
  /** @throws ApiError unauthorized unless it was signed with the secret within the last five minutes. */
  readCallback(raw: Buffer, signature: string | undefined, secret: string, nowMs: number): Promise<Callback>
}
