import type { Migration } from '../migrate.ts'

/** The simulated Meta's prices of messages, and people who wrote to a number after a click on an ad. */
export const sandboxGraphPrices: Migration = {
  version: 61,
  name: 'sandbox-graph-prices',
  sql: `
-- priced_with: the status after sent that carries the price, delivered or read. NULL: none was reported yet.
ALTER TABLE sandbox_graph_sent ADD COLUMN category TEXT NOT NULL DEFAULT 'service';
ALTER TABLE sandbox_graph_sent ADD COLUMN price_type TEXT NOT NULL DEFAULT 'regular';
ALTER TABLE sandbox_graph_sent ADD COLUMN priced_with TEXT;

CREATE TABLE sandbox_graph_entries (
  phone_number_id TEXT NOT NULL,
  person TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  answered_at INTEGER,
  PRIMARY KEY (phone_number_id, person)
) STRICT;
CREATE INDEX sandbox_graph_entries_by_time ON sandbox_graph_entries (opened_at);
`,
}
