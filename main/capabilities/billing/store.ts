import type { Interval, PurchaseFailure } from '../../contract/billing-words.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'

export type Mode = 'sandbox' | 'live'

export interface ProviderRow {
  readonly mode: Mode
  readonly keySealed: Uint8Array | null
  readonly keyLast4: string | null
  readonly secretSealed: Uint8Array | null
  readonly secretLast4: string | null
  readonly lookupKeys: string
  readonly missing: string
  readonly checkedAtMs: number | null
}

export const providerRow = sql<Record<never, never>, ProviderRow>(
  `SELECT mode, key_sealed AS keySealed, key_last4 AS keyLast4, secret_sealed AS secretSealed,
     secret_last4 AS secretLast4, lookup_keys AS lookupKeys, missing, checked_at AS checkedAtMs
   FROM billing_provider WHERE id = 1`,
)

export const saveProvider = sql<{ [K in keyof ProviderRow]: ProviderRow[K] }>(
  `INSERT INTO billing_provider (id, mode, key_sealed, key_last4, secret_sealed, secret_last4, lookup_keys, missing,
     checked_at)
   VALUES (1, :mode, :keySealed, :keyLast4, :secretSealed, :secretLast4, :lookupKeys, :missing, :checkedAtMs)
   ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, key_sealed = excluded.key_sealed, key_last4 = excluded.key_last4,
     secret_sealed = excluded.secret_sealed, secret_last4 = excluded.secret_last4, lookup_keys = excluded.lookup_keys,
     missing = excluded.missing, checked_at = excluded.checked_at`,
)

export interface PriceRow {
  readonly lookupKey: string
  readonly priceId: string
  readonly amount: number
  readonly currency: string
  readonly interval: Interval | null
}

export const pricesOf = sql<{ mode: Mode }, PriceRow>(
  `SELECT lookup_key AS lookupKey, price_id AS priceId, amount_cents AS amount, currency, interval
   FROM billing_prices WHERE mode = :mode ORDER BY lookup_key`,
)

export const putPrice = sql<PriceRow & { mode: Mode; now: number }>(
  `INSERT INTO billing_prices (mode, lookup_key, price_id, amount_cents, currency, interval, read_at)
   VALUES (:mode, :lookupKey, :priceId, :amount, :currency, :interval, :now)
   ON CONFLICT (mode, lookup_key) DO UPDATE SET price_id = excluded.price_id, amount_cents = excluded.amount_cents,
     currency = excluded.currency, interval = excluded.interval, read_at = excluded.read_at`,
)

export const dropPrices = sql<{ mode: Mode }>('DELETE FROM billing_prices WHERE mode = :mode')

export interface CustomerRow {
  readonly accountId: AccountId
  readonly mode: Mode
  readonly customerId: string
  readonly methodId: string | null
  readonly card: string | null
  readonly aheadMs: number
}

const CUSTOMER = `account_id AS accountId, mode, customer_id AS customerId, method_id AS methodId, card,
  ahead_ms AS aheadMs`

export const customerOf = sql<{ accountId: string; mode: Mode }, CustomerRow>(
  `SELECT ${CUSTOMER} FROM billing_customers WHERE account_id = :accountId AND mode = :mode`,
)

export const customerById = sql<{ customerId: string }, CustomerRow>(
  `SELECT ${CUSTOMER} FROM billing_customers WHERE customer_id = :customerId`,
)

export const addCustomer = sql<{ accountId: string; mode: Mode; customerId: string; now: number }>(
  `INSERT INTO billing_customers (account_id, mode, customer_id, updated_at)
   VALUES (:accountId, :mode, :customerId, :now) ON CONFLICT (account_id, mode) DO NOTHING`,
)

export const saveCard = sql<{ customerId: string; methodId: string | null; card: string | null; now: number }>(
  `UPDATE billing_customers SET method_id = :methodId, card = :card, updated_at = :now
   WHERE customer_id = :customerId`,
)

export const saveAhead = sql<{ customerId: string; aheadMs: number; now: number }>(
  'UPDATE billing_customers SET ahead_ms = :aheadMs, updated_at = :now WHERE customer_id = :customerId',
)

export const parentOf = sql<{ accountId: string }, { parentId: string | null; name: string }>(
  'SELECT parent_account_id AS parentId, name FROM accounts WHERE id = :accountId',
)

type OrderStatus = 'processing' | 'open' | 'paid' | 'failed' | 'expired'

export interface OrderRow {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly mode: Mode
  readonly status: OrderStatus
  readonly plan: string | null
  readonly product: string | null
  readonly tier: string | null
  readonly instanceId: string | null
  readonly priceId: string
  readonly isRecurring: 0 | 1
  readonly amount: number
  readonly currency: string
  readonly refunded: number
  readonly checkoutId: string | null
  readonly sessionId: string | null
  readonly checkoutUrl: string | null
  readonly expiresAtMs: number | null
  /** The subscription that ends when this checkout for another plan is paid. */
  readonly replaces: string | null
  /** The subscription that a purchase changes. */
  readonly changeOf: string | null
  readonly prorationAtMs: number | null
  readonly methodId: string | null
  readonly subscriptionId: string | null
  readonly paymentId: string | null
  readonly invoiceId: string | null
  readonly failureCode: PurchaseFailure | null
  readonly idemKey: string | null
  readonly createdAtMs: number
  readonly provisionedAtMs: number | null
}

const ORDER = `seq, id, account_id AS accountId, mode, status, plan, product, tier, instance_id AS instanceId,
  price_id AS priceId, recurring AS isRecurring, amount_cents AS amount, currency, refunded_cents AS refunded, checkout_id AS checkoutId,
  session_id AS sessionId, checkout_url AS checkoutUrl, expires_at AS expiresAtMs, replaces, change_of AS changeOf,
  proration_at AS prorationAtMs, method_id AS methodId, subscription_id AS subscriptionId, payment_id AS paymentId,
  invoice_id AS invoiceId, failure_code AS failureCode, idem_key AS idemKey, created_at AS createdAtMs,
  provisioned_at AS provisionedAtMs`

type NewOrder = Omit<
  OrderRow,
  | 'refunded'
  | 'subscriptionId'
  | 'paymentId'
  | 'invoiceId'
  | 'failureCode'
  | 'provisionedAtMs'
  | 'sessionId'
  | 'checkoutUrl'
>

export const addOrder = sql<NewOrder>(
  `INSERT INTO billing_orders (seq, id, account_id, mode, status, plan, product, tier, instance_id, price_id,
     recurring, amount_cents, currency, checkout_id, expires_at, replaces, change_of, proration_at, method_id, idem_key, created_at)
   VALUES (:seq, :id, :accountId, :mode, :status, :plan, :product, :tier, :instanceId, :priceId, :isRecurring, :amount, :currency,
     :checkoutId, :expiresAtMs, :replaces, :changeOf, :prorationAtMs, :methodId, :idemKey, :createdAtMs)`,
)

export const orderById = sql<{ id: string }, OrderRow>(`SELECT ${ORDER} FROM billing_orders WHERE id = :id`)

export const orderByCheckout = sql<{ checkoutId: string }, OrderRow>(
  `SELECT ${ORDER} FROM billing_orders WHERE checkout_id = :checkoutId`,
)

export const orderByPayment = sql<{ paymentId: string }, OrderRow>(
  `SELECT ${ORDER} FROM billing_orders WHERE payment_id = :paymentId ORDER BY seq LIMIT 1`,
)

/** Purchases, and checkouts for which something was charged. */
export const purchasesPage = sql<{ accountId: string; mode: Mode; beforeSeq: number; rows: number }, OrderRow>(
  `SELECT ${ORDER} FROM billing_orders
   WHERE account_id = :accountId AND seq < :beforeSeq AND mode = :mode
     AND (checkout_id IS NULL OR status = 'paid' OR failure_code = 'amount_mismatch')
   ORDER BY seq DESC LIMIT :rows`,
)

export const pendingPlan = sql<{ accountId: string; mode: Mode }, { id: string }>(
  `SELECT id FROM billing_orders WHERE account_id = :accountId AND status = 'processing' AND mode = :mode
     AND plan IS NOT NULL ORDER BY seq LIMIT 1`,
)

/** Orders whose payment is still undecided. */
export const undecidedOrders = sql<
  { afterSeq: number; rows: number },
  Pick<OrderRow, 'seq' | 'id' | 'accountId' | 'failureCode'>
>(
  `SELECT seq, id, account_id AS accountId, failure_code AS failureCode FROM billing_orders
   WHERE status IN ('processing', 'open') AND seq > :afterSeq ORDER BY seq LIMIT :rows`,
)

/** One-time purchases of all accounts that were paid and not refunded: for a change of the mode. */
export const paidOneTimeOfAll = sql<{ mode: Mode }, OrderRow>(
  `SELECT ${ORDER} FROM billing_orders
   WHERE status = 'paid' AND subscription_id IS NULL AND mode = :mode AND refunded_cents < amount_cents`,
)

export const setSession = sql<{ id: string; sessionId: string; url: string; expiresAtMs: number }>(
  `UPDATE billing_orders SET session_id = :sessionId, checkout_url = :url, expires_at = :expiresAtMs,
     status = CASE WHEN status = 'processing' THEN 'open' ELSE status END
   WHERE id = :id`,
)

/**
 * The first caller wins; later calls change nothing. An order counted as failed becomes paid if its payment arrives.
 */
export const settlePaid = sql<{
  id: string
  amount: number
  currency: string
  subscriptionId: string | null
  paymentId: string | null
  invoiceId: string | null
  now: number
}>(
  `UPDATE billing_orders SET status = 'paid', amount_cents = :amount, currency = :currency,
     subscription_id = :subscriptionId, payment_id = :paymentId, invoice_id = :invoiceId, failure_code = NULL,
     provisioned_at = :now
   WHERE id = :id AND status <> 'paid'`,
)

export const settleFailed = sql<{ id: string; status: 'failed' | 'expired'; code: PurchaseFailure }>(
  `UPDATE billing_orders SET status = :status, failure_code = :code WHERE id = :id AND status IN ('processing', 'open')`,
)

/** Charged a different amount than ordered: nothing is provisioned, and a person refunds it at the provider. */
export const settleMismatched = sql<{
  id: string
  amount: number
  currency: string
  subscriptionId: string | null
  paymentId: string | null
  invoiceId: string | null
}>(
  `UPDATE billing_orders SET status = 'failed', failure_code = 'amount_mismatch', amount_cents = :amount,
     currency = :currency, subscription_id = :subscriptionId, payment_id = :paymentId, invoice_id = :invoiceId
   WHERE id = :id AND status <> 'paid'`,
)

export const setRefunded = sql<{ id: string; refunded: number }>(
  'UPDATE billing_orders SET refunded_cents = :refunded WHERE id = :id AND refunded_cents < :refunded',
)

/** Charged, and not refunded yet. */
export const mismatchedOrders = sql<{ accountId: string }, OrderRow>(
  `SELECT ${ORDER} FROM billing_orders
   WHERE account_id = :accountId AND status = 'failed' AND failure_code = 'amount_mismatch'
     AND refunded_cents < amount_cents ORDER BY seq LIMIT 50`,
)

export interface SubscriptionRow {
  readonly id: string
  readonly accountId: AccountId
  readonly mode: Mode
  readonly orderId: string
  readonly plan: string | null
  readonly product: string | null
  readonly tier: string | null
  readonly status: 'active' | 'past_due' | 'frozen' | 'ended'
  readonly periodEndMs: number | null
  readonly cancels: 0 | 1
  readonly pastDueSinceMs: number | null
  readonly frozenAtMs: number | null
  readonly warnedDays: number | null
}

const SUBSCRIPTION = `id, account_id AS accountId, mode, order_id AS orderId, plan, product, tier, status,
  period_end AS periodEndMs, cancel_at_period_end AS cancels, past_due_since AS pastDueSinceMs,
  frozen_at AS frozenAtMs, warned_days AS warnedDays`

export const subscriptionById = sql<{ id: string }, SubscriptionRow>(
  `SELECT ${SUBSCRIPTION} FROM billing_subscriptions WHERE id = :id`,
)

/** Subscriptions that have not ended, oldest first. */
export const livingSubscriptions = sql<{ accountId: string; mode: Mode }, SubscriptionRow>(
  `SELECT ${SUBSCRIPTION} FROM billing_subscriptions
   WHERE account_id = :accountId AND mode = :mode AND status <> 'ended' ORDER BY created_at, id`,
)

export const allLiving = sql<{ mode: Mode }, SubscriptionRow>(
  `SELECT ${SUBSCRIPTION} FROM billing_subscriptions WHERE mode = :mode AND status <> 'ended'`,
)

export const putSubscription = sql<{ [K in keyof SubscriptionRow]: SubscriptionRow[K] } & { now: number }>(
  `INSERT INTO billing_subscriptions (id, account_id, mode, order_id, plan, product, tier, status, period_end,
     cancel_at_period_end, past_due_since, frozen_at, warned_days, as_of, created_at)
   VALUES (:id, :accountId, :mode, :orderId, :plan, :product, :tier, :status, :periodEndMs, :cancels, :pastDueSinceMs,
     :frozenAtMs, :warnedDays, :now, :now)
   ON CONFLICT (id) DO UPDATE SET order_id = excluded.order_id, plan = excluded.plan, product = excluded.product,
     tier = excluded.tier, status = excluded.status, period_end = excluded.period_end,
     cancel_at_period_end = excluded.cancel_at_period_end, past_due_since = excluded.past_due_since,
     frozen_at = excluded.frozen_at, warned_days = excluded.warned_days, as_of = excluded.as_of`,
)

export const unpaidAccounts = sql<Record<never, never>, { accountId: AccountId; mode: Mode }>(
  `SELECT account_id AS accountId, mode FROM billing_subscriptions
   WHERE status IN ('past_due', 'frozen') AND past_due_since > 0 ORDER BY past_due_since LIMIT 1000`,
)

export const addCallback = sql<{ owner: string; eventId: string; body: Uint8Array; now: number }>(
  `INSERT INTO billing_callbacks (owner, event_id, body, received_at) VALUES (:owner, :eventId, :body, :now)
   ON CONFLICT (owner, event_id) DO NOTHING`,
)

export const callbackBody = sql<{ owner: string; eventId: string }, { body: Uint8Array; processedAtMs: number | null }>(
  `SELECT body, processed_at AS processedAtMs FROM billing_callbacks WHERE owner = :owner AND event_id = :eventId`,
)

export const callbackDone = sql<{ owner: string; eventId: string; now: number }>(
  `UPDATE billing_callbacks SET processed_at = :now WHERE owner = :owner AND event_id = :eventId`,
)

/** Kept much longer than Stripe repeats callbacks. */
export const pruneCallbacks = sql<{ before: number; limit: number }>(
  `DELETE FROM billing_callbacks WHERE (owner, event_id) IN (
     SELECT owner, event_id FROM billing_callbacks WHERE received_at < :before ORDER BY received_at LIMIT :limit)`,
)

export interface HistoryRow {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly atMs: number
  readonly plan: string | null
  readonly product: string | null
  readonly tier: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly orderId: string | null
  readonly detail: string | null
}

export const addHistory = sql<HistoryRow & { accountId: string; mode: Mode; once: string }>(
  `INSERT INTO billing_history (seq, id, account_id, mode, kind, at, plan, product, tier, amount_cents, currency,
     order_id, detail, once)
   VALUES (:seq, :id, :accountId, :mode, :kind, :atMs, :plan, :product, :tier, :amount, :currency, :orderId, :detail,
     :once)
   ON CONFLICT (account_id, once) DO NOTHING`,
)

export const historyPage = sql<{ accountId: string; mode: Mode; beforeSeq: number; rows: number }, HistoryRow>(
  `SELECT seq, id, kind, at AS atMs, plan, product, tier, amount_cents AS amount, currency, order_id AS orderId, detail
   FROM billing_history WHERE account_id = :accountId AND mode = :mode AND seq < :beforeSeq
   ORDER BY seq DESC LIMIT :rows`,
)

/** Instances that were created since then and still exist. */
/** `firstAtMs`: creation of the oldest instance that still exists. */
export const newInstances = sql<{ accountId: string; sinceMs: number }, { created: number; firstAtMs: number | null }>(
  `SELECT COUNT(CASE WHEN created_at >= :sinceMs THEN 1 END) AS created, MIN(created_at) AS firstAtMs FROM instances
   WHERE account_id = :accountId AND deleted_at IS NULL`,
)

export const instanceOf = sql<{ accountId: string; id: string }, { id: string }>(
  'SELECT id FROM instances WHERE id = :id AND account_id = :accountId AND deleted_at IS NULL',
)
