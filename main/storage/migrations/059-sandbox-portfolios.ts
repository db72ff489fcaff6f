import type { Migration } from '../migrate.ts'

/**
 * Portfolios of the simulated Meta: their numbers share one messaging limit, counted in people within a moving 24
 * hours.
 */
export const sandboxPortfolios: Migration = {
  version: 59,
  name: 'sandbox-portfolios',
  sql: `
-- messaging_limit: what Meta says of it; null: it does not say.
CREATE TABLE sandbox_graph_portfolios (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  messaging_limit TEXT
) STRICT;

-- When each person last got a message outside the 24-hour window.
CREATE TABLE sandbox_graph_reached (
  portfolio_id TEXT NOT NULL,
  recipient TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (portfolio_id, recipient)
) STRICT;
CREATE INDEX sandbox_graph_reached_by_time ON sandbox_graph_reached (portfolio_id, at);

ALTER TABLE sandbox_graph_numbers ADD COLUMN portfolio_id TEXT NOT NULL DEFAULT '';
ALTER TABLE sandbox_graph_numbers ADD COLUMN quality TEXT NOT NULL DEFAULT 'GREEN';
UPDATE sandbox_graph_numbers SET portfolio_id = waba_id;
INSERT INTO sandbox_graph_portfolios (id, account_id, messaging_limit)
  SELECT waba_id, MIN(account_id), 'TIER_250' FROM sandbox_graph_numbers GROUP BY waba_id;
`,
}
