import type { Migration } from '../migrate.ts'

/** Purchases and subscriptions of accounts, and the simulated Stripe. */
export const billing: Migration = {
  version: 30,
  name: 'billing',
  sql: `
-- Of the operator. Keys are sealed; lookup_keys and found are JSON.
CREATE TABLE billing_provider (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  key_sealed BLOB,
  key_last4 TEXT,
  secret_sealed BLOB,
  secret_last4 TEXT,
  lookup_keys TEXT NOT NULL,
  missing TEXT NOT NULL,
  checked_at INTEGER
) STRICT;

-- Prices as the provider has them, by lookup key.
CREATE TABLE billing_prices (
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  lookup_key TEXT NOT NULL,
  price_id TEXT NOT NULL,
  amount_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  interval TEXT CHECK (interval IN ('month', 'year')),
  read_at INTEGER NOT NULL,
  PRIMARY KEY (mode, lookup_key)
) STRICT;

-- The account at the provider. card is JSON, null without a saved card. ahead_ms: of the sandbox's clock.
CREATE TABLE billing_customers (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  customer_id TEXT NOT NULL,
  method_id TEXT,
  card TEXT,
  ahead_ms INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, mode)
) STRICT;
CREATE UNIQUE INDEX billing_customers_by_customer ON billing_customers (customer_id);

-- An order is committed before money moves. checkout_id: paid on a page. result is what was asked of the provider:
-- the ids of what it made. expected_cents is amount_cents as it was shown; amount_cents what was paid.
CREATE TABLE billing_orders (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  status TEXT NOT NULL CHECK (status IN ('processing', 'open', 'paid', 'failed', 'expired')),
  plan TEXT,
  product TEXT,
  tier TEXT,
  instance_id TEXT,
  price_id TEXT NOT NULL,
  recurring INTEGER NOT NULL CHECK (recurring IN (0, 1)),
  amount_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  refunded_cents INTEGER NOT NULL DEFAULT 0,
  checkout_id TEXT,
  session_id TEXT,
  checkout_url TEXT,
  expires_at INTEGER,
  replaces TEXT,
  change_of TEXT,
  proration_at INTEGER,
  method_id TEXT,
  subscription_id TEXT,
  payment_id TEXT,
  invoice_id TEXT,
  failure_code TEXT,
  idem_key TEXT,
  created_at INTEGER NOT NULL,
  provisioned_at INTEGER,
  CHECK ((plan IS NULL) <> (product IS NULL)),
  CHECK ((status IN ('open', 'expired')) <= (checkout_id IS NOT NULL)),
  CHECK ((status = 'paid') = (provisioned_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX billing_orders_by_id ON billing_orders (id);
CREATE UNIQUE INDEX billing_orders_by_checkout ON billing_orders (checkout_id) WHERE checkout_id IS NOT NULL;
CREATE INDEX billing_orders_of_account ON billing_orders (account_id, seq);
CREATE INDEX billing_orders_by_payment ON billing_orders (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX billing_orders_once ON billing_orders (mode, seq) WHERE status = 'paid' AND subscription_id IS NULL;
CREATE INDEX billing_orders_pending ON billing_orders (account_id, seq) WHERE status = 'processing';

-- Subscriptions that an account has: its plan, and products that are charged again and again. as_of: when the provider
-- said so, since callbacks come in any order. warned_days: which notice of the grace period was given last.
CREATE TABLE billing_subscriptions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  order_id TEXT NOT NULL,
  plan TEXT,
  product TEXT,
  tier TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'past_due', 'frozen', 'ended')),
  period_end INTEGER,
  cancel_at_period_end INTEGER NOT NULL CHECK (cancel_at_period_end IN (0, 1)),
  past_due_since INTEGER,
  frozen_at INTEGER,
  warned_days INTEGER,
  as_of INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX billing_subscriptions_living ON billing_subscriptions (account_id, mode, created_at, id)
  WHERE status <> 'ended';
CREATE INDEX billing_subscriptions_by_mode ON billing_subscriptions (mode, id) WHERE status <> 'ended';
CREATE INDEX billing_subscriptions_unpaid ON billing_subscriptions (past_due_since) WHERE status IN ('past_due', 'frozen');

-- Callbacks as they came, until they are processed. owner: null for the operator's, else the agency's account.
CREATE TABLE billing_callbacks (
  event_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  body BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  processed_at INTEGER,
  PRIMARY KEY (owner, event_id)
) STRICT;
CREATE INDEX billing_callbacks_by_age ON billing_callbacks (received_at);

CREATE TABLE billing_history (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  plan TEXT,
  product TEXT,
  tier TEXT,
  amount_cents INTEGER,
  currency TEXT,
  order_id TEXT,
  detail TEXT,
  once TEXT NOT NULL
) STRICT;
CREATE INDEX billing_history_of_account ON billing_history (account_id, mode, seq);
CREATE UNIQUE INDEX billing_history_once ON billing_history (account_id, once);

-- An agency's own account at Stripe, and what its clients pay there. terms is JSON; revision counts their changes.
CREATE TABLE billing_agencies (
  account_id TEXT PRIMARY KEY,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  mode TEXT NOT NULL CHECK (mode IN ('sandbox', 'live')),
  key_sealed BLOB,
  key_last4 TEXT
) STRICT;
CREATE TABLE billing_clients (
  client_id TEXT PRIMARY KEY,
  agency_id TEXT NOT NULL,
  terms TEXT NOT NULL,
  revision INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'past_due', 'failed')),
  error TEXT,
  customer_id TEXT,
  subscription_id TEXT,
  period_end INTEGER,
  reported_until TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX billing_clients_of_agency ON billing_clients (agency_id, client_id);

-- The simulated Stripe: what each of its accounts has, as JSON, and the answers of its idempotency keys.
CREATE TABLE sandbox_stripe_objects (
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account, id)
) STRICT;
CREATE UNIQUE INDEX sandbox_stripe_objects_in_order ON sandbox_stripe_objects (seq);
CREATE TABLE sandbox_stripe_keys (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, key)
) STRICT;
CREATE INDEX sandbox_stripe_keys_by_age ON sandbox_stripe_keys (created_at);
`,
}
