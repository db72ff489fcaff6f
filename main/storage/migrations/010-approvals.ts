import type { Migration } from '../migrate.ts'

/** Keys that require approval, and their calls that wait for a person. */
export const approvals: Migration = {
  version: 10,
  name: 'approvals',
  sql: `
ALTER TABLE api_keys ADD COLUMN approval TEXT NOT NULL DEFAULT 'none'
  CHECK (approval IN ('none', 'destructive', 'sending'));

-- arguments are sealed: they are what will be sent. shown is the same without secrets, for people. That a pending one
-- has expired is not written: expires_at and the clock say it. boot is the opening of the database in which an approved
-- call was begun; with another one it was cut off. repeatable: beginning it again cannot act twice.
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  key_name TEXT NOT NULL,
  operation TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments BLOB NOT NULL,
  shown TEXT NOT NULL,
  sentence TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  repeatable INTEGER NOT NULL CHECK (repeatable IN (0, 1)),
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused', 'executed')),
  boot TEXT,
  status INTEGER,
  answer TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  executed_at INTEGER,
  collected_at INTEGER
) STRICT;
CREATE INDEX approvals_by_account ON approvals (account_id, id);
CREATE INDEX approvals_by_call ON approvals (key_id, fingerprint, id);
CREATE INDEX approvals_pending ON approvals (key_id, expires_at) WHERE state = 'pending';
CREATE INDEX approvals_approved ON approvals (id) WHERE state = 'approved';
CREATE INDEX approvals_by_age ON approvals (created_at);
`,
}
