import type { Migration } from '../migrate.ts'

/** What each account used, day by day, and what it is entitled to use. */
export const usage: Migration = {
  version: 28,
  name: 'usage',
  sql: `
-- A sub-account has a parent, which has none. timezone NULL: the setting.
ALTER TABLE accounts ADD COLUMN parent_account_id TEXT REFERENCES accounts (id);
ALTER TABLE accounts ADD COLUMN timezone TEXT;
CREATE INDEX accounts_by_parent ON accounts (parent_account_id, id) WHERE parent_account_id IS NOT NULL;

-- Written by the commits that make the facts. The account is the one that had the instance then. day is YYYY-MM-DD in
-- the account's time zone.
CREATE TABLE usage_daily (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  instance_id TEXT NOT NULL,
  sent INTEGER NOT NULL,
  received INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  campaign_sends INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  call_seconds INTEGER NOT NULL,
  ai_tokens INTEGER NOT NULL,
  media_bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, instance_id)
) STRICT;

-- source says who granted it (agency, billing) and source_key what for. features is a JSON array; NULL: it says nothing
-- of features. A frozen grant freezes its account.
CREATE TABLE entitlement_grants (
  source TEXT NOT NULL,
  source_key TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  slots INTEGER NOT NULL,
  features TEXT,
  voice_packages INTEGER NOT NULL,
  frozen INTEGER NOT NULL CHECK (frozen IN (0, 1)),
  granted_at INTEGER NOT NULL,
  PRIMARY KEY (source, source_key)
) STRICT;
CREATE INDEX entitlement_grants_of_account ON entitlement_grants (account_id);
`,
}
