import type { Migration } from '../migrate.ts'

/** Who owns instances, and the API keys that speak for them. */
export const accounts: Migration = {
  version: 2,
  name: 'accounts',
  sql: `
-- change_at is the change clock: the last value it gave out (contract: Instances). The two counters are kept, not
-- computed: instances_made numbers default names, instances_live is what occupies slots.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  change_at INTEGER NOT NULL,
  instances_made INTEGER NOT NULL DEFAULT 0,
  instances_live INTEGER NOT NULL DEFAULT 0 CHECK (instances_live >= 0),
  created_at INTEGER NOT NULL
) STRICT;

-- Only the SHA-256 of a key is kept. scopes and allowed_instance_ids are JSON arrays; allowed_instance_ids NULL means
-- all instances, rate_per_minute NULL means the setting.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  last4 TEXT NOT NULL,
  scopes TEXT NOT NULL,
  allowed_instance_ids TEXT,
  rate_per_minute INTEGER,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);
`,
}
