import type { Migration } from '../migrate.ts'

/**
 * Data of the simulated network for direct engine calls: groups with their members, blocked people, and files that
 * one instance sent another (files from phones are samples and not stored).
 */
export const sandboxDirect: Migration = {
  version: 9,
  name: 'sandbox-direct',
  sql: `
CREATE TABLE sandbox_groups (
  seq INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  invite TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, id)
) STRICT;

CREATE TABLE sandbox_group_members (
  group_seq INTEGER NOT NULL REFERENCES sandbox_groups (seq) ON DELETE CASCADE,
  number TEXT NOT NULL,
  admin INTEGER NOT NULL CHECK (admin IN (0, 1)),
  PRIMARY KEY (group_seq, number)
) STRICT;
CREATE INDEX sandbox_group_members_by_number ON sandbox_group_members (number, group_seq);

CREATE TABLE sandbox_blocks (
  account_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  number TEXT NOT NULL,
  PRIMARY KEY (account_id, owner, number)
) STRICT;

CREATE TABLE sandbox_files (
  message_id TEXT PRIMARY KEY REFERENCES sandbox_messages (id) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;
`,
}
