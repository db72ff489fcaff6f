import type { Migration } from '../migrate.ts'

/** Campaigns that wait for a template, a payment or a number. SQLite changes no CHECK, so the table is built again. */
export const campaignHolds: Migration = {
  version: 54,
  name: 'campaign-holds',
  sql: `
CREATE TABLE campaigns_with_holds (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'scheduled', 'running', 'paused', 'completed', 'canceled', 'failed')),
  pause_reason TEXT CHECK (pause_reason IN
    ('user', 'error_threshold', 'restricted', 'no_instance', 'outside_window', 'app_offline', 'restored',
     'template', 'payment', 'number', 'quality', 'budget')),
  network TEXT NOT NULL CHECK (network IN ('sandbox', 'live')),
  messages TEXT NOT NULL,
  variables TEXT NOT NULL,
  config TEXT NOT NULL,
  config_input TEXT NOT NULL,
  next_position INTEGER NOT NULL,
  loading INTEGER NOT NULL CHECK (loading IN (0, 1, 2)),
  idem_key TEXT,
  resume_at INTEGER,
  unusable_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  scheduled_at INTEGER,
  started_at INTEGER,
  finished_at INTEGER,
  CHECK ((status = 'paused') = (pause_reason IS NOT NULL))
) STRICT;
INSERT INTO campaigns_with_holds SELECT * FROM campaigns;
DROP TABLE campaigns;
ALTER TABLE campaigns_with_holds RENAME TO campaigns;
CREATE UNIQUE INDEX campaigns_id ON campaigns (id);
CREATE INDEX campaigns_of_account ON campaigns (account_id, seq);
CREATE INDEX campaigns_by_status ON campaigns (account_id, status, seq);
CREATE INDEX campaigns_open ON campaigns (status, seq) WHERE status IN ('scheduled', 'running', 'paused');
CREATE INDEX campaigns_loading ON campaigns (seq) WHERE loading > 0;
`,
}
