import type { Migration } from '../migrate.ts'

/** What the network reported about the price of each message, and how many messages of each kind there were. */
export const messagePrices: Migration = {
  version: 62,
  name: 'message-prices',
  sql: `
-- One row for each message whose number is billed by the network. certainty: the status that reported the price, see
-- capabilities/costs/price.ts; 0: none did. The account is the one that sent the message.
CREATE TABLE message_prices (
  message_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  number_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  country TEXT NOT NULL,
  category TEXT,
  price_type TEXT,
  model TEXT,
  billable INTEGER CHECK (billable IN (0, 1)),
  certainty INTEGER NOT NULL,
  delivered_at INTEGER
) STRICT;

-- Written by the commits that change the rows above. day is YYYY-MM-DD in UTC. campaign_id '': no campaign.
CREATE TABLE price_counts (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  campaign_id TEXT NOT NULL,
  number_id TEXT NOT NULL,
  business_id TEXT NOT NULL,
  country TEXT NOT NULL,
  category TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('charged', 'free', 'unknown')),
  messages INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, instance_id, campaign_id, number_id, business_id, country, category, kind)
) STRICT;
CREATE INDEX price_counts_of_number ON price_counts
  (number_id, category, day, campaign_id, account_id, instance_id, business_id, country) WHERE kind = 'charged';
CREATE INDEX price_counts_of_campaign ON price_counts (campaign_id, day) WHERE campaign_id <> '';
`,
}
