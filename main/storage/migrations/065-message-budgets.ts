import type { Migration } from '../migrate.ts'

/** Budgets of campaigns and accounts for messages, and sent messages that are not charged yet. */
export const messageBudgets: Migration = {
  version: 65,
  name: 'message-budgets',
  sql: `
-- Of an account in each calendar month, in UTC. warned_month: the last month in which it was nearly used up.
CREATE TABLE message_budgets (
  account_id TEXT PRIMARY KEY,
  amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
  currency TEXT NOT NULL,
  warn_percent INTEGER NOT NULL CHECK (warn_percent BETWEEN 1 AND 100),
  warned_month TEXT,
  warned_at INTEGER,
  updated_at INTEGER NOT NULL
) STRICT;

-- Messages of campaigns that the network may still charge. They end when the price is reported, when the message fails,
-- or after 30 days. send_key: the Idempotency-Key of the message. category: NULL: unknown.
CREATE TABLE price_holds (
  send_key TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  day TEXT NOT NULL,
  country TEXT NOT NULL,
  category TEXT
) STRICT;
CREATE INDEX price_holds_by_day ON price_holds (day);

-- The sums of price_counts over all numbers, and of price_holds. category '': unknown.
CREATE TABLE price_sums (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  country TEXT NOT NULL,
  category TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('held', 'charged', 'unknown')),
  messages INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, campaign_id, country, category, kind)
) STRICT;
CREATE INDEX price_sums_of_campaign ON price_sums (campaign_id, day) WHERE campaign_id <> '';
INSERT INTO price_sums (account_id, day, campaign_id, country, category, kind, messages)
  SELECT account_id, day, campaign_id, country, category, kind, SUM(messages) FROM price_counts
   WHERE kind <> 'free' GROUP BY account_id, day, campaign_id, country, category, kind;

-- Which budget a campaign waits for, and how much its next message needs, in millionths; NULL: its price is unknown.
ALTER TABLE campaigns ADD COLUMN budget_hold TEXT CHECK (budget_hold IN ('campaign', 'client'));
ALTER TABLE campaigns ADD COLUMN budget_needs INTEGER;
ALTER TABLE campaigns ADD COLUMN budget_warned_at INTEGER;
CREATE INDEX campaigns_by_budget ON campaigns (account_id, seq) WHERE budget_hold IS NOT NULL;
CREATE INDEX campaigns_warned ON campaigns (account_id, seq) WHERE budget_warned_at IS NOT NULL AND status = 'running';
`,
}
