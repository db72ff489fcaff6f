import type { Migration } from '../migrate.ts'

/** Tables of the kernel: number blocks, facts about the home, events, and answers to repeated requests. */
export const ledger: Migration = {
  version: 1,
  name: 'ledger',
  sql: `
CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT;

-- Accounts and instances as numbers: public ids in every index of events and deliveries would triple their size.
CREATE TABLE subjects (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

-- only_for is set where an event was made for a single listener (a test) and did not happen to anybody else.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  account_seq INTEGER NOT NULL,
  instance_seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  head TEXT NOT NULL,
  tail TEXT NOT NULL,
  only_for INTEGER
) STRICT;
-- Also for all events of an account, which are those of its types.
CREATE INDEX events_by_type ON events (account_seq, type, seq);
CREATE INDEX events_by_instance ON events (instance_seq, seq);

CREATE TABLE idempotency_keys (
  scope_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fp BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('in_progress', 'unknown', 'done')),
  boot TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  status INTEGER,
  body BLOB,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (scope_id, key)
) STRICT;
-- Zero: the answer is gone, and only who held the key last is remembered.
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at) WHERE expires_at > 0;
`,
}
