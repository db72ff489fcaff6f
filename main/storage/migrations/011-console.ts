import type { Migration } from '../migrate.ts'

/** Who is signed in to the console in a browser, and the password that signs in. */
export const consoleSessions: Migration = {
  version: 11,
  name: 'console',
  sql: `
-- Only the SHA-256 of a session's token is kept. used_at is at most a minute behind.
CREATE TABLE console_sessions (
  hash BLOB PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX console_sessions_by_use ON console_sessions (used_at);

-- cost is the N of scrypt with which hash was made: a dearer one of later leaves this password usable.
CREATE TABLE console_passwords (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  salt BLOB NOT NULL,
  hash BLOB NOT NULL,
  cost INTEGER NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;
`,
}
