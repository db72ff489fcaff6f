import type { Migration } from '../migrate.ts'

/** Sub-accounts, their brand and people, links that connect an instance, and who changed what. */
export const agency: Migration = {
  version: 29,
  name: 'agency',
  sql: `
ALTER TABLE accounts ADD COLUMN external_ref TEXT;
ALTER TABLE accounts ADD COLUMN status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended'));
ALTER TABLE accounts ADD COLUMN deleted_at INTEGER;
CREATE INDEX accounts_suspended ON accounts (id) WHERE status = 'suspended';
CREATE INDEX accounts_deleted ON accounts (id) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX accounts_by_external_ref ON accounts (parent_account_id, external_ref)
  WHERE deleted_at IS NULL AND external_ref IS NOT NULL;

-- colors and allowed_origins are JSON, logo a data URI. What is NULL is inherited from the parent.
CREATE TABLE brands (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  display_name TEXT,
  logo TEXT,
  colors TEXT,
  support_url TEXT,
  allowed_origins TEXT
) STRICT;

-- What is left in an account of an instance that was transferred: an entry of the incremental list.
CREATE TABLE instance_departures (
  account_id TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  instance_id TEXT NOT NULL,
  external_ref TEXT,
  metadata TEXT,
  PRIMARY KEY (account_id, deleted_at)
) STRICT;
CREATE INDEX instance_departures_of_instance ON instance_departures (instance_id, account_id);

-- Only the SHA-256 of a link's token is kept. spent_at: somebody paired with it. account_id is not kept: it is that of
-- the instance.
CREATE TABLE access_links (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  hash BLOB NOT NULL UNIQUE,
  instance_id TEXT NOT NULL REFERENCES instances (id),
  permanent INTEGER NOT NULL CHECK (permanent IN (0, 1)),
  last4 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  opened_at INTEGER,
  spent_at INTEGER,
  revoked_at INTEGER,
  uses INTEGER NOT NULL DEFAULT 0,
  last_used_at INTEGER
) STRICT;
CREATE INDEX access_links_of_instance ON access_links (instance_id, seq);

CREATE TABLE access_link_uses (
  seq INTEGER PRIMARY KEY,
  link_seq INTEGER NOT NULL REFERENCES access_links (seq),
  at INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('opened', 'paired')),
  address TEXT,
  browser TEXT
) STRICT;
CREATE INDEX access_link_uses_of_link ON access_link_uses (link_seq, seq);

-- invitation is the SHA-256 of the link that signs in once. password is as in console_passwords.
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  invitation BLOB UNIQUE,
  invitation_expires_at INTEGER,
  password_salt BLOB,
  password_hash BLOB,
  password_cost INTEGER,
  last_seen_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX members_of_account ON members (account_id, name, id);

-- NULL: of the operator, or signed in with the password of the account.
ALTER TABLE console_sessions ADD COLUMN member_id TEXT;
ALTER TABLE console_sessions ADD COLUMN address TEXT;
ALTER TABLE console_sessions ADD COLUMN browser TEXT;
CREATE INDEX console_sessions_of_member ON console_sessions (member_id) WHERE member_id IS NOT NULL;

-- fields is a JSON array of names.
CREATE TABLE audit_log (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT NOT NULL,
  via TEXT NOT NULL,
  operation TEXT NOT NULL,
  subject_id TEXT,
  fields TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_of_account ON audit_log (account_id, seq);
CREATE INDEX audit_log_by_actor ON audit_log (account_id, actor, seq);
CREATE INDEX audit_log_by_age ON audit_log (at);
`,
}
